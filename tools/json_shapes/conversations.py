"""Shapes of commands on conversations: count, compact and edit."""

from typing import Literal, NotRequired, TypedDict

from tools.json_shapes.content import Method


class CountedContentShape(TypedDict):
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
    doubt: str | None


class CountedRecordShape(TypedDict):
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
    doubt: str | None


class CountedMessageShape(TypedDict):
    """The tokens of a message; tools and the whole have the number 0."""

    file: str
    method: Method
    tokens: int
    message: int
    role: str
    name: str


class CountedComponentShape(TypedDict):
    """The tokens of a component of a conversation; the last is ``total``."""

    file: str
    method: Method
    tokens: int
    component: str


class CountedLineShape(TypedDict):
    """The tokens of a line."""

    file: str
    method: Method
    line: int
    tokens: int


class StageReportShape(TypedDict):
    """What a stage of a compaction did."""

    stage: str
    before: int
    after: int
    undone: str


class CacheRewriteShape(TypedDict):
    """The tokens of the prompt cache that stay, and those that are written again."""

    kept: int
    rewritten: int


class CompactionBudgetShape(TypedDict):
    """The window of a compaction, in tokens."""

    window: int
    reserve: int
    effective: int
    trigger: int
    low_water: int


class RemovedMessagesShape(TypedDict):
    """Messages that left, or a text that was shortened."""

    first: int
    last: int
    what: str
    reason: str
    tokens: int
    ref: str | None


class CompactionReportShape(TypedDict):
    """The report of a compaction."""

    result: Literal["compacted", "unchanged", "refused"]
    reason: str
    before_tokens: int
    after_tokens: int
    before_messages: int
    after_messages: int
    strategies_run: list[str]
    stages: list[StageReportShape]
    method: Method
    low: int
    high: int
    beside: int
    bytes: int
    first_changed: int
    cache: CacheRewriteShape
    left: dict[str, int]
    cleared: int
    truncated: int
    repairs: list[str]
    pins: int
    budget: CompactionBudgetShape
    ref: NotRequired[str]
    summarizer: NotRequired[str]
    fell_back: NotRequired[bool]
    bullets_dropped: NotRequired[dict[str, int]]
    redacted: NotRequired[int]
    context_md: NotRequired[bool]
    explanation: NotRequired[list[RemovedMessagesShape]]


class BrokenRuleShape(TypedDict):
    """A rule of an API that a conversation breaks."""

    rule: str
    at: int
    line: int
    ids: list[str]
    message: str


MessageRangeShape = TypedDict(
    "MessageRangeShape",
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


class SuggestedRangeShape(MessageRangeShape):
    """A range of messages that may be removed."""

    age: int
    mentions: int


class ConversationTotalShape(TypedDict):
    """The last object of a list: the whole conversation."""

    total: Literal[True]
    messages: int
    tokens: int
    method: Method
    beside: int
    format: str


RemovedRangeShape = TypedDict(
    "RemovedRangeShape",
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
RestoredRangeShape = TypedDict(
    "RestoredRangeShape",
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
