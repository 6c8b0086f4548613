"""An entry of a conversation as those who edit it see it: what it says, calls and answers, and where that stands."""

from functools import cached_property
from typing import Any, Literal, NamedTuple

from ctxkit.core.chat.model.message import ChatEntry, ChatMessage, EntryLink

Place = tuple[str | int, ...]
"""Steps from the JSON value of an entry to one inside it: keys, and 0-based numbers of elements."""
Role = Literal["system", "user", "assistant", "tool", ""]
"""Who speaks, in the words of OpenAI whatever the format says; nobody in an entry that no model reads."""
RecordKind = Literal["message", "summary", "note", "head", "bad"]
"""What an entry is: a message, a summary of what came before it, a note of the program that no model reads,
the head of a file that always stays, or a line that could not be read."""
SYSTEM_ROLES = ("system", "developer")


class RecordCall(NamedTuple):
    """Hold a tool call; ``arguments`` are a mapping where they are JSON, else text.

    ``place`` is where the arguments stand, ``unit`` the element of the entry that is the call: () for the whole
    entry. A ``needs_no_result`` call needs no answer: the provider ran it, or its result is kept in the same unit.
    """

    id: str
    name: str
    arguments: Any = None
    place: Place = ()
    unit: Place = ()
    needs_no_result: bool = False


class RecordResult(NamedTuple):
    """Hold what a tool returned: ``text`` is what a model reads of it.

    ``place`` is where that stands, ``copies`` where the same is kept once more as text, ``unit`` the element of the
    entry that is the result: () for the whole entry. A result that is not ``plain`` holds more than text.
    """

    id: str
    text: str
    place: Place
    name: str = ""
    failed: bool = False
    plain: bool = True
    copies: tuple[Place, ...] = ()
    unit: Place = ()


class RecordPassage(NamedTuple):
    """Hold words of a message that may be shortened, and where they stand."""

    text: str
    place: Place


class UsageReceipt(NamedTuple):
    """Hold what a provider says that a request took, in tokens: all that it read, and what it wrote."""

    context: int
    output: int


class RecordContent(NamedTuple):
    """Hold what a format knows of one entry; see Record for what the fields mean."""

    role: Role = ""
    kind: RecordKind = "message"
    calls: tuple[RecordCall, ...] = ()
    results: tuple[RecordResult, ...] = ()
    passages: tuple[RecordPassage, ...] = ()
    encrypted: bool = False
    has_reasoning: bool = False
    receipt: UsageReceipt | None = None
    automatic: bool = False


class _RecordFields(NamedTuple):
    at: int
    start: int
    end: int
    value: Any
    role: Role = ""
    kind: RecordKind = "message"
    calls: tuple[RecordCall, ...] = ()
    results: tuple[RecordResult, ...] = ()
    passages: tuple[RecordPassage, ...] = ()
    encrypted: bool = False
    has_reasoning: bool = False
    receipt: UsageReceipt | None = None
    automatic: bool = False
    entries: tuple[ChatEntry, ...] = ()
    line: int = 1


class Record(_RecordFields):
    """Hold one entry of a transcript.

    ``at`` is its 0-based place among the entries, ``start`` and ``end`` where its JSON stands in the text, ``line``
    the 1-based line on which it begins. ``entries`` are what counting reads of it. A ``encrypted`` entry holds what
    only the provider can read, and must stay as it is; one that ``has_reasoning`` begins with reasoning that its
    provider wants back whole. What is ``automatic`` was said by a program in the name of the user. The ``role`` is the
    one of the message: where the results of calls stand in a message of the user, it is the user's.
    """

    @cached_property
    def messages(self) -> tuple[ChatMessage, ...]:
        """Return what a model reads of the entry."""
        return tuple(entry for entry in self.entries if isinstance(entry, ChatMessage))

    @property
    def link(self) -> EntryLink | None:
        """Return the place of the entry in its tree, None where the format has none."""
        for entry in self.entries:
            if isinstance(entry, EntryLink):
                return entry
            if isinstance(entry, ChatMessage) and entry.link:
                return entry.link
        return None

    @cached_property
    def words(self) -> str:
        """Return what is said in the entry, without calls, results and reasoning."""
        parts = [part.text for message in self.messages for part in message.parts if part.kind == "text"]
        return "\n".join(filter(None, parts))

    @property
    def is_user_request(self) -> bool:
        """Tell whether the user speaks here, rather than a tool or a program."""
        speaks = self.role == "user" and self.kind == "message" and not self.automatic
        return speaks and not self.results and bool(self.words.strip())
