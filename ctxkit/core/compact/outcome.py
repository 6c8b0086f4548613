"""What came of a compaction."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan
from ctxkit.core.compact.policy import Stage
from ctxkit.core.compact.prompt_cache import CacheRewrite
from ctxkit.core.compact.summary_writer import SummaryResult
from ctxkit.core.count.amount import ZERO, Amount

OutcomeStatus = Literal["unchanged", "compacted", "refused"]


class StageReport(NamedTuple):
    """Say what a stage did: tokens before and after it, and why it was undone, empty where it was not."""

    stage: Stage
    before: int
    after: int
    undone: str = ""


class ContentToStore(NamedTuple):
    """Hold content to be stored: its ref is the SHA-256 of the bytes."""

    ref: str
    data: bytes
    tool: str = ""
    call: str = ""


class ConversationSize(NamedTuple):
    """Hold what a conversation takes, and how many messages a model reads of it."""

    amount: Amount = ZERO
    messages: int = 0
    size: int = 0


class CompactionOutcome(NamedTuple):
    """Say what came of a compaction; ``content`` are the bytes that go out.

    ``result`` is refused where the conversation does not fit, whatever is done. ``reason`` says why nothing was
    changed, or why it does not fit. ``origin`` gives the place in the original of each entry that ``conversation`` has.
    """

    result: OutcomeStatus
    content: bytes
    reason: str
    before: ConversationSize
    after: ConversationSize
    conversation: CompactionInput | None = None
    plan: CompactionPlan = CompactionPlan()
    stage_reports: tuple[StageReport, ...] = ()
    dropped: Mapping[int, str] = {}
    transcript: Transcript | None = None
    origin: tuple[int | None, ...] = ()
    repairs: tuple[str, ...] = ()
    summary: SummaryResult | None = None
    rewrite: CacheRewrite = CacheRewrite()
    stored: tuple[ContentToStore, ...] = ()
    overhead: int = 0
