"""Build the outcome of a compaction from the last version of the conversation."""

from collections.abc import Sequence
from hashlib import sha256

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.compact.change import find_dropped
from ctxkit.core.compact.outcome import CompactionOutcome, ContentToStore, ConversationSize, OutcomeStatus, StageReport
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, ConversationVersion
from ctxkit.core.compact.prompt_cache import CacheRewrite, find_rewrite, is_worth_rewriting
from ctxkit.core.compact.summarize import SummaryOrder, write_summary


def make_unchanged(
    conversation: CompactionInput, data: bytes, before: ConversationSize, reports: tuple[StageReport, ...]
) -> CompactionOutcome:
    """Return the outcome of a compaction that saves nothing: "refused" if the conversation does not fit as it is."""
    small = conversation.total_tokens <= conversation.policy.effective
    reason = "it would save nothing" if small else _explain_misfit(conversation, conversation.total_tokens, reports)
    result: OutcomeStatus = "unchanged" if small else "refused"
    return CompactionOutcome(
        result, data, reason, before, before, conversation, stage_reports=reports, overhead=conversation.policy.overhead
    )


def make_refused(
    conversation: CompactionInput,
    version: ConversationVersion,
    data: bytes,
    before: ConversationSize,
    reports: tuple[StageReport, ...],
) -> CompactionOutcome:
    """Return the outcome of a compaction after which the conversation does not fit."""
    reason = _explain_misfit(conversation, version.size, reports)
    return CompactionOutcome(
        "refused",
        data,
        reason,
        before,
        before,
        conversation,
        stage_reports=reports,
        overhead=conversation.policy.overhead,
    )


def _explain_misfit(conversation: CompactionInput, min_tokens: int, reports: Sequence[StageReport]) -> str:
    """Return the reason why a conversation does not fit in its window."""
    policy = conversation.policy
    system = conversation.fixed_tokens + sum(
        conversation.token_counter.count_record(record) for record in conversation.path if record.role == "system"
    )
    room = f"the effective window is {policy.effective:,}"
    if system > policy.effective:
        return f"system messages and tools alone take {system:,} tokens, and {room}"
    if undone := _find_missing_stage(reports, policy.effective):
        return f"{min_tokens:,} tokens remain because {undone.stage} is undone ({undone.undone}), and {room}"
    if "truncate" not in policy.stages:
        return f"{min_tokens:,} tokens remain after {' and '.join(policy.stages)}, and {room}"
    least = min([min_tokens, *(report.after for report in reports)])
    rest = f"the newest messages and the summary of the others {max(least - system, 0):,}"
    return f"what always stays takes {least:,} tokens (system messages and tools {system:,}, {rest}), and {room}"


def _find_missing_stage(reports: Sequence[StageReport], effective: int) -> StageReport | None:
    """Return the last undone stage with which the conversation would fit, or whose result is unknown."""
    undone = [report for report in reports if report.undone]
    return next((report for report in reversed(undone) if not effective < report.after < report.before), None)


def make_outcome(
    version: ConversationVersion,
    conversation: CompactionInput,
    data: bytes,
    before: ConversationSize,
    order: SummaryOrder,
) -> CompactionOutcome:
    """Return the outcome of a compaction that fits, or "unchanged" if rewriting the prompt cache does not pay."""
    rewrite = _find_rewrite(version, conversation)
    if not _is_due_or_worthwhile(version, conversation, rewrite):
        turns = conversation.policy.turns
        reason = f"rewriting {rewrite.written_tokens:,} cached tokens does not pay over {turns} turns"
        return CompactionOutcome(
            *("unchanged", data, reason, before, before, conversation),
            rewrite=rewrite,
            overhead=conversation.policy.overhead,
        )
    changed, plan, summary = version.transcript, version.draft, version.draft.summary
    if summary is None and order.always:
        summary = write_summary(conversation, 0, 0, order)
    content = changed.encode(changed.text)
    amount = conversation.token_counter.count_transcript(changed).amount
    after = ConversationSize(amount, len(find_active_path(changed)), len(content))
    return CompactionOutcome(
        *("compacted", content, "", before, after, conversation, plan),
        dropped=find_dropped(conversation, plan),
        transcript=changed,
        summary=summary.result if summary else None,
        rewrite=rewrite,
        stored=_collect_stored(data, plan) if order.ref else (),
        overhead=conversation.policy.overhead,
    )


def _find_rewrite(version: ConversationVersion, conversation: CompactionInput) -> CacheRewrite:
    """Return the first message that differs between a conversation and its version."""
    changed = version.transcript
    places = find_active_path(changed)
    return find_rewrite(
        (conversation.transcript.get_raw(record) for record in conversation.path),
        (changed.get_raw(changed.records[at]) for at in places),
        [conversation.token_counter.count_record(changed.records[at]) for at in places],
        version.size,
        conversation.fixed_tokens,
    )


def _is_due_or_worthwhile(version: ConversationVersion, conversation: CompactionInput, rewrite: CacheRewrite) -> bool:
    """Return whether the conversation must be compacted, or saves more than rewriting the prompt cache costs."""
    policy, total = conversation.policy, conversation.total_tokens
    return policy.force or total >= policy.block_size or is_worth_rewriting(total, version.size, rewrite, policy)


def _collect_stored(data: bytes, plan: CompactionPlan) -> tuple[ContentToStore, ...]:
    """Return the content to store: the original conversation and each text that was shortened."""
    texts = {edit.ref: ContentToStore(edit.ref, edit.stored, edit.tool, edit.call) for _, edit in plan.edits()}
    digest = sha256(data).hexdigest()
    return (ContentToStore(digest, data), *(content for ref, content in texts.items() if ref != digest))
