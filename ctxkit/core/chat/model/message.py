"""The format-independent model of a conversation."""

from collections.abc import Mapping
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
