"""An entry of a conversation for editing: its role, calls, results and passages, with their places."""

from functools import cached_property
from typing import Literal, NamedTuple

from ctxkit.core.chat.model.message import ChatEntry, ChatMessage, EntryLink
from ctxkit.core.text.json_value import JsonValue

Place = tuple[str | int, ...]
"""Path from the JSON value of an entry to a value inside it: keys and 0-based indices."""
Role = Literal["system", "user", "assistant", "tool", ""]
"""Role of a message, in OpenAI's terms for every format; empty for an entry that is not sent."""
RecordKind = Literal["message", "summary", "note", "head", "bad"]
"""Kind of an entry.

- "message": a message.
- "summary": a summary of earlier messages.
- "note": a note of the program that is not sent.
- "head": the head of a file, which is always kept.
- "bad": an invalid line.
"""
SYSTEM_ROLES = ("system", "developer")


class RecordCall(NamedTuple):
    """A tool call; ``arguments`` are an object if they are JSON, otherwise text.

    ``place`` is the place of the arguments, ``copies`` the places that repeat them, and ``unit`` the place of the
    call's element: () for the whole entry. A call ``needs_no_result`` if the provider ran it, or if its result is in
    the same unit.
    """

    id: str
    name: str
    arguments: JsonValue = None
    place: Place = ()
    unit: Place = ()
    needs_no_result: bool = False
    copies: tuple[Place, ...] = ()


class RecordResult(NamedTuple):
    """A tool result; ``text`` is the text that a model receives.

    ``place`` is the place of that text, ``copies`` the places that repeat it, and ``unit`` the place of the result's
    element: () for the whole entry. A result that is not ``plain`` contains more than text.
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
    """Text of a message that may be shortened, and its place."""

    text: str
    place: Place


class UsageReceipt(NamedTuple):
    """The token usage of a request as reported by the provider: all of its input, and its output."""

    context: int
    output: int


class RecordContent(NamedTuple):
    """The content of one entry as its format reads it; see Record for the fields."""

    role: Role = ""
    kind: RecordKind = "message"
    calls: tuple[RecordCall, ...] = ()
    results: tuple[RecordResult, ...] = ()
    passages: tuple[RecordPassage, ...] = ()
    encrypted: bool = False
    has_reasoning: bool = False
    receipt: UsageReceipt | None = None
    automatic: bool = False
    is_unknown: bool = False


class _RecordFields(NamedTuple):
    at: int
    start: int
    end: int
    value: JsonValue
    role: Role = ""
    kind: RecordKind = "message"
    calls: tuple[RecordCall, ...] = ()
    results: tuple[RecordResult, ...] = ()
    passages: tuple[RecordPassage, ...] = ()
    encrypted: bool = False
    has_reasoning: bool = False
    receipt: UsageReceipt | None = None
    automatic: bool = False
    is_unknown: bool = False
    entries: tuple[ChatEntry, ...] = ()
    line: int = 1


class Record(_RecordFields):
    """One entry of a transcript.

    - ``at`` is its 0-based index, ``start`` and ``end`` are offsets of its JSON in the text, ``line`` is its 1-based
      line.
    - ``role`` is the role of the message: tool results in a user message have the role "user".
    - ``encrypted`` marks content that only the provider can read, which must stay unchanged.
    - ``has_reasoning`` marks a message that begins with reasoning, which the provider requires unchanged.
    - ``automatic`` marks a message that a program wrote with the role of the user.
    - ``is_unknown`` marks a message of a type that its format does not define, which must stay unchanged.
    - ``entries`` are the parsed entries for token counting.
    """

    @cached_property
    def messages(self) -> tuple[ChatMessage, ...]:
        """Return the messages of the entry as a model receives them."""
        if len(self.entries) == 1 and isinstance(self.entries[0], ChatMessage):  # most entries are one message
            return (self.entries[0],)
        return tuple(entry for entry in self.entries if isinstance(entry, ChatMessage))

    @property
    def link(self) -> EntryLink | None:
        """Return the position of the entry in its tree, None if the format has no tree."""
        for entry in self.entries:
            if isinstance(entry, EntryLink):
                return entry
            if isinstance(entry, ChatMessage) and entry.link:
                return entry.link
        return None

    @cached_property
    def words(self) -> str:
        """Return the text of the entry, without calls, results and reasoning."""
        parts = [part.text for message in self.messages for part in message.parts if part.kind == "text"]
        return "\n".join(filter(None, parts))

    @property
    def is_user_request(self) -> bool:
        """Return whether the entry is a request from the user, not from a tool or a program."""
        speaks = self.role == "user" and self.kind == "message" and not self.automatic
        return speaks and not self.results and bool(self.words.strip())
