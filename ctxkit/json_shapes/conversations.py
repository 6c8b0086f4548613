"""Shapes of commands on conversations: count, compact, edit, session and snapshot."""

from typing import Literal, NotRequired, TypedDict

from ctxkit.json_shapes.content import Method


class CountedContent(TypedDict):
    """The tokens of a file, of stdin or of all; the numbers are null if ``--max`` stopped the count."""

    name: str
    tokens: int | None
    method: Method
    tokenizer: str
    low: int
    high: int | None
    bytes: int | None
    lines: int | None
    window: int | None
    percent: float | None
    format: str
    messages: int


class CountedRecord(TypedDict):
    """The tokens of a record of JSON lines; ``line`` is the number of the record, ``lines`` those of its text."""

    line: int
    tokens: int | None
    method: Method
    tokenizer: str
    low: int
    high: int | None
    bytes: int | None
    lines: int | None
    window: int | None
    percent: float | None
    format: str
    messages: int


class CountedMessage(TypedDict):
    """The tokens of a message; tools and the whole have the number 0."""

    file: str
    method: Method
    tokens: int
    message: int
    role: str
    name: str


class CountedComponent(TypedDict):
    """The tokens of a component of a conversation; the last is ``total``."""

    file: str
    method: Method
    tokens: int
    component: str


class CountedLine(TypedDict):
    """The tokens of a line."""

    file: str
    method: Method
    line: int
    tokens: int


class StageReport(TypedDict):
    """What a stage of a compaction did."""

    stage: str
    before: int
    after: int
    undone: str


class CacheRewrite(TypedDict):
    """The tokens of the prompt cache that stay, and those that are written again."""

    kept: int
    rewritten: int


class CompactionBudget(TypedDict):
    """The window of a compaction, in tokens."""

    window: int
    reserve: int
    effective: int
    trigger: int
    low_water: int


class RemovedMessages(TypedDict):
    """Messages that left, or a text that was shortened."""

    first: int
    last: int
    what: str
    reason: str
    tokens: int
    ref: str | None


class CompactionReport(TypedDict):
    """The report of a compaction."""

    result: Literal["compacted", "unchanged", "refused"]
    reason: str
    before_tokens: int
    after_tokens: int
    before_messages: int
    after_messages: int
    strategies_run: list[str]
    stages: list[StageReport]
    method: Method
    low: int
    high: int
    beside: int
    bytes: int
    first_changed: int
    cache: CacheRewrite
    left: dict[str, int]
    cleared: int
    truncated: int
    repairs: list[str]
    pins: int
    budget: CompactionBudget
    ref: NotRequired[str]
    summarizer: NotRequired[str]
    fell_back: NotRequired[bool]
    bullets_dropped: NotRequired[dict[str, int]]
    redacted: NotRequired[int]
    context_md: NotRequired[bool]
    explanation: NotRequired[list[RemovedMessages]]


class BrokenRule(TypedDict):
    """A rule of an API that a conversation breaks."""

    rule: str
    at: int
    line: int
    ids: list[str]
    message: str


MessageRange = TypedDict(
    "MessageRange",
    {
        "from": int,
        "to": int,
        "what": str,
        "tokens": int,
        "method": Method,
        "calls": int,
        "stays": bool,
        "title": str,
    },
)
"""A range of messages."""


class SuggestedRange(MessageRange):
    """A range of messages that may be removed."""

    age: int
    mentions: int


class ConversationTotal(TypedDict):
    """The last object of a list: the whole conversation."""

    total: Literal[True]
    messages: int
    tokens: int
    method: Method
    beside: int
    format: str


RemovedRange = TypedDict(
    "RemovedRange",
    {
        "from": int,
        "to": int,
        "removed": int,
        "before": int,
        "after": int,
        "method": Method,
        "ref": str | None,
        "freed": NotRequired[int],
        "dry_run": NotRequired[Literal[True]],
        "content": NotRequired[str],
        "content_base64": NotRequired[str],
    },
)
"""The result of an edit; ``content`` is missing with ``--dry-run`` and ``--in-place``."""
RestoredRange = TypedDict(
    "RestoredRange",
    {
        "from": int,
        "to": int,
        "restored": int,
        "tokens": int,
        "ref": str,
        "content": NotRequired[str],
        "content_base64": NotRequired[str],
    },
)
"""The edit that was undone; ``content`` is missing with ``--in-place``."""


class SessionState(TypedDict):
    """The state of a session: counts in tokens, times in seconds since 1970."""

    session: str
    model: str | None
    window: int
    reserve: int
    used: int
    held: int
    available: int
    estimated: int
    items: int
    gatings: int
    compactions: int
    edits: int
    tight: bool
    blocked: bool
    due: bool
    created: float
    updated: float
    assumed: NotRequired[bool]


class AppendedMessages(TypedDict):
    """Messages that were added to a history; tokens and method are null if they were not counted."""

    session: str
    added: int
    first: int
    lines: int
    bytes: int
    tokens: int | None
    method: Method | None


class HistoryEntry(TypedDict):
    """A line of a history; ``entry`` is the message as it was added."""

    line: int
    added: float | None
    entry: object


class SnapshotFacts(TypedDict):
    """A snapshot without its content."""

    session: str
    number: int
    format: str
    messages: int
    tokens: int
    method: Method
    covers: int
    created: float


ResumedConversation = TypedDict(
    "ResumedConversation",
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


class MessageChange(TypedDict):
    """A message that differs between two conversations."""

    change: Literal["removed", "added", "changed"]
    role: str
    before: int | None
    after: int | None
    before_text: str | None
    after_text: str | None


ConversationDifference = TypedDict(
    "ConversationDifference", {"from": str, "to": str, "kept": int, "changes": list[MessageChange]}
)
"""The difference of two conversations."""


class ProposedLine(TypedDict):
    """A line that is proposed for the memory."""

    text: str
    section: str
    sessions: list[str]
    original: str | None


class Promotion(TypedDict):
    """The lines that are proposed for the memory of a directory."""

    directory: str
    summaries: int
    file: str
    proposals: list[ProposedLine]
    written: bool
