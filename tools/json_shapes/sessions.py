"""Shapes of session and snapshot."""

from typing import Literal, NotRequired, TypedDict

from tools.json_shapes.content import Method

SessionStateShape = TypedDict(  # noqa: UP013 - a member would be a name that no value may have
    "SessionStateShape",
    {
        "session": str,
        "model": str | None,
        "window": int,
        "reserve": int,
        "used": int,
        "held": int,
        "available": int,
        "estimated": int,
        "items": int,
        "gatings": int,
        "compactions": int,
        "edits": int,
        "tight": bool,
        "blocked": bool,
        "due": bool,
        "created": float,
        "updated": float,
        "assumed": NotRequired[bool],
    },
)
"""The state of a session: counts in tokens, times in seconds since 1970."""


class AppendedMessagesShape(TypedDict):
    """Messages that were added to a history; tokens and method are null if they were not counted."""

    session: str
    added: int
    first: int
    lines: int
    bytes: int
    tokens: int | None
    method: Method | None


class HistoryEntryShape(TypedDict):
    """A line of a history; ``entry`` is the message as it was added."""

    line: int
    added: float | None
    entry: object


class SnapshotFactsShape(TypedDict):
    """A snapshot without its content."""

    session: str
    number: int
    format: str
    messages: int
    tokens: int
    method: Method
    covers: int
    created: float


ResumedConversationShape = TypedDict(
    "ResumedConversationShape",
    {
        "session": str,
        "from": Literal["snapshot", "history"],
        "covers": int,
        "created": float | None,
        "appended": int,
        "content": NotRequired[str],
        "content_base64": NotRequired[str],
    },
)
"""The conversation that a session resumes from."""


class MessageChangeShape(TypedDict):
    """A message that differs between two conversations."""

    change: Literal["removed", "added", "changed"]
    role: str
    before: int | None
    after: int | None
    before_text: str | None
    after_text: str | None


ConversationDifferenceShape = TypedDict(
    "ConversationDifferenceShape", {"from": str, "to": str, "kept": int, "changes": list[MessageChangeShape]}
)
"""The difference of two conversations."""


class ProposedLineShape(TypedDict):
    """A line that is proposed for the memory."""

    text: str
    section: str
    sessions: list[str]
    original: str | None


class PromotionShape(TypedDict):
    """The lines that are proposed for the memory of a directory."""

    directory: str
    summaries: int
    file: str
    proposals: list[ProposedLineShape]
    written: bool
