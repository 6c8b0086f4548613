"""The interface that a conversation format offers to editors, in addition to that for readers."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from ctxkit.core.chat.editing.conversation_format import ConversationFormat
from ctxkit.core.chat.model.record import Place, RecordCall, RecordContent, RecordResult
from ctxkit.core.text.json_value import JsonValue

ResultLayout = Literal["next", "near", "any", "within"]
"""Position of the result of a call.

- "next": in the next message sent to the model (Anthropic, Gemini).
- "near": before the next message without results (OpenAI Chat).
- "any": anywhere after the call (Responses).
- "within": in the entry of the call.
"""


class ApiRules(NamedTuple):
    """The rules of an API for conversations in its format.

    - ``results_first``: results come before everything else in their message.
    - ``roles_alternate``: neighbouring messages have different roles.
    - ``user_opens``: the first message after the system messages is the user's.
    - ``loops_are_atomic``: a loop of calls that begins with reasoning is kept or dropped completely.
    - ``summary_role``: the role of a summary message.
    - ``has_call_ids``: calls have ids; otherwise a result belongs to the call with the same name and order.
    """

    layout: ResultLayout
    results_first: bool = False
    roles_alternate: bool = False
    user_opens: bool = False
    loops_are_atomic: bool = False
    summary_role: Literal["system", "developer", "user"] = "system"
    has_call_ids: bool = True


class ValuePatch(NamedTuple):
    """A change of one value inside an entry: replaces it, inserts a value before it, or removes it."""

    place: Place
    value: JsonValue = None
    action: Literal["replace", "insert", "remove"] = "replace"


class EditableFormat(ConversationFormat, Protocol):
    """An editor of one format; each module of ``formats`` implements it."""

    @property
    def RULES(self) -> ApiRules:  # noqa: N802 - modules have constants
        """Return the rules of the format's API."""

    def find_entry_list(self, document: JsonValue) -> Place | None:
        """Return the place of the list of entries in a document, None if the value is an entry.

        Raise ValueError for a document with several conversations.
        """

    def read_content(self, value: JsonValue) -> RecordContent:
        """Return the role, calls, results and passages of an entry."""

    def make_result_value(self, result: RecordResult, text: str) -> JsonValue:
        """Return the value that gives a result the text ``text``."""

    def make_result(self, call: RecordCall, text: str) -> JsonValue:
        """Return a new result of a call: an entry, or an element for ``wrap_results``."""

    def wrap_results(self, results: Sequence[JsonValue]) -> JsonValue | None:
        """Return an entry with result elements, None if each result is an entry."""

    def make_summary(
        self, text: str, role: str, key: str, parent: str | None, neighbor: JsonValue
    ) -> Sequence[JsonValue]:
        """Return the entries of a summary; the last one has the id that ``make_id`` derives from ``key``.

        ``neighbor`` is the value of the next entry, None at the end: the summary copies only the fields that all
        entries of a session share. ``parent`` is the id of the previous entry in a tree, None if no message remains
        before it. Then the summary begins the conversation, like a compaction by the agent itself.
        """

    def attach_entry(self, value: JsonValue, key: str, parent: str | None, neighbor: JsonValue) -> JsonValue:
        """Return an entry of ``make_result`` or ``wrap_results`` with its id, parent and shared fields.

        ``neighbor`` is the value of the next entry. Formats without ids and parents return the entry unchanged.
        """

    def make_id(self, key: str) -> str:
        """Return the id that a new entry derives from ``key``, 32 hex digits; empty if the format has no ids."""

    def patch_parent(self, value: JsonValue, parent: str | None) -> Sequence[ValuePatch]:
        """Return the patches that change an entry's parent, None for the root; empty if the format has no parents."""
