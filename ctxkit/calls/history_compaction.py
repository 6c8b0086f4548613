"""Compact the conversation of a session for a model that calls compact_context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit import compaction_wiring, session_wiring
from ctxkit.core.store.label import Label

if TYPE_CHECKING:
    from ctxkit.calls.call_context import CallContext
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.edit.numbered_conversation import NumberedConversation
    from ctxkit.core.store.store_interface import Store


def compact_history(conversation: NumberedConversation, name: str, context: CallContext) -> CompactionOutcome:
    """Return the outcome of a compaction by force, whose removed content is stored."""
    from ctxkit.core.compact.context import CompactionContext
    from ctxkit.core.compact.report import build_report
    from ctxkit.core.compact.token_counter import TokenCounter
    from ctxkit.core.compact.trigger import compact_if_due
    from ctxkit.edge.compaction_report import CompactionLog

    request, settings = context.request, context.settings
    transcript, order = conversation.transcript, conversation.order
    policy = _make_compaction_policy(conversation, name, context)
    services = compaction_wiring.compaction_services(settings, request, None)
    provider = "" if order.is_named else transcript.format.PROVIDER
    counter = TokenCounter(order.vocabulary, order.count, order.model, provider)
    log = CompactionLog(context.events_file, f"session {name}", request.describe_call(settings))
    compaction_context = CompactionContext(
        counter,
        services.write,
        services.store is not None,
        is_unstored=services.is_unstored,
        on_begin=log.record_start,
    )
    data = transcript.encode(transcript.text)
    outcome = compact_if_due(transcript, data, policy, compaction_context)
    if outcome.result == "compacted" and services.store is not None:
        _store_removed(outcome, services.store(), name)
    log.record_end(outcome, build_report(outcome, policy, conversation.get_method(outcome.after.amount)))
    return outcome


def _make_compaction_policy(
    conversation: NumberedConversation, name: str, context: CallContext
) -> CompactionPolicy:
    """Return the policy of a compaction by force, which keeps room for what the session has beside the messages."""
    from ctxkit.edge.compact_options import CompactOptions

    policy = CompactOptions(force=True).make_policy(context.request, context.settings)
    overhead = context.reservation.session.used - conversation.total.tokens if context.reservation else 0
    policy = policy._replace(overhead=min(max(overhead, 0), (policy.window - policy.reserve) // 2))
    return session_wiring.apply_marks(policy, conversation.transcript, name, context.settings)


def _store_removed(outcome: CompactionOutcome, store: Store, name: str) -> None:
    """Store the content that a compaction removed from the history of a session."""
    from ctxkit.core.store.store_content import store_content

    for removal in outcome.stored:
        store_content(store, (removal.data,), Label(f"session {name}", removal.tool, removal.call, name))
