"""Compact the conversation of a session for a model that calls compact_context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.app.services import compaction, sessions

if TYPE_CHECKING:
    from ctxkit.app.calls.conditions import CallContext
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.edit.numbered_conversation import NumberedConversation


def compact_history(conversation: NumberedConversation, name: str, context: CallContext) -> CompactionOutcome:
    """Return the outcome of a compaction by force, whose removed content is stored."""
    from ctxkit.core.compact.report import build_report
    from ctxkit.core.compact.token_counter import make_token_counter
    from ctxkit.edge.compaction_report import CompactionLog

    call, transcript = context.call, conversation.transcript
    policy = _make_policy(conversation, name, context)
    services = compaction.compaction_services(call, None)
    counter = make_token_counter(conversation.order, transcript.format)
    title = f"session {name}"
    log = CompactionLog(call.events_file, title, call.describe())
    outcome = compaction.compact_transcript(transcript, policy, counter, services, log)
    compaction.store_removed(outcome, services, title, name)
    log.record_end(outcome, build_report(outcome, policy, conversation.get_method(outcome.after.amount)))
    return outcome


def _make_policy(conversation: NumberedConversation, name: str, context: CallContext) -> CompactionPolicy:
    """Return the policy of a compaction by force, which keeps room for what the session has beside the messages."""
    from ctxkit.edge.compact_options import CompactOptions

    policy = CompactOptions(force=True).make_policy(context.call)
    overhead = context.reservation.session.used - conversation.total.tokens if context.reservation else 0
    policy = policy._replace(overhead=min(max(overhead, 0), (policy.window - policy.reserve) // 2))
    return sessions.apply_marks(policy, conversation.transcript, name, context.settings)
