"""Draw the usage of a context over the turns of a conversation, from a file or a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.app.budget import breakdown
from ctxkit.app.services import engines, sessions
from ctxkit.core.budget import timeline
from ctxkit.core.budget.timeline import ContextCut, Timeline, TurnUsage
from ctxkit.core.chat.model.message import ChatMessage
from ctxkit.edge import conversations, source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.core.budget.measure import ComponentUsage
    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.count.message_tokens import MessageTokens
    from ctxkit.core.count.options import CountOptions
    from ctxkit.core.drawing import Chart
    from ctxkit.core.session.history import Addition
    from ctxkit.core.session.ledger_interface import ContextChange
    from ctxkit.edge.request import Call
    from ctxkit.edge.settings import Settings


def _read_history(name: str, settings: Settings) -> tuple[bytes, list[Addition]]:
    """Return the history of a session, and when its messages were added."""
    history = sessions.history(settings)
    lines = history.open(name)
    data = b"".join(lines.raw(1, lines.total)) if lines and lines.total else b""
    return data, history.additions(name)


def make_chart(files: breakdown.ComponentFiles, call: Call) -> Chart:
    """Return the chart of a context; raise the errors of ``measure_context``.

    A session without a history has one column for each content that entered.
    """
    settings = call.settings
    data = conversations.read_session(files.messages) if files.messages else b""
    if files.messages:
        source.provide(files.messages, data)
    report = breakdown.measure_context(files, call)
    components = _read_components(report.usage)
    name, format_name = source.name_of(files.messages), files.format_name
    additions: list[Addition] = []
    changes: Sequence[ContextChange] = ()
    if report.session and not files.messages:
        name = report.session
        changes = sessions.ledger(settings).changes(name)
        data, additions = _read_history(name, settings)
    if data.strip():
        transcript = conversations.parse_conversation(data, files.messages or name, format_name, skip_bad=True)
        if changes and not files.system:  # the newest summary was not there from the beginning
            components = components._replace(system_prompt=0)
        rows = _count_messages(transcript, engines.make_count_options(*call))
        cuts = timeline.place_cuts(changes, _list_times(transcript, additions)) if changes else []
        usage = timeline.build_timeline(rows, components, cuts)
    else:
        usage = _build_without_history(report.session, changes, components, settings)
    return timeline.make_chart(f"Context of {name or 'the request'}", usage, report.budget)


def _read_components(usage: ComponentUsage) -> TurnUsage:
    parts = (usage.system_prompt, usage.skill_prompts, usage.tool_descriptions, usage.conversation)
    return TurnUsage(*(part.tokens for part in parts))


def _count_messages(transcript: Transcript, count_options: CountOptions) -> list[MessageTokens]:
    """Return the token counts of the messages that a model receives."""
    from ctxkit.core.count.conversation import count_entries

    entries = (entry for record in transcript.records for entry in record.entries)
    totals = count_entries((*transcript.head, *entries), transcript.format, count_options._replace(rows=True))
    return totals.rows[: totals.messages]


def _list_times(transcript: Transcript, additions: list[Addition]) -> list[float]:
    """Return the time at which each message of a history was added."""
    times: list[float] = []
    rest = sorted(additions, key=lambda addition: addition.first, reverse=True)
    at = rest[-1].at if rest else 0.0
    for record in transcript.records:
        while rest and rest[-1].first <= record.line:
            at = rest.pop().at
        times += [at] * sum(isinstance(entry, ChatMessage) for entry in record.entries)
    return times


def _build_without_history(
    session: str, changes: Sequence[ContextChange], components: TurnUsage, settings: Settings
) -> Timeline:
    """Return the timeline of a session's ledger, or of files alone."""
    if session and (entries := sessions.ledger(settings).entries(session)):
        return timeline.build_ledger_timeline(entries, changes)
    cuts = [ContextCut(0, change.kind, change.after) for change in changes[-1:]]
    return Timeline((components,), tuple((0, cut.kind) for cut in cuts))
