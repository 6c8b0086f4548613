"""A message of a conversation, and the record of an entry, which holds one."""

from collections.abc import Mapping
from functools import cached_property
from typing import Literal, NamedTuple

from ctxkit.core.text.json_value import JsonValue

PartKind = Literal["text", "call", "result", "thinking", "image", "other"]
"""Kind of a message part: text, a tool call, a tool result, reasoning, an image, or anything else."""
MediaType = Literal["image", "document", "audio", "video"]
"""Kind of a file: a document is a PDF, or any file whose kind is unknown."""


class MessagePart(NamedTuple):
    """One part of a message.

    ``text`` is the text that a model receives, ``name`` the tool of a call. An image has its ``size`` in pixels, if
    known, and the requested ``detail``. ``media`` is the kind of a file other than an image. ``encrypted_size`` is the
    length in characters of content that cannot be read: encrypted, or a file in base64; 0 for a file by reference.
    """

    kind: PartKind
    text: str = ""
    name: str = ""
    size: tuple[int, int] | None = None
    detail: str = ""
    encrypted_size: int = 0
    media: MediaType | None = None


class KeptSegment(NamedTuple):
    """The ids of entries that a compaction kept, in order, and of the anchor that the first one now follows.

    Unless ``is_complete`` is set, they are only the first and the last; the entries between them keep their order.
    """

    anchor: str
    ids: tuple[str, ...]
    is_complete: bool = False


class EntryLink(NamedTuple):
    """The position of an entry in the tree of a session.

    - ``parent`` is the id of the previous entry: empty for the first one, None if the file does not specify it.
    - ``group`` is shared by the entries of one model response.
    - ``is_sidechain`` marks the conversation of another agent.
    - ``is_boundary`` excludes all earlier entries except those of ``segment``, which now follow its anchor; the former
      successors of the anchor follow the last of them.
    - ``is_update`` replaces the earlier entry with the same id.
    - ``is_tip`` continues the session from this entry if it is the last one, even if it is not a message.
    - ``series``: of the messages of a path with the same series, only the last one is sent, or only the first one if
      ``is_first_sent`` is set.
    """

    id: str
    parent: str | None = None
    group: str = ""
    is_sidechain: bool = False
    is_boundary: bool = False
    segment: KeptSegment | None = None
    is_update: bool = False
    is_tip: bool = False
    series: str = ""
    is_first_sent: bool = False


class KeptTail(NamedTuple):
    """The first earlier entry that a compaction kept: by id, or by 0-based index in the file."""

    id: str = ""
    place: int | None = None


class ChatMessage(NamedTuple):
    """One message: its role, its parts, and the ids of the calls that it makes or answers.

    ``kept`` marks the summary of a compaction, which replaces all entries that are not kept.
    """

    role: str
    parts: tuple[MessagePart, ...]
    name: str = ""
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    link: EntryLink | None = None
    kept: KeptTail | None = None


class Tool(NamedTuple):
    """The definition of a tool: its JSON schema, and the raw definition."""

    name: str
    description: str
    schema: Mapping[str, JsonValue]
    raw: JsonValue


class Toolset(NamedTuple):
    """The tools of a request, and the schema that its answer must follow, as compact JSON.

    ``choice`` is "auto", "none", or any other word for a forced call.
    """

    tools: tuple[Tool, ...]
    choice: str = "auto"
    answer_schema: str = ""


class Rewind(NamedTuple):
    """A rewind of the last ``turns`` of the user, or of everything if None.

    If ``since`` is the id of an entry, the rewind covers that entry and all later ones instead.
    """

    turns: int | None = None
    since: str = ""


class ConversationStart(NamedTuple):
    """The start of another conversation in the same file."""


class ArchivedMessages(NamedTuple):
    """The ``number`` of the following messages that the agent moved to its memory and no longer sends."""

    number: int


ChatEntry = ChatMessage | Toolset | Rewind | ConversationStart | EntryLink | ArchivedMessages
"""An entry that a reader yields; a bare link is an entry that is not a message but is part of the tree."""
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
