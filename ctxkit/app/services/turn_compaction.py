"""Compact the conversation of a session for its next turn, and record the compaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import compaction, session_log, sessions
from ctxkit.core.turn.steps import raise_share
from ctxkit.edge import say

if TYPE_CHECKING:
    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.compact.services import TokenCounter
    from ctxkit.core.count.amount import CountOptions
    from ctxkit.core.session.history import HistoryExtent
    from ctxkit.core.turn.steps import TurnStep
    from ctxkit.edge.prompt_options import TurnOptions
    from ctxkit.edge.request import Call


class StepTerms(NamedTuple):
    """What all steps of a turn have in common: its call, its options, and how it counts tokens."""

    call: Call
    turn_options: TurnOptions
    count_options: CountOptions
    counter: TokenCounter


def compact_for_turn(
    step: TurnStep, transcript: Transcript, terms: StepTerms, overhead: int, extent: HistoryExtent
) -> Transcript | None:
    """Return the conversation after a step, with a snapshot of it saved; None if the step changes nothing.

    ``overhead`` counts the tokens of the request around the conversation. If the step fails, warn and return None.
    """
    try:
        outcome = compact_for_step(step, transcript, terms, overhead)
    except Exception as error:
        if terms.call.is_strict:
            raise
        from ctxkit.edge.compaction_report import describe_error

        say.warn(f"the conversation is not compacted: {describe_error(error)}")
        return None
    if outcome is None:
        return None
    _record(outcome, terms, extent)
    return outcome.transcript


def compact_for_step(
    step: TurnStep, transcript: Transcript, terms: StepTerms, overhead: int, fixed: int = 0
) -> CompactionOutcome | None:
    """Return the outcome of a step, which is not recorded in the session; None if the step changes nothing.

    ``overhead`` counts the tokens of the request around the conversation, ``fixed`` those of the prompt and the tools
    within it, which no step changes.
    """
    request, settings = terms.call
    policy = _make_policy(step, transcript, terms, overhead, fixed)
    policy = _keep_rules(policy, transcript)
    policy = sessions.apply_marks(policy, transcript, request.session or "", settings)
    outcome = _compact(transcript, policy, terms)
    return outcome if outcome.result == "compacted" and outcome.transcript is not None else None


def _make_policy(
    step: TurnStep, transcript: Transcript, terms: StepTerms, overhead: int, fixed: int
) -> CompactionPolicy:
    """Return the policy of a step; a compaction that is due for another reason starts at the size that there is.

    Each compaction costs the prompt cache of the provider.
    """
    from ctxkit.edge.compact_options import CompactOptions

    options = CompactOptions(pins=terms.turn_options.pins, force=step == "force")
    if step == "prune":
        options = options._replace(trigger=terms.turn_options.prune, stages="clear")
    policy = options.make_policy(terms.call)._replace(overhead=overhead, is_in_loop=True, fixed=fixed)
    trigger, low_water = (raise_share(share, fixed, policy.effective) for share in (policy.trigger, policy.low_water))
    policy = policy._replace(trigger=trigger, low_water=low_water, block=max(policy.block, trigger))
    size = terms.counter.count_transcript(transcript).amount.high
    if policy.trigger_size > size:
        policy = policy._replace(trigger=(size + overhead) / max(policy.window - policy.reserve, 1))
    return policy


def _keep_rules(policy: CompactionPolicy, transcript: Transcript) -> CompactionPolicy:
    """Return the policy that keeps the user's standing rules, in a sixteenth of the window at most."""
    from ctxkit.core.turn.steps import find_standing_rules

    rules = find_standing_rules(transcript, policy.effective // 4)
    return policy._replace(pins=tuple(dict.fromkeys((*policy.pins, *rules))))


def _compact(transcript: Transcript, policy: CompactionPolicy, terms: StepTerms) -> CompactionOutcome:
    """Return the outcome of a compaction whose removed content is stored."""
    from ctxkit.edge.compaction_report import CompactionLog

    call, session = terms.call, terms.call.request.session
    services = compaction.compaction_services(call, terms.turn_options.summarizer)
    log = CompactionLog(call.events_file, f"session {session}", call.describe())
    outcome = compaction.compact_transcript(transcript, policy, terms.counter, services, log)
    compaction.store_removed(outcome, services, f"conversation {session}", session or "")
    if outcome.result == "compacted":
        from ctxkit.core.compact.outcome import build_report
        from ctxkit.core.count.conversation import method_of

        log.record_end(outcome, build_report(outcome, policy, method_of(outcome.after.amount, terms.count_options)))
    return outcome


def _record(outcome: CompactionOutcome, terms: StepTerms, extent: HistoryExtent) -> None:
    """Save the snapshot of a compaction; it stands for the history up to ``extent``."""
    from ctxkit.core.count.conversation import method_of
    from ctxkit.core.session.history import Snapshot

    assert outcome.transcript is not None
    request, settings = terms.call
    after, form = outcome.after, outcome.transcript.format.NAME
    method = method_of(after.amount, terms.count_options)
    session_log.record_compaction(
        settings,
        Snapshot(request.session or "", outcome.content, form, after.messages, after.amount.tokens, method, extent),
    )
