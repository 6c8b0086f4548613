"""Measure the components of a context from files, from a session and from a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import engines, resumption, sessions
from ctxkit.core.budget.context_budget import ContextBudget, make_context_budget
from ctxkit.core.budget.measure import ComponentUsage, ContextReport, ContextSources, measure_usage
from ctxkit.core.chat.reading.open_content import make_unrecognized_error
from ctxkit.core.count.amount import Amount, exact_amount
from ctxkit.core.count.conversation import recognize_content
from ctxkit.core.errors import NotStoredError
from ctxkit.core.tokens.token_count import decode_content
from ctxkit.edge import conversations, source

if TYPE_CHECKING:
    from ctxkit.core.chat.model.message import Tool
    from ctxkit.core.chat.reading.open_content import OpenedContent
    from ctxkit.core.count.options import CountOptions
    from ctxkit.core.session.ledger import Session
    from ctxkit.edge.request import Call
    from ctxkit.edge.settings import Settings

TOLERANCE = 0.02
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
    elif session is not None and (resumed := resumption.read_resumed(settings, session.name)):
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
    elif session.occupancy - budget.used_tokens > TOLERANCE * session.occupancy:
        budget = budget._replace(unmeasured=session.occupancy - budget.used_tokens)
    items = usage.messages if is_counted else usage.messages + session.items
    prunings = session.compactions + session.edits
    return ContextReport(usage, budget, items, prunings, count_options.vocabulary.name, session.name)
