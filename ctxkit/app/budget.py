"""What fills a context window by component, and how that grew: an object, a table, or a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.app.services import engines, session_log, sessions
from ctxkit.core.budget import measure
from ctxkit.core.budget.context_budget import ContextBudget, NoteKind, format_note, make_context_budget
from ctxkit.core.budget.measure import (
    ComponentUsage,
    ContextCut,
    ContextReport,
    ContextSources,
    Timeline,
    TurnUsage,
    measure_usage,
)
from ctxkit.core.chat.model.message import ChatMessage
from ctxkit.core.chat.reading.open_content import make_unrecognized_error
from ctxkit.core.count.amount import Amount, exact_amount
from ctxkit.core.count.conversation import recognize_content
from ctxkit.core.errors import NotStoredError
from ctxkit.core.tokens.token_count import decode_content
from ctxkit.edge import conversations, source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.core.chat.model.message import Tool
    from ctxkit.core.chat.reading.open_content import OpenedContent
    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.count.amount import CountOptions
    from ctxkit.core.count.message_tokens import MessageTokens
    from ctxkit.core.drawing import Chart
    from ctxkit.core.session.history import Addition
    from ctxkit.core.session.ledger import Session
    from ctxkit.core.session.ledger_interface import ContextChange
    from ctxkit.edge.request import Call
    from ctxkit.edge.settings import Settings

_TOLERANCE = 0.02
"""Share of a ledger's tokens by which the measured components may differ from it without being noted."""


class ComponentFiles(NamedTuple):
    """The files of the components; ``messages`` is a conversation or a request, "" for none."""

    system: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    messages: str = ""
    format_name: str | None = None

    def with_request(self, file: str, *, is_needed: bool) -> ComponentFiles:
        """Return the files with the request in ``file``; stdin is read only if nothing else is named."""
        named = self.messages or self.system or self.skills or self.tools
        if file == "-" and (named or not is_needed):
            return self
        if self.messages:
            from ctxkit.core.errors import UsageError

            raise UsageError("FILE and --messages name the same", hint="name the conversation once")
        return self._replace(messages=file)

    def names(self) -> list[str]:
        """Return all names."""
        return [*self.system, *self.skills, *self.tools, *filter(None, [self.messages])]


def measure_context(files: ComponentFiles, call: Call, *, must_know: bool = False) -> ContextReport:
    """Return the usage of a context by component; raise UsageError if its window is unknown.

    Raise MalformedInputError if a file contains no conversation or no tools, NotStoredError for an unknown session.
    """
    settings = call.settings
    name = call.request.session_name(settings)
    request, reservation = sessions.open_session(*call, create_missing=False, must_know=must_know)
    if name and reservation is None:
        raise NotStoredError(f"no session {name}", hint="ctxkit session list shows all sessions")
    budget = make_context_budget(request.budget(settings))
    count_options = engines.make_count_options(request, settings)
    session = reservation.session if reservation else None
    conversation = _open_conversation(files, session, settings, count_options)
    sources = _read_sources(files, conversation)
    usage = measure_usage(sources, count_options)
    is_counted = conversation is not None
    if session is not None:
        return _report_session(usage, budget, session, count_options, is_counted=is_counted)
    if request.used:
        usage = usage._replace(conversation=usage.conversation.plus(exact_amount(request.used)))
    return ContextReport(usage, usage.apply_to(budget), usage.messages, 0, count_options.vocabulary.name)


def _open_conversation(
    files: ComponentFiles, session: Session | None, settings: Settings, count_options: CountOptions
) -> OpenedContent | None:
    """Return the conversation of the files, else that of the session, None if there is none."""
    if files.messages:
        chunks, name, format_name = source.chunks(files.messages), source.name_of(files.messages), files.format_name
    elif session is not None and (resumed := session_log.read_resumed(settings, session.name)):
        chunks, name, format_name = iter((resumed.content,)), f"session {session.name}", resumed.format
    else:
        return None
    content = recognize_content(chunks, name, count_options._replace(format=format_name or ""))
    if content.format is None:
        raise make_unrecognized_error(name, content)
    return content


def _read_sources(files: ComponentFiles, conversation: OpenedContent | None) -> ContextSources:
    sources = ContextSources(
        tuple(map(_read_text, files.system)),
        tuple(map(_read_text, files.skills)),
        tuple(tool for file in files.tools for tool in _read_tools(file)),
    )
    if conversation is None or conversation.format is None:
        return sources
    return sources._replace(entries=conversation.entries, format=conversation.format)


def _read_text(file: str) -> str:
    return decode_content(conversations.read_bytes(file))


def _read_tools(file: str) -> tuple[Tool, ...]:
    """Return the tools of a file in any shape that ``tools select`` reads."""
    from ctxkit.core.tools.catalog import read_catalog

    catalog = read_catalog(conversations.read_bytes(file), source.name_of(file))
    return tuple(definition.tool for definition in catalog.definitions)


def _report_session(
    usage: ComponentUsage, budget: ContextBudget, session: Session, count_options: CountOptions, *, is_counted: bool
) -> ContextReport:
    """Return the report of a session: its measured conversation, and what only its ledger knows."""
    budget = usage.apply_to(budget)
    if not is_counted:
        rest = max(session.occupancy - budget.used_tokens, 0)
        estimated = min(session.estimated, rest)
        usage = usage._replace(conversation=usage.conversation.plus(Amount(rest - estimated, rest, rest + estimated)))
        budget = usage.apply_to(budget)
    elif session.occupancy - budget.used_tokens > _TOLERANCE * session.occupancy:
        budget = budget._replace(unmeasured=session.occupancy - budget.used_tokens)
    items = usage.messages if is_counted else usage.messages + session.items
    prunings = session.compactions + session.edits
    return ContextReport(usage, budget, items, prunings, count_options.vocabulary.name, session.name)


def _read_history(name: str, settings: Settings) -> tuple[bytes, list[Addition]]:
    """Return the history of a session, and when its messages were added."""
    history = sessions.history(settings)
    lines = history.open(name)
    data = b"".join(lines.raw(1, lines.total)) if lines and lines.total else b""
    return data, history.additions(name)


def make_chart(files: ComponentFiles, call: Call) -> Chart:
    """Return the chart of a context; raise the errors of ``measure_context``.

    A session without a history has one column for each content that entered.
    """
    settings = call.settings
    data = conversations.read_session(files.messages) if files.messages else b""
    if files.messages:
        source.provide(files.messages, data)
    report = measure_context(files, call)
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
        cuts = measure.place_cuts(changes, _list_times(transcript, additions)) if changes else []
        usage = measure.build_timeline(rows, components, cuts)
    else:
        usage = _build_without_history(report.session, changes, components, settings)
    return measure.make_chart(f"Context of {name or 'the request'}", usage, report.budget)


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
        return measure.build_ledger_timeline(entries, changes)
    cuts = [ContextCut(0, change.kind, change.after) for change in changes[-1:]]
    return Timeline((components,), tuple((0, cut.kind) for cut in cuts))


_BAR_WIDTH = 40
"""Characters of the bar for the whole effective window."""


def make_note(report: ContextReport, kind: NoteKind) -> str:
    """Return the note for a model, empty if it is not due."""
    return format_note(kind, report.budget, report.items, report.prunings)


def make_facts(report: ContextReport, note: NoteKind | None = None) -> dict[str, Any]:
    """Return the documented members of a report; counts are in tokens."""
    budget, amount = report.budget, report.amount
    facts = {
        "total": budget.total,
        "max_output_tokens": budget.max_output_tokens,
        "effective_window": budget.effective_window,
        "system_prompt": budget.system_prompt,
        "skill_prompts": budget.skill_prompts,
        "tool_descriptions": budget.tool_descriptions,
        "conversation": budget.conversation,
        "unmeasured": budget.unmeasured,
        "used_tokens": budget.used_tokens,
        "remaining_tokens": budget.remaining_tokens,
        "used_percentage": round(budget.used_percentage, 4),
        "should_compact": budget.should_compact(),
        "is_blocked": budget.is_blocked(),
        "exceeds_budget": budget.exceeds_budget(),
        "items": report.items,
        "prunings": report.prunings,
        "method": "exact" if amount.low == amount.high else "estimate",
        "low": amount.low,
        "high": amount.high,
        "tokenizer": report.tokenizer,
        "session": report.session or None,
    }
    return {**facts, "note": make_note(report, note)} if note else facts


def format_report(report: ContextReport) -> str:
    """Return a row for each component, the sum, what remains, and what follows from it."""
    budget, amount = report.budget, report.amount
    rows = [
        ("system prompt", budget.system_prompt),
        ("skills", budget.skill_prompts),
        ("tools", budget.tool_descriptions),
        ("conversation", budget.conversation),
    ]
    if budget.unmeasured:
        rows.append(("in the ledger alone", budget.unmeasured))
    rows.append(("used", budget.used_tokens))
    width = max(len(f"{tokens:,}") for _, tokens in (*rows, ("", budget.remaining_tokens)))
    lines = [_format_row(name, tokens, budget.effective_window, width) for name, tokens in rows]
    lines.append(f"{'remaining':<{_NAME_WIDTH}}  {budget.remaining_tokens:>{width},}")
    window = f"window {budget.total:,}, {budget.max_output_tokens:,} reserved for the answer"
    lines.append(f"{budget.effective_window:,} in the effective window ({window})")
    if amount.low != amount.high:
        lines.append(f"an estimate: {amount.low:,} to {amount.high:,} tokens")
    lines.append(_describe_state(report))
    return "".join(f"{line.rstrip()}\n" for line in lines)


_NAME_WIDTH = len("in the ledger alone")


def _format_row(name: str, tokens: int, effective: int, width: int) -> str:
    share = tokens / effective if effective else 1.0
    bar = "#" * min(round(share * _BAR_WIDTH), _BAR_WIDTH)
    return f"{name:<{_NAME_WIDTH}}  {tokens:>{width},}  {share:>4.0%}  |{bar:<{_BAR_WIDTH}}|"


def _describe_state(report: ContextReport) -> str:
    budget = report.budget
    if budget.exceeds_budget():
        return "exceeded: compact before the next request"
    if budget.is_blocked():
        return f"blocked from {budget.block_at:,}: compact before anything more enters"
    if budget.should_compact():
        return f"compact now; blocked from {budget.block_at:,}"
    return f"compact from {budget.compact_at:,}, blocked from {budget.block_at:,}"
