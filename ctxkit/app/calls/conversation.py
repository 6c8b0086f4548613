"""Answer compact_context, list_context and edit_context: the conversation of a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import compaction, engines, session_log, sessions, stores
from ctxkit.app.services.engines import parse_script
from ctxkit.core.edit import context_items
from ctxkit.core.edit.edit import EditOutcome, MessageEdit, edit_conversation
from ctxkit.core.edit.numbered_conversation import NumberedConversation, number_messages
from ctxkit.core.errors import CtxkitError
from ctxkit.core.session.history import HistoryExtent, MarkedMessages, Snapshot, group_marks
from ctxkit.core.store.label import Label
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.quantity import PositionRange, pluralize
from ctxkit.core.tools.builtin import CallError, CallResult, make_text_result
from ctxkit.edge import bypass, conversations
from ctxkit.edge.editing import outcome_object

if TYPE_CHECKING:
    from ctxkit.app.calls.functions import CallContext
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.edit.numbered_conversation import MessageRange

_READS = 5
"""Maximum number of reads of a history to which others append meanwhile."""
_LEAST_LIST = 400
"""Tokens that a list of items may take even if the window is full."""


class SessionConversation(NamedTuple):
    """The conversation of a session, the extent of the history that it stands for, and its marks."""

    name: str
    conversation: NumberedConversation
    extent: HistoryExtent
    marked: MarkedMessages


def list_context(_arguments: Mapping[str, JsonValue], context: CallContext) -> CallResult:
    """Return the items of the conversation with their tokens; of a long list, as many as fit."""
    _, conversation, _, marked = _read_conversation(context)
    rows = context_items.list_items(conversation)
    text = context_items.format_items(conversation, rows, marked)
    budget = context.request.budget(context.settings)
    most, shown = max(budget.briefing_target(), _LEAST_LIST), len(rows)
    while conversation.order.count(text) > most and shown > 1:
        shown = shown * 3 // 4
        listed = context_items.format_items(conversation, rows[:shown], marked)
        text = f"{listed}\nItems {rows[shown].first} to {rows[-1].last} are not listed."
    items = context_items.describe_rows(conversation, rows[:shown], marked)
    return make_text_result(text, {"items": items, "tokens": conversation.total.tokens})


def edit_context(arguments: Mapping[str, JsonValue], context: CallContext) -> CallResult:
    """Edit the conversation as an action says."""
    action = arguments["action"]
    if action == "list_items":
        return list_context({}, context)
    session_conversation = _read_conversation(context)
    items = context_items.read_range(session_conversation.conversation, arguments)
    if action in ("mark_removable", "keep_range"):
        return _mark_items(action, items, session_conversation, context)
    return _edit_items(items, _read_summary(arguments), session_conversation, context)


def _read_summary(arguments: Mapping[str, JsonValue]) -> str | None:
    """Return the summary that replaces items, None to remove them."""
    if arguments["action"] == "remove_range":
        return None
    summary = str(arguments.get("summary", ""))
    if not summary.strip():
        raise CallError("summarize_range needs a summary", hint="send the text that replaces the items as summary")
    return summary


def _mark_items(
    action: str, items: MessageRange, session_conversation: SessionConversation, context: CallContext
) -> CallResult:
    name, conversation, _, _ = session_conversation
    digests = context_items.digest_items(conversation, items)
    sessions.context_marks(context.settings).set_mark(
        name, digests, "keep" if action == "keep_range" else "removable"
    )
    effect = "are kept" if action == "keep_range" else "may be removed when space is short"
    tokens = conversation.sum_cost(*items).tokens
    return make_text_result(f"Items {items[0]}-{items[1]} ({pluralize(tokens, 'token')}) {effect}.", {"tokens": tokens})


def _edit_items(
    items: MessageRange, text: str | None, session_conversation: SessionConversation, context: CallContext
) -> CallResult:
    """Remove items, or replace them by a summary, and record that in the session."""
    name, conversation, extent, marked = session_conversation
    context_items.check_call(conversation, items)
    items = context_items.choose_items(conversation, items, marked, replaced=text is not None)
    outcome = _apply_edit(conversation, items, text, name, context)
    method = conversation.get_method(outcome.after)
    snapshot = Snapshot(
        name, outcome.data, conversation.transcript.format.NAME, outcome.messages, outcome.after.tokens, method, extent
    )
    saved = outcome.before.tokens - outcome.after.tokens
    _record(snapshot, saved, context, sessions.ledger(context.settings).record_edit)
    done = "Removed" if text is None else "Summarized"
    numbers = " The items behind them have new numbers: list_items shows them." if outcome.fewer else ""
    sentence = f"{outcome.before.tokens:,} tokens are now {outcome.after.tokens:,}."
    facts = {"before_tokens": outcome.before.tokens, "after_tokens": outcome.after.tokens}
    result = make_text_result(f"{done} items {items[0]}-{items[1]}: {sentence}{numbers}", facts)
    edit = {"name": f"session {name}", **outcome_object(outcome, method), **facts, "method": method}
    return result._replace(ref=outcome.ref, events=(("context_edit", edit),))


def compact_context(_arguments: Mapping[str, JsonValue], context: CallContext) -> CallResult:
    """Remove what is marked as removable, then compact the conversation."""
    name, conversation, extent, marked = _read_conversation(context)
    before, messages = conversation.total.tokens, len(conversation.path)
    conversation, removed = _remove_marked(conversation, marked, name, context)
    outcome = compact_history(conversation, name, context)
    if outcome.result == "refused":
        raise CallError(
            f"the conversation cannot be compacted: {outcome.reason}", hint="remove items with edit_context"
        )
    assert outcome.transcript is not None or outcome.result == "unchanged"
    after, data, form = outcome.after, outcome.content, conversation.transcript.format.NAME
    strategies = [*removed, *(run.stage for run in outcome.stage_reports if not run.undone)]
    if outcome.result == "compacted" or removed:
        method = conversation.get_method(after.amount)
        snapshot = Snapshot(name, data, form, after.messages, after.amount.tokens, method, extent)
        saved = before - after.amount.tokens
        _record(snapshot, saved, context, sessions.ledger(context.settings).record_compaction)
        session_log.unpin_tools(context.settings, name)
    facts = {
        "before_tokens": before,
        "after_tokens": after.amount.tokens,
        "before_messages": messages,
        "after_messages": after.messages,
        "strategies_run": strategies,
    }
    ref = outcome.stored[0].ref if outcome.stored else ""
    return make_text_result(_describe_compaction(facts, outcome.reason), facts)._replace(ref=ref)


def _describe_compaction(facts: Mapping[str, JsonValue], reason: str) -> str:
    sizes = (
        f"{facts['before_tokens']:,} tokens in {pluralize(facts['before_messages'], 'message')} before, "
        f"{facts['after_tokens']:,} tokens in {pluralize(facts['after_messages'], 'message')} after"
    )
    if not facts["strategies_run"]:
        return f"Nothing was compacted{f', because {reason}' if reason else ''}: {sizes}. Strategies run: none."
    return f"Compacted the conversation: {sizes}. Strategies run: {', '.join(facts['strategies_run'])}."


def _remove_marked(
    conversation: NumberedConversation, marked: MarkedMessages, name: str, context: CallContext
) -> tuple[NumberedConversation, list[str]]:
    """Return the conversation without what is marked as removable, and whether anything was removed."""
    removed: list[str] = []
    for items in list(context_items.find_removable_ranges(conversation, marked)) if marked.removable else ():
        try:
            context_items.check_call(conversation, items)
            outcome = _apply_edit(conversation, items, None, name, context)
        except (CallError, CtxkitError):
            continue  # the compaction clears it, or it stays
        form = conversation.transcript.format.NAME
        transcript = conversations.parse_conversation(outcome.data, f"session {name}", form)
        conversation, removed = number_messages(transcript, conversation.order), ["remove"]
    return conversation, removed


def _apply_edit(
    conversation: NumberedConversation, items: MessageRange, text: str | None, name: str, context: CallContext
) -> EditOutcome:
    store = stores.open_store(context.settings) if context.call.stores else None
    label = Label(f"edit of session {name}", "edit_context", context.call_id, name)
    is_unstored = bypass.make_unstored_check(context.settings, parse_script)
    return edit_conversation(conversation, MessageEdit(PositionRange(*items), text), store, label, is_unstored)


def _read_conversation(context: CallContext) -> SessionConversation:
    """Return the conversation of the session; raise CallError if there is none, or it is being written."""
    name, settings = context.require_session(), context.settings
    histories = sessions.history(settings)
    for _ in range(_READS):
        extent = histories.extent(name) or HistoryExtent()
        resumed = session_log.read_resumed(settings, name)
        if (histories.extent(name) or HistoryExtent()) == extent:
            break
    else:
        raise CallError("the conversation is being written", hint="try again")
    if resumed is None:
        raise CallError("the conversation of the session is empty", hint="go on without this function")
    transcript = conversations.parse_conversation(resumed.content, f"session {name}", resumed.format or None)
    conversation = number_messages(transcript, engines.make_count_options(context.request, settings))
    return SessionConversation(
        name, conversation, extent, group_marks(sessions.context_marks(settings).find(name))
    )


def _record(snapshot: Snapshot, saved: int, context: CallContext, record: Callable[[str, int, int], object]) -> None:
    """Save the new conversation, and subtract the tokens saved from the ledger, which counts tools and prompts too."""
    sessions.snapshots(context.settings).save(snapshot)
    assert context.reservation is not None
    session = sessions.ledger(context.settings).find(snapshot.session) or context.reservation.session
    used = max(session.used - saved, 0)
    record(snapshot.session, used, min(session.estimated, used))


def compact_history(conversation: NumberedConversation, name: str, context: CallContext) -> CompactionOutcome:
    """Return the outcome of a compaction by force, whose removed content is stored."""
    from ctxkit.core.compact.outcome import build_report
    from ctxkit.core.compact.services import make_token_counter
    from ctxkit.edge.compaction import CompactionLog

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
