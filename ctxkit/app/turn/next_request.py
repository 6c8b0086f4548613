"""Do the work of one turn: take new messages in, keep the conversation within the window, and return the request."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import compaction, engines, session_log, sessions
from ctxkit.app.services.engines import list_comments
from ctxkit.app.turn import prompt_and_tools
from ctxkit.app.turn.answer import open_turn_log
from ctxkit.core.budget.context_budget import format_note, make_context_budget
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.compact.services import make_token_counter
from ctxkit.core.count.conversation import method_of
from ctxkit.core.errors import CtxkitError, MalformedInputError, UsageError
from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.ledger import LedgerEntry, TurnEntry
from ctxkit.core.tools.catalog import format_note as format_deferral_note
from ctxkit.core.turn.conversation import (
    check_history_format,
    complete_conversation,
    detect_provider,
    join_transcripts,
    parse_lines,
)
from ctxkit.core.turn.request import RequestParts, make_request
from ctxkit.core.turn.steps import TurnReport, TurnStep, choose_step, make_thresholds, split_components
from ctxkit.edge import say, source
from ctxkit.edge.option_values import lookup_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.core.budget.context_budget import ContextBudget
    from ctxkit.core.chat.editing import EditableFormat
    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.count.amount import Amount, CountOptions
    from ctxkit.core.count.conversation_tokens import ConversationTokens
    from ctxkit.core.prompt import PromptSection
    from ctxkit.core.session.account import SessionReservation
    from ctxkit.core.tokens.budget import Budget
    from ctxkit.core.turn.results import GatedResult
    from ctxkit.edge.prompts import TurnOptions
    from ctxkit.edge.request import Call
    from ctxkit.edge.tool_files import ToolSet


class TurnInput(NamedTuple):
    """The input of a turn: the new messages, the sections of the prompt, and the tools."""

    messages: bytes
    sections: Sequence[PromptSection] = ()
    tools: ToolSet | None = None


def match_statuses(statuses: Sequence[tuple[str, int]], messages: Transcript | None) -> dict[str, int]:
    """Return exit statuses by the ids of calls; raise UsageError for one that belongs to none of the new results."""
    ids = [result.id for record in (messages.records if messages else ()) for result in record.results]
    matched: dict[str, int] = {}
    for call, status in statuses:
        if not call and len(ids) != 1:
            hint = "--exit-status ID=N, with the id of the call"
            raise UsageError(f"--exit-status {status}: there are {len(ids)} results", hint=hint)
        if call and call not in ids:
            raise UsageError(f"--exit-status: no new result is that of the call {call}")
        matched[call or ids[0]] = status
    return matched


class TurnOutcome(NamedTuple):
    """The request to send, empty with a ``reason`` if nothing may be sent, and a report."""

    content: bytes
    report: TurnReport
    reason: str = ""


def read_input(turn_options: TurnOptions) -> TurnInput:
    """Return the messages of stdin, and the files that the options name."""
    from ctxkit.edge import conversations

    sections: list[PromptSection] = []
    if turn_options.prompt_files.named_files:
        from ctxkit.edge.prompts import read_sections

        sections = read_sections(turn_options.prompt_files)
    tools = None
    if turn_options.tools:
        from ctxkit.edge.tool_files import ToolFiles

        tools = ToolFiles(turn_options.tools).read()
    return TurnInput(conversations.read_bytes("-"), sections, tools)


def run_turn(turn_input: TurnInput, turn_options: TurnOptions, call: Call) -> TurnOutcome:
    """Return the request of the next turn of a session, whose history gets the new messages.

    Raise UsageError without a session or a window, MalformedInputError for invalid messages or if there are none.
    """
    name = call.request.session_name(call.settings)
    if not name:
        raise UsageError("turn needs a session", hint="--session S, or CTXKIT_SESSION")
    request, reservation = sessions.open_session(*call)
    turn = _Turn(name, call._replace(request=request._replace(session=name)), reservation, turn_options)
    return turn.run(turn_input)


class _Turn:
    """One turn: its conditions, and what becomes known on the way."""

    def __init__(
        self, name: str, call: Call, reservation: SessionReservation | None, turn_options: TurnOptions
    ) -> None:
        self.name, self.call, self.options, self.reservation = name, call, turn_options, reservation
        request, settings = self.request, self.settings = call
        self.budget: Budget = request.budget(settings)._replace(used=0)
        session = reservation.session if reservation else None
        is_cold = session is not None and 0 < session.cold_from <= time()
        low_water = lookup_size(settings, "low_water") if is_cold else None
        self.thresholds = make_thresholds(self.budget, turn_options.prune, low_water=low_water)
        self.count_options: CountOptions = engines.make_count_options(request, settings)
        self.is_due = bool(session and session.due)
        self.excess = 0
        self.tried: list[TurnStep] = []
        self.steps: list[TurnStep] = []
        self.extent = HistoryExtent()
        self.log = open_turn_log(call)

    def run(self, turn_input: TurnInput) -> TurnOutcome:
        """Take the messages in, and return the request."""
        resumed = self._read_history()
        self.format = self._choose_format(resumed, turn_input.messages)
        self.counter = make_token_counter(self.count_options, self.format)
        earlier, messages = self._parse_history(resumed), self._parse_messages(turn_input.messages)
        if earlier is None and messages is None:
            hint = "pass the messages of the user, one JSON object on a line"
            raise MalformedInputError("stdin: there are no messages, and the session has none", hint=hint)
        self.statuses = match_statuses(self.options.exit_statuses, messages)
        self._read_parts(turn_input)
        self._find_excess(earlier)
        gated: list[GatedResult] = []
        if messages is not None:
            earlier = self._make_room(earlier, messages)
            messages, gated = self._gate(earlier, messages)
            earlier = self._append(earlier, messages)
        appended = len(messages.records) if messages else 0
        assert earlier is not None
        return self._finish(self._reduce(earlier), appended, gated)

    def _read_history(self) -> session_log.ResumedConversation | None:
        """Return what the session resumes from; without a readable snapshot, its whole history."""
        try:
            resumed = session_log.read_resumed(self.settings, self.name)
        except (CtxkitError, OSError) as error:
            if self.call.is_strict:
                raise
            say.warn(f"session {self.name} resumes from its whole history: {error}")
            resumed = session_log.read_history(self.settings, self.name)
        if resumed is not None:
            self.extent = resumed.extent
            source.report_read(len(resumed.content))
        return resumed

    def _choose_format(self, resumed: session_log.ResumedConversation | None, data: bytes) -> EditableFormat:
        """Return the format of the API: the option's, else that of the history, else that of the messages."""
        name = self.options.provider or detect_provider(resumed.content if resumed else b"", data)
        return get_format(name)

    def _parse_history(self, resumed: session_log.ResumedConversation | None) -> Transcript | None:
        if resumed is None or not resumed.content.strip():
            return None
        transcript = parse_lines(resumed.content, f"session {self.name}", self.format)
        check_history_format(transcript, self.name)
        return transcript

    def _parse_messages(self, data: bytes) -> Transcript | None:
        if not data.strip():
            return None
        transcript = parse_lines(data, "stdin", self.format)
        if transcript.head:
            say.warn("the input is a request: turn takes its messages, and ignores its system prompt and its tools")
        return transcript._replace(head=())

    def _read_parts(self, turn_input: TurnInput) -> None:
        """Set the parts of the request around the conversation."""
        prompt = prompt_and_tools.read_prompt(turn_input.sections, self.format.NAME, self.call, self.counter)
        tools = prompt_and_tools.read_tools(turn_input.tools, self.format.NAME, self.call, self.count_options)
        self.skills, self.deferred = prompt.skills, tools.deferred
        self.parts = RequestParts(
            self.format,
            prompt.system,
            tools.text,
            "\n".join(filter(None, (prompt.volatile.strip("\n"), format_deferral_note(len(tools.deferred))))),
            self.request.model_name(self.settings),
            prompt_and_tools.find_max_tokens(self.call, self.budget.reserve),
        )

    def _count(self, transcript: Transcript | None) -> ConversationTokens:
        return make_request(self.parts, transcript).count_tokens(self.count_options, self.counter)

    def _measure(self, transcript: Transcript | None) -> int:
        """Return the tokens of the request with a conversation, and those that only the ledger knows."""
        return self._count(transcript).amount.high + self.excess

    def _find_excess(self, earlier: Transcript | None) -> None:
        """Set the tokens by which the ledger, which a provider's count anchors, exceeds what is counted here.

        The ledger also has the results that ctxkit run, call and gate have let in since: they are among the messages.
        """
        if self.reservation is None or earlier is None:
            return
        last = sessions.history(self.settings).find_last_addition(self.name)
        booked = sessions.ledger(self.settings).sum_entries(self.name, last.at) if last else 0
        self.excess = max(self.reservation.session.used - booked - self._count(earlier).amount.high, 0)

    def _count_results(self, messages: Transcript, most: int | None = None) -> int:
        """Return the tokens of the results among messages, each counted as ``most`` at most."""
        counts = [self.counter.count_text(result.text) for record in messages.records for result in record.results]
        return sum(counts if most is None else (min(count, most) for count in counts))

    def _make_room(self, earlier: Transcript | None, messages: Transcript) -> Transcript | None:
        """Return the history, reduced first if it is at a threshold before any result of the turn enters."""
        results = self._count_results(messages)
        if earlier is None or not results:
            return earlier
        from ctxkit.core.turn.results import SMALL

        more = self._measure(join_transcripts(earlier, messages)) - results + self._count_results(messages, SMALL)
        return self._reduce(earlier, more - self._measure(earlier))

    def _gate(self, earlier: Transcript | None, messages: Transcript) -> tuple[Transcript, list[GatedResult]]:
        """Return the new messages whose results passed the gate, and the results that are not raw."""
        results = self._count_results(messages)
        if not results:
            return messages, []
        from ctxkit.core.turn.results import ResultPolicy, find_result_calls, gate_results

        used = self._measure(join_transcripts(earlier, messages)) - results
        policy = ResultPolicy(
            self.request.gate_policy(self.settings, "tool result")._replace(budget=self.budget),
            engines.gate_services(self.settings, store=not self.request.no_store),
            max(self.thresholds.block - 1 - used, 0),
            self.settings["result_offload_threshold"],
            self.counter.count_text,
            self.log.add_result,
            self.statuses,
            lambda command: self.request.find_kind_rule(self.settings, command),
            list_comments=list_comments,
        )
        calls = find_result_calls(earlier.records if earlier else (), messages.records)
        messages, gated = gate_results(messages, calls, policy)
        for item in gated:
            if item.result.result != "refused" and (warning := item.result.remark or item.result.warning):
                say.warn(f"the result of {item.tool or 'a tool'}: {warning}")
        return messages, gated

    def _append(self, earlier: Transcript | None, messages: Transcript) -> Transcript | None:
        """Append the messages to the history, and return the conversation with them.

        If another process has appended meanwhile, the conversation is read again.
        """
        from ctxkit.core.session.history import encode_entries

        added = sessions.history(self.settings).append(self.name, encode_entries(messages))
        session_log.record_tool_uses(self.settings, self.name, messages)
        expected, self.extent = self.extent.lines + 1, added.extent
        if added.first == expected:
            return join_transcripts(earlier, messages)
        return self._parse_history(self._read_history())

    def _reduce(self, transcript: Transcript, more: int = 0) -> Transcript:
        """Return the conversation after the steps that are due; ``more`` tokens are still to come."""
        while True:
            used = self._measure(transcript) + more
            step = choose_step(used, self.thresholds, self.tried, is_due=self.is_due)
            if step is None or step == "block":
                return transcript
            self.tried.append(step)
            transcript = self._take_step(step, transcript, used)

    def _take_step(self, step: TurnStep, transcript: Transcript, used: int) -> Transcript:
        overhead = max(used - self.counter.count_transcript(transcript).amount.high, 0)
        terms = compaction.StepTerms(self.call, self.options, self.count_options, self.counter)
        compacted = compaction.compact_for_turn(step, transcript, terms, overhead, self.extent)
        self.is_due = False
        if compacted is None:
            return transcript
        self.steps.append(step)
        self.excess = 0  # a compaction anchors the ledger again
        return compacted

    def _finish(self, transcript: Transcript, appended: int, gated: Sequence[GatedResult]) -> TurnOutcome:
        """Return the request, or why nothing may be sent; the ledger gets the tokens of the request."""
        transcript, repairs = complete_conversation(transcript)
        counted = self._add_note(transcript)
        used = counted.amount.high + self.excess
        is_blocked = choose_step(used, self.thresholds, ("prune", "compact", "force")) == "block"
        reason = self._explain_block(used) if is_blocked else ""
        self._record(counted.amount, appended, gated)
        report = self._make_report(counted, appended, gated, repairs, reason)
        before = self.reservation.session.used if self.reservation else 0
        self.log.record_turn(report, before, self.counter.text_counter.count, self._find_method)
        if is_blocked:
            return TurnOutcome(b"", report, reason)
        parts = self.parts._replace(marks_cache=self._is_cacheable(counted.amount))
        return TurnOutcome(make_request(parts, transcript).encode(), report)

    def _is_cacheable(self, amount: Amount) -> bool:
        from ctxkit.core.prompt import find_cache_minimum

        return amount.tokens >= find_cache_minimum(self.parts.model, self.format.NAME)

    def _add_note(self, transcript: Transcript) -> ConversationTokens:
        """Add the note about the window to the tail if it is asked for and fits; return the tokens of the request."""
        counted = self._count(transcript)
        if self.options.note == "none":
            return counted
        session = self.reservation.session if self.reservation else None
        prunings = (session.compactions + session.edits if session else 0) + len(self.steps)
        note = format_note(self.options.note, self._make_budget(counted), counted.messages, prunings).strip("\n")
        if not note:
            return counted
        plain = self.parts
        self.parts = plain._replace(tail="\n".join(filter(None, (plain.tail, note))))
        noted = self._count(transcript)
        if counted.amount.high + self.excess < self.thresholds.block <= noted.amount.high + self.excess:
            self.parts = plain
            return counted
        return noted

    def _make_budget(self, counted: ConversationTokens) -> ContextBudget:
        skills = (self.counter.count_text(skill) for skill in self.skills)
        return split_components(make_context_budget(self.budget), counted.components, skills, self.excess)

    def _explain_block(self, used: int) -> str:
        effective = self.budget.effective
        share = f"{used:,} of {effective:,} tokens of the effective window"
        return f"what must stay takes {share}, and from {self.thresholds.block:,} on nothing is sent"

    def _record(self, amount: Amount, appended: int, gated: Sequence[GatedResult]) -> None:
        """Set the ledger to the tokens of the request, and count the items."""
        if self.reservation is None:
            return
        used, is_exact = amount.tokens + self.excess, self._find_method(amount) == "exact"
        turn = TurnEntry(used, 0 if is_exact else amount.tokens, appended, 0)
        session_log.record_turn(self.settings, self.name, turn, map(_make_entry, gated))

    def _find_method(self, amount: Amount) -> str:
        return method_of(amount, self.count_options)

    def _make_report(
        self,
        counted: ConversationTokens,
        appended: int,
        gated: Sequence[GatedResult],
        repairs: tuple[str, ...],
        reason: str,
    ) -> TurnReport:
        return TurnReport(
            self.name,
            self.format.NAME,
            counted.amount,
            self._find_method(counted.amount),
            self.count_options.vocabulary.name,
            self._make_budget(counted),
            counted.messages,
            appended,
            tuple(self.steps),
            self.deferred,
            tuple(gated),
            repairs,
            reason,
        )


def _make_entry(gated: GatedResult) -> LedgerEntry:
    """Return the ledger entry of a result, which names its stored content."""
    result, name = gated.result, gated.tool or "tool result"
    count = result.token_count
    return LedgerEntry(
        name, max(count.tokens, 0), count.method, result.result, ref=result.ref, tool=gated.tool, call=gated.call
    )
