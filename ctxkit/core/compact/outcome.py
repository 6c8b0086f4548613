"""The outcome of a compaction."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan
from ctxkit.core.compact.policy import Stage
from ctxkit.core.compact.prompt_cache import CacheRewrite
from ctxkit.core.compact.summary_writer import SummaryResult
from ctxkit.core.count.amount import ZERO, Amount
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import Store, store_content

OutcomeStatus = Literal["unchanged", "compacted", "refused"]


class StageReport(NamedTuple):
    """The effect of a stage: tokens before and after, and the reason why it was undone, empty if it was not."""

    stage: Stage
    before: int
    after: int
    undone: str = ""


class ContentToStore(NamedTuple):
    """Content to store; its ref is the SHA-256 of the bytes."""

    ref: str
    data: bytes
    tool: str = ""
    call: str = ""


class ConversationSize(NamedTuple):
    """The size of a conversation: tokens, messages that a model receives, and bytes."""

    amount: Amount = ZERO
    messages: int = 0
    size: int = 0


class CompactionOutcome(NamedTuple):
    """The outcome of a compaction; ``content`` contains the output bytes.

    ``result`` is "refused" if the conversation does not fit after every stage. ``reason`` explains an unchanged or
    refused conversation. ``origin`` maps each entry of ``conversation`` to its index in the original. ``storable`` is
    the original without the output of commands that must not be stored, if it had any.
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
    storable: Transcript | None = None


def store_removed(outcome: CompactionOutcome, store: Store, title: str, session: str = "") -> None:
    """Store the content that a compaction removed, with the title of its conversation."""
    for content in outcome.stored:
        store_content(store, (content.data,), Label(title, content.tool, content.call, session))
