"""Compact a conversation: run stage after stage, check each result and undo a stage that fails."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.reading.transcript import Transcript, parse_changed
from ctxkit.core.chat.validity.invariants import Breach, find_breaches, find_change_breaches
from ctxkit.core.chat.validity.repair import repair_conversation
from ctxkit.core.compact.change import (
    NoInsertionPoint,
    find_dropped,
    find_insertion_point,
    make_change,
    rebuild_transcript,
)
from ctxkit.core.compact.clear import OLD_RESULT, clear_results
from ctxkit.core.compact.outcome import CompactionOutcome, ContentToStore, ConversationSize, OutcomeStatus, StageReport
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, ConversationVersion, prepare_input
from ctxkit.core.compact.policy import MIN_PROGRESS, CacheRewrite, Stage, find_rewrite, is_worth_rewriting
from ctxkit.core.compact.services import EXTRACT, CompactionContext
from ctxkit.core.compact.summarize import FRAME_TOKENS, SummaryOrder, make_summary_input, summarize, write_summary
from ctxkit.core.compact.truncate import truncate
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.summary.frame import find_summary_page
from ctxkit.core.summary.page import build_record, collect_texts, extract

_MARK_FACTOR = 1.5
"""With it, the mark begins to rise where instructions take a third of the effective window."""
_MIN_ROOM, _RECORD_MARGIN, _MAX_RECORD_TRIES = 60, 16, 3
"""Tokens below the mark that are worth a record, tokens to leave free, and attempts to fit a record."""


def compact(
    conversation: CompactionInput, data: bytes, before: ConversationSize, context: CompactionContext, leaf: str
) -> CompactionOutcome:
    """Compact a conversation whose file content is ``data`` and whose size is ``before``."""
    context.on_begin(before.amount.tokens, before.messages)
    conversation, origin, repairs = _repair_input(conversation, leaf)
    conversation = _raise_mark(conversation)
    ref = shorten_ref(sha256(data).hexdigest()) if context.stores else ""
    lines = data.rstrip(b"\n").count(b"\n") + 1
    order = SummaryOrder(context.write, ref, context.prior_page, context.always_summarize, lines)
    version, reports = _run_stages(conversation, order, leaf)
    if version.draft.is_empty:
        return make_unchanged(conversation, data, before, reports)
    if version.size > conversation.policy.effective:
        return _make_refused(conversation, version, data, before, reports)
    version = _fill(conversation, version, leaf)
    version, reports = _keep_more(conversation, order, leaf, version, reports)
    outcome = _make_outcome(version, conversation, data, before, order)._replace(stage_reports=reports, origin=origin)
    if outcome.result == "compacted" and outcome.after.amount.tokens >= before.amount.tokens:
        return make_unchanged(conversation, data, before, reports)
    # An unchanged conversation keeps its bytes, so no repair is reported.
    return outcome._replace(repairs=repairs) if outcome.result == "compacted" else outcome


def _raise_mark(conversation: CompactionInput) -> CompactionInput:
    """Return the conversation with a low-water mark that leaves room beside long instructions, which always stay.

    The rest of the conversation gets the mark's share of what they leave free, less of it where they are shorter.
    """
    policy, fixed = conversation.policy, conversation.instruction_tokens
    share = policy.low_water * min(_MARK_FACTOR * fixed / max(policy.effective, 1), 1)
    mark = min(fixed + share * (policy.effective - fixed), policy.trigger_size - 1)
    if mark <= policy.goal:
        return conversation
    return conversation._replace(policy=policy._replace(low_water=mark / policy.effective))


def _repair_input(
    conversation: CompactionInput, leaf: str
) -> tuple[CompactionInput, tuple[int | None, ...], tuple[str, ...]]:
    """Return the repaired conversation, the original index of each of its entries, and the repairs."""
    transcript = conversation.transcript
    repair_result = repair_conversation(transcript, [record.at for record in conversation.path])
    if not repair_result.actions:
        return conversation, tuple(range(len(transcript.records))), ()
    data = transcript.encode(apply_change(transcript, repair_result.change))
    repaired_transcript = parse_changed(data, "the repaired conversation", transcript)
    repaired_input = prepare_input(repaired_transcript, conversation.token_counter, conversation.policy, leaf)
    return repaired_input, _find_origins(transcript, repair_result.change), repair_result.actions


def _find_origins(transcript: Transcript, change: Change) -> tuple[int | None, ...]:
    """Return the original index of each entry of a changed conversation, None for a new entry."""
    origins: list[int | None] = []
    for at in range(len(transcript.records) + 1):
        origins += [None] * len(change.inserted.get(at, ()))
        if at < len(transcript.records) and at not in change.dropped:
            origins.append(at)
    return tuple(origins)


def _run_stages(
    conversation: CompactionInput, order: SummaryOrder, leaf: str
) -> tuple[ConversationVersion, tuple[StageReport, ...]]:
    """Run the stages in order until the conversation reaches its goal.

    A stage that saves too little or breaks a rule is undone.
    """
    version = ConversationVersion(CompactionPlan(), conversation.transcript, conversation.total_tokens)
    known_breaches = Counter(
        _breach_keys(find_breaches(conversation.transcript, [record.at for record in conversation.path]))
    )
    reports: list[StageReport] = []
    is_forced_again = conversation.policy.force and bool(find_summary_page(conversation.path, conversation.prefixes))
    for stage in conversation.policy.stages:
        forced = conversation.policy.force and stage == "clear"
        target = _reserve_record(conversation, version.draft) if stage == "truncate" else conversation
        # What an earlier compaction left a little above the mark is not forced down again.
        slack = target.policy.drop_threshold - target.policy.goal if is_forced_again and stage != "clear" else 0
        if version.size <= target.policy.goal + slack and not forced:
            break
        plan = _run_stage(conversation, version.draft, stage, order)
        if plan == version.draft:
            continue
        candidate, undone = _check_stage(conversation, version, plan, known_breaches, leaf)
        reports.append(StageReport(stage, version.size, candidate.size, undone))
        version = version if undone else candidate
    return version, tuple(reports)


def _may_keep_more(conversation: CompactionInput, size: int) -> bool:
    """Return whether nobody chose how many messages stay, and there is room for more of them."""
    policy = conversation.policy
    is_chosen = policy.force or policy.is_in_loop or policy.last is not None or policy.recent is not None
    is_linear = not conversation.inactive  # what leads to entries that are not sent may not be left out in part
    return not is_chosen and is_linear and policy.goal - size > MIN_PROGRESS * policy.goal


def _keep_more(
    conversation: CompactionInput,
    order: SummaryOrder,
    leaf: str,
    version: ConversationVersion,
    reports: tuple[StageReport, ...],
) -> tuple[ConversationVersion, tuple[StageReport, ...]]:
    """Return the conversation with more of its messages if its summary says all of what it can and leaves room.

    The size of the summary is known then, and that of one that stands for fewer messages is no larger. No model is
    asked a second time.
    """
    policy, summary = conversation.policy, version.draft.summary
    if summary is None or summary.result.writer != EXTRACT or not _may_keep_more(conversation, version.size):
        return version, reports
    need = conversation.token_counter.count_text(summary.text) + FRAME_TOKENS
    stages = tuple(stage for stage in policy.stages if stage != "truncate")  # no message gives way to another one
    again = conversation._replace(policy=policy._replace(summary_need=need, stages=stages))
    extracting = order._replace(write=lambda given: summary.result._replace(page=extract(given)))
    larger, again_reports = _run_stages(again, extracting, leaf)
    larger = _fill(again, larger, leaf) if larger.size <= policy.goal else larger
    is_better = larger.draft.summary is not None and version.size < larger.size <= policy.goal
    return (larger, again_reports) if is_better else (version, reports)


def _run_stage(
    conversation: CompactionInput, plan: CompactionPlan, stage: Stage, order: SummaryOrder
) -> CompactionPlan:
    if stage == "clear":
        return clear_results(conversation, plan, stores=bool(order.ref))
    if stage == "summarize":
        return summarize(conversation, plan, order)
    return truncate(_reserve_record(conversation, plan), plan, stores=bool(order.ref))


def _reserve_record(conversation: CompactionInput, plan: CompactionPlan) -> CompactionInput:
    """Return the conversation with a lower target, so that the record below a summary gets its tokens."""
    policy = conversation.policy
    if plan.summary is None or not policy.record_reserve:
        return conversation
    low_water = max(policy.goal - policy.record_reserve, 0) / policy.effective
    return conversation._replace(policy=policy._replace(low_water=low_water))


def _check_stage(
    conversation: CompactionInput,
    version: ConversationVersion,
    plan: CompactionPlan,
    known_breaches: Counter[object],
    leaf: str,
) -> tuple[ConversationVersion, str]:
    """Return the conversation after a stage, and the reason to undo the stage, empty if it is valid."""
    try:
        changed = rebuild_transcript(conversation, make_change(conversation, plan))
        if not _is_complete(conversation, plan, changed):  # a summary may refer to kept entries by their index
            plan = plan._replace(drops_inactive=False)
            changed = rebuild_transcript(conversation, make_change(conversation, plan))
    except NoInsertionPoint:
        return version, "the API accepts the summary nowhere"
    size = conversation.token_counter.count_transcript(changed).amount.high
    if not _is_complete(conversation, plan, changed):
        return version, "the remaining messages would not be those that are sent"
    candidate = ConversationVersion(plan, changed, size)
    saved = version.size - size
    thresholds = (conversation.policy.effective, conversation.policy.drop_threshold)
    fits = any(size <= threshold < version.size for threshold in thresholds)
    min_progress = MIN_PROGRESS if conversation.policy.observations is None else 0
    if saved <= 0 or (saved < min_progress * version.size and not fits):
        return candidate, f"it saves less than {MIN_PROGRESS:.0%}"
    return candidate, _find_fault(conversation, changed, known_breaches, leaf)


def _find_fault(conversation: CompactionInput, changed: Transcript, known_breaches: Counter[object], leaf: str) -> str:
    """Return the first reason why a changed conversation is not valid, empty if it is valid."""
    if Counter(_breach_keys(find_breaches(changed))) - known_breaches:
        return f"it breaks a rule: {next(iter(find_breaches(changed))).message}"
    if lost := find_change_breaches(conversation.transcript, changed, leaf):
        return f"it breaks a rule: {lost[0].message}"
    if missing := [
        pin
        for pin in conversation.policy.pins
        if not _contains_text(changed, pin) and _contains_text(conversation.transcript, pin)
    ]:
        return f"a pinned text is missing: {missing[0][:60]}"
    return ""


def _fill(conversation: CompactionInput, version: ConversationVersion, leaf: str) -> ConversationVersion:
    """Return the conversation with what fits below the low-water mark: a record, and cleared results."""
    return _restore_results(conversation, _add_record(conversation, version, leaf), leaf)


def _add_record(conversation: CompactionInput, version: ConversationVersion, leaf: str) -> ConversationVersion:
    """Return the conversation with a record below its summary that uses the tokens left below the low-water mark.

    The conversation stays as it is if the result is larger than the mark or breaks a rule.
    """
    summary, goal = version.draft.summary, conversation.policy.limit_record(version.size)
    if summary is None or goal - version.size < _MIN_ROOM:
        return version
    kept_text = collect_texts([version.transcript.records[at] for at in find_active_path(version.transcript)])
    summary_input = make_summary_input(conversation, len(conversation.path), summary.earlier_page, goal)
    known_breaches = Counter(_breach_keys(find_breaches(version.transcript)))
    room = goal - version.size - _RECORD_MARGIN
    for _ in range(_MAX_RECORD_TRIES):
        record = build_record(summary_input, kept_text, room, conversation.token_counter.count_text)
        if not record:
            return version
        plan = version.draft._replace(summary=summary.with_record(record))
        changed = rebuild_transcript(conversation, make_change(conversation, plan))
        size = conversation.token_counter.count_transcript(changed).amount.high
        if size <= goal:
            fault = _find_fault(conversation, changed, known_breaches, leaf)
            return version if fault else ConversationVersion(plan, changed, size)
        room -= size - goal + _RECORD_MARGIN
    return version


def _keep_results(plan: CompactionPlan, room: int) -> CompactionPlan:
    """Return a plan that leaves as many of the newest old results whole as there is room for."""
    shortened = {at: dict(edits) for at, edits in plan.shortened.items()}
    for at in sorted(shortened.keys() - plan.dropped.keys(), reverse=True):
        for place, edit in list(shortened[at].items()):
            if edit.kind == "cleared" and edit.reason == OLD_RESULT and edit.gain + _RECORD_MARGIN <= room:
                del shortened[at][place]
                room -= edit.gain
    return plan._replace(shortened={at: edits for at, edits in shortened.items() if edits})


def _restore_results(conversation: CompactionInput, version: ConversationVersion, leaf: str) -> ConversationVersion:
    """Return the conversation with the newest cleared results whole again that fit below the low-water mark.

    A forced compaction clears all old results, and so restores none.
    """
    policy = conversation.policy
    room = policy.goal - version.size
    if policy.force or policy.observations is not None or room < _MIN_ROOM:
        return version
    plan = _keep_results(version.draft, room)
    if plan == version.draft or plan.is_empty:
        return version
    known_breaches = Counter(_breach_keys(find_breaches(version.transcript)))
    changed = rebuild_transcript(conversation, make_change(conversation, plan))
    size = conversation.token_counter.count_transcript(changed).amount.high
    is_sound = size <= policy.goal and not _find_fault(conversation, changed, known_breaches, leaf)
    return ConversationVersion(plan, changed, size) if is_sound else version


def _is_complete(conversation: CompactionInput, plan: CompactionPlan, changed: Transcript) -> bool:
    """Return whether the messages sent after a change are exactly the kept messages and the summary."""
    dropped = find_dropped(conversation, plan)
    point = find_insertion_point(conversation, dropped) if plan.summary else None
    kept_count = sum(record.at not in dropped for record in conversation.path)
    return len(find_active_path(changed)) == kept_count + bool(point and point.passage is None)


def _breach_keys(violations: Sequence[Breach]) -> list[object]:
    return [(breach.rule, breach.ids) for breach in violations]


def _contains_text(transcript: Transcript, pin: str) -> bool:
    """Return whether a text occurs verbatim in the messages that a model receives."""
    records = [transcript.records[at] for at in find_active_path(transcript)]
    texts = (part.text for record in records for message in record.messages for part in message.parts)
    heads = (part.text for entry in transcript.head for part in getattr(entry, "parts", ()))
    return any(pin in text for text in (*texts, *heads))


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


def _make_refused(
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


def _make_outcome(
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
