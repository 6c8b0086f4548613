"""What a conversation is made of, whatever format it is kept in."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

PartKind = Literal["text", "call", "result", "thinking", "image", "other"]
"""What a part of a message is: words, a tool's call or its result, reasoning, a picture, anything else."""


class MessagePart(NamedTuple):
    """Hold one part of a message.

    ``text`` is what a model reads of it, and ``name`` the tool that a call names. A picture has its ``size``
    in pixels where that is known, and the ``detail`` that was asked for. ``encrypted_size`` is the length in
    characters of encrypted content, which nobody else can read.
    """

    kind: PartKind
    text: str = ""
    name: str = ""
    size: tuple[int, int] | None = None
    detail: str = ""
    encrypted_size: int = 0


class KeptSegment(NamedTuple):
    """Hold the ids of entries that a compaction kept, in order, and of the one that the first follows now.

    Where they are not ``is_complete`` of them they are the ends, and those between follow one another as before.
    """

    anchor: str
    ids: tuple[str, ...]
    is_complete: bool = False


class EntryLink(NamedTuple):
    """Place an entry in the tree of a session.

    ``parent`` is the entry that it follows: empty for the first one, None where the file does not say.
    Entries of one ``group`` are one response of the model. ``is_sidechain`` marks another agent's conversation.
    Where one ``is_boundary``, nothing that stands before it is sent any more, but for a ``segment`` that was kept: it
    has moved since it was written, and what followed its anchor follows its last entry. One that is written
    ``is_update`` takes the place of the earlier one with its id. A ``is_tip`` is where the session goes on if it is the
    last entry, be it a message or not.
    """

    id: str
    parent: str | None = None
    group: str = ""
    is_sidechain: bool = False
    is_boundary: bool = False
    segment: KeptSegment | None = None
    is_update: bool = False
    is_tip: bool = False


class KeptTail(NamedTuple):
    """Say from which entry on a compaction kept what came before it: by id, or by 0-based place in the file."""

    id: str = ""
    place: int | None = None


class ChatMessage(NamedTuple):
    """Hold one message: who speaks, in which parts, and the ids of calls that it makes or answers.

    ``kept`` makes it the summary of a compaction, which replaces what is not kept.
    """

    role: str
    parts: tuple[MessagePart, ...]
    name: str = ""
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    link: EntryLink | None = None
    kept: KeptTail | None = None


class Tool(NamedTuple):
    """Hold the definition of a tool: its JSON schema, and the whole as it was written."""

    name: str
    description: str
    schema: Mapping[str, Any]
    raw: Any


class Toolset(NamedTuple):
    """Hold the tools of a request; ``choice`` is auto, none, or any other word where a call is forced."""

    tools: tuple[Tool, ...]
    choice: str = "auto"


class Rewind(NamedTuple):
    """Take back what came so far: the last ``turns`` of the user, everything when None.

    Where ``since`` is the id of an entry, all from there on is taken back instead.
    """

    turns: int | None = None
    since: str = ""


class ConversationStart(NamedTuple):
    """Begin another conversation in the same file."""


ChatEntry = ChatMessage | Toolset | Rewind | ConversationStart | EntryLink
"""What a reader yields; a bare link is an entry that is no message but has its place in the tree."""
