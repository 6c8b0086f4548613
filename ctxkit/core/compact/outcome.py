"""The outcome of a compaction, and its report, as a JSON object and as lines of text."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan
from ctxkit.core.compact.policy import CacheRewrite, CompactionPolicy, Stage
from ctxkit.core.compact.services import SummaryResult
from ctxkit.core.count.amount import ZERO, Amount
from ctxkit.core.store.label import Label, shorten_ref
from ctxkit.core.store.store_interface import Store, store_content
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.tokens.budget import threshold_of

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


MAX_REPAIRS = 10
"""Maximum number of repairs in the lines of text; the JSON object lists all."""


def build_report(outcome: CompactionOutcome, policy: CompactionPolicy, method: str) -> dict[str, JsonValue]:
    """Return the report as a JSON object, with the field names of the specification."""
    amount = outcome.after.amount
    drop_counts = Counter(outcome.dropped.values())
    edits = Counter(edit.kind for _, edit in outcome.plan.edits())
    report: dict[str, JsonValue] = {
        "result": outcome.result,
        "reason": outcome.reason,
        "before_tokens": outcome.before.amount.tokens,
        "after_tokens": amount.tokens,
        "before_messages": outcome.before.messages,
        "after_messages": outcome.after.messages,
        "strategies_run": [run.stage for run in outcome.stage_reports if not run.undone],
        "stages": [run._asdict() for run in outcome.stage_reports],
        "method": method,
        "low": amount.low,
        "high": amount.high,
        "beside": outcome.overhead,
        "bytes": outcome.after.size,
        "first_changed": outcome.rewrite.first,
        "cache": {"kept": outcome.rewrite.kept_tokens, "rewritten": outcome.rewrite.written_tokens},
        "left": dict(drop_counts),
        "cleared": edits["cleared"],
        "truncated": edits["truncated"],
        "repairs": list(outcome.repairs),
        "pins": len(policy.pins),
        "budget": _describe_budget(policy),
    }
    if outcome.stored:
        report["ref"] = shorten_ref(outcome.stored[0].ref)
    if outcome.summary is not None:
        summary = outcome.summary
        report["summarizer"] = summary.writer
        report["fell_back"] = summary.fell_back
        report["bullets_dropped"] = dict(summary.dropped)
    return report


def _describe_budget(policy: CompactionPolicy) -> dict[str, int]:
    effective = policy.window - policy.reserve
    return {
        "window": policy.window,
        "reserve": policy.reserve,
        "effective": effective,
        "trigger": threshold_of(policy.trigger, effective),
        "low_water": int(policy.low_water * effective),
    }


def report_lines(outcome: CompactionOutcome, report: dict[str, JsonValue]) -> Iterator[str]:
    """Yield the report as lines of text."""
    before, after = report["before_tokens"], report["after_tokens"]
    if outcome.result != "compacted":
        yield f"not compacted: {outcome.reason} ({before:,} tokens in {pluralize(outcome.before.messages, 'message')})"
    else:
        share = f"{1 - after / before:.0%} less" if before else ""
        yield (
            f"compacted from {before:,} to {after:,} tokens ({share}), "
            f"from {outcome.before.messages:,} to {pluralize(outcome.after.messages, 'message')}"
        )
    for run in outcome.stage_reports:
        what = f"undone: {run.undone}" if run.undone else f"{run.before - run.after:,} tokens saved"
        yield f"  {run.stage}: {what}"
    if outcome.repairs:
        yield from (f"  repaired: {what}" for what in outcome.repairs[:MAX_REPAIRS])
        if (more := len(outcome.repairs) - MAX_REPAIRS) > 0:
            yield f"  repaired: {more:,} more; --json lists all"
    if outcome.result != "compacted":
        return
    if "summarizer" in report:
        dropped = sum(report["bullets_dropped"].values())
        yield f"  summarizer: {report['summarizer']}" + (f", {pluralize(dropped, 'bullet')} dropped" if dropped else "")
    rewrite = outcome.rewrite
    written = f"{rewrite.written_tokens:,} tokens are rewritten"
    yield f"  prompt cache: message {rewrite.first} is the first change; {written}"
    if outcome.stored:
        yield f"  original conversation: ctxkit cache get {shorten_ref(outcome.stored[0].ref)}"


def report_table(outcome: CompactionOutcome, report: dict[str, JsonValue]) -> Iterator[str]:
    """Yield the report of a compaction as the rows of a table, for a terminal."""
    before, after = report["before_tokens"], report["after_tokens"]
    sizes = (
        ("", "before", "after"),
        ("tokens", f"{before:,}", f"{after:,}"),
        ("messages", f"{outcome.before.messages:,}", f"{outcome.after.messages:,}"),
        ("bytes", f"{outcome.before.size:,}", f"{outcome.after.size:,}"),
        *(
            (run.stage, f"{run.before:,}", "undone" if run.undone else f"{run.after:,}")
            for run in outcome.stage_reports
        ),
    )
    widths = [max(len(row[column]) for row in sizes) for column in range(3)]
    for name, first, second in sizes:
        yield f"{name:<{widths[0]}}  {first:>{widths[1]}}  {second:>{widths[2]}}"
    yield from list(report_lines(outcome, report))[1 + len(outcome.stage_reports) :]
