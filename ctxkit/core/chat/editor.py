"""What a format offers to those who edit its conversations, beside what it offers to those who read them."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol

from ctxkit.core.chat.reader import Format
from ctxkit.core.chat.record import Anatomy, Call, Place, Result

Layout = Literal["next", "near", "any", "within"]
"""Where the result of a call stands: in the very next message that a model reads (Anthropic, Gemini), before the
next message that is no result (OpenAI Chat), anywhere after the call (Responses), or in the entry of the call."""


class Rules(NamedTuple):
    """State what an API demands of a conversation in its format.

    ``results_first``: in a message that holds results, nothing stands before them. ``alternates``: two messages in
    a row may not be of one role; ``opens``: the first message after the system's is the user's. ``loops``: a loop
    of calls that begins with reasoning is all or nothing. ``summary`` is the role in which a summary enters.
    ``identified``: calls have ids; else a result belongs to the call of that name in the same order.
    """

    layout: Layout
    results_first: bool = False
    alternates: bool = False
    opens: bool = False
    loops: bool = False
    summary: Literal["system", "developer", "user"] = "system"
    identified: bool = True


class Patch(NamedTuple):
    """Change one value inside an entry: put another in its place, insert one before it, or take it out."""

    place: Place
    value: Any = None
    how: Literal["replace", "insert", "remove"] = "replace"


class Editor(Format, Protocol):
    """Say how one's conversations are put together; each module of ``formats`` is one."""

    @property
    def RULES(self) -> Rules:  # noqa: N802 - modules have constants
        """State what the API of the format demands."""

    def where(self, document: Any) -> Place | None:
        """Return where the list of entries stands in a document, None for a value that is an entry itself.

        Raises ValueError for a document that holds several conversations.
        """

    def anatomy(self, value: Any) -> Anatomy:
        """Return what an entry says, calls and answers."""

    def returned(self, result: Result, text: str) -> Any:
        """Return the value to put at the place of a result so that a model reads ``text`` there."""

    def answer(self, call: Call, text: str) -> Any:
        """Return a result of that call: an entry, or an element to be carried by one."""

    def carrier(self, answers: Sequence[Any]) -> Any | None:
        """Return an entry that carries elements which are results, None where each result is an entry."""

    def summary(self, text: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
        """Return the entries that hold a summary, the last of which has the id that ``identity`` makes of ``key``.

        ``near`` is the value of the entry that it will stand before, None at the end: what all entries of a
        session share is taken from it, and nothing else. ``parent`` is the id of the entry it follows in a tree, None
        where no message stays before it: then it begins the conversation as the program's own compactions do.
        """

    def hung(self, value: Any, key: str, parent: str | None, near: Any) -> Any:
        """Return an entry that ``answer`` or ``carrier`` made as one of the session, with what ``summary`` puts around.

        Where entries have no ids and no parents it is returned as it is.
        """

    def identity(self, key: str) -> str:
        """Return the id that entries made here get of ``key``, 32 hex digits; empty where entries have none."""

    def relinked(self, value: Any, parent: str | None) -> Sequence[Patch]:
        """Return how to hang an entry of a tree under another parent, None for the root; nothing elsewhere."""
