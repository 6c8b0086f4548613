"""What a format offers to those who edit its conversations, beside what it offers to those who read them."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol

from ctxkit.core.chat.editing.conversation_format import ConversationFormat
from ctxkit.core.chat.model.record import Place, RecordCall, RecordContent, RecordResult

ResultLayout = Literal["next", "near", "any", "within"]
"""Where the result of a call stands: in the very next message that a model reads (Anthropic, Gemini), before the
next message that is no result (OpenAI Chat), anywhere after the call (Responses), or in the entry of the call."""


class ApiRules(NamedTuple):
    """State what an API demands of a conversation in its format.

    ``results_first``: in a message that holds results, nothing stands before them. ``roles_alternate``: two messages in
    a row may not be of one role; ``user_opens``: the first message after the system's is the user's.
    ``loops_are_atomic``: a loop of calls that begins with reasoning is all or nothing. ``summary_role`` is the role in
    which a summary enters. ``has_call_ids``: calls have ids; else a result belongs to the call of that name in the same
    order.
    """

    layout: ResultLayout
    results_first: bool = False
    roles_alternate: bool = False
    user_opens: bool = False
    loops_are_atomic: bool = False
    summary_role: Literal["system", "developer", "user"] = "system"
    has_call_ids: bool = True


class ValuePatch(NamedTuple):
    """Change one value inside an entry: put another in its place, insert one before it, or take it out."""

    place: Place
    value: Any = None
    action: Literal["replace", "insert", "remove"] = "replace"


class EditableFormat(ConversationFormat, Protocol):
    """Say how one's conversations are put together; each module of ``formats`` is one."""

    @property
    def RULES(self) -> ApiRules:  # noqa: N802 - modules have constants
        """State what the API of the format demands."""

    def find_entry_list(self, document: Any) -> Place | None:
        """Return where the list of entries stands in a document, None for a value that is an entry itself.

        Raises ValueError for a document that holds several conversations.
        """

    def read_content(self, value: Any) -> RecordContent:
        """Return what an entry says, calls and answers."""

    def make_result_value(self, result: RecordResult, text: str) -> Any:
        """Return the value to put at the place of a result so that a model reads ``text`` there."""

    def make_result(self, call: RecordCall, text: str) -> Any:
        """Return a result of that call: an entry, or an element to be carried by one."""

    def wrap_results(self, results: Sequence[Any]) -> Any | None:
        """Return an entry that carries elements which are results, None where each result is an entry."""

    def make_summary(self, text: str, role: str, key: str, parent: str | None, neighbor: Any) -> Sequence[Any]:
        """Return the entries that hold a summary, the last of which has the id that ``make_id`` makes of ``key``.

        ``neighbor`` is the value of the entry that it will stand before, None at the end: what all entries of a
        session share is taken from it, and nothing else. ``parent`` is the id of the entry it follows in a tree, None
        where no message stays before it: then it begins the conversation as the program's own compactions do.
        """

    def attach_entry(self, value: Any, key: str, parent: str | None, neighbor: Any) -> Any:
        """Return an entry of ``make_result`` or ``wrap_results`` as the session writes it, as ``make_summary`` does.

        Where entries have no ids and no parents it is returned as it is.
        """

    def make_id(self, key: str) -> str:
        """Return the id that entries made here get of ``key``, 32 hex digits; empty where entries have none."""

    def patch_parent(self, value: Any, parent: str | None) -> Sequence[ValuePatch]:
        """Return how to hang an entry of a tree under another parent, None for the root; nothing elsewhere."""
