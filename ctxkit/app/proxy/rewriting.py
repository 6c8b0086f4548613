"""Rewrite a request to a model so that it fits the window, as ``ctxkit turn`` does with a session."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.app.proxy.conditions import (
    ClientRequest,
    Conditions,
    dump_value,
    find_high_limits,
    hash_head,
    lower_output_limit,
    make_conditions,
)
from ctxkit.app.proxy.own_calls import HINT, OwnFunctions, change_tools, may_inject
from ctxkit.app.services import compaction, engines, session_log, sessions
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.proxy.model_apis import (
    CACHE_MARK,
    MIN_MESSAGES,
    Boundary,
    find_replacement,
    has_state_at_provider,
    hash_messages,
    hash_prefixes,
    make_size_error,
    read_model,
    read_ollama_window,
    replace_prefix,
)
from ctxkit.core.session.ledger import LedgerEntry, TurnEntry
from ctxkit.core.turn.results import GatedResult, ResultCall, ResultPolicy, find_result_calls, gate_large_results
from ctxkit.core.turn.steps import TurnStep, choose_step
from ctxkit.edge import bypass, say
from ctxkit.edge.prompts import TurnOptions
from ctxkit.edge.request import Call, CliRequest

if TYPE_CHECKING:
    from ctxkit.app.proxy.conditions import Boundaries
    from ctxkit.core.proxy.model_apis import UpstreamFacts
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.edge.settings import Settings

HARDER = 0.6
"""Share of the window that a request may take after the provider has refused it, and named no window."""
MOST_CONDITIONS = 8
"""Models and windows whose counts are remembered."""


class Rewrite(NamedTuple):
    """What becomes of a request: its new content, empty if it stays as it is, and what was done.

    ``error`` is the answer, in the form of the API, if the request cannot fit the window. ``own`` are the names of
    functions that were added.
    """

    content: bytes = b""
    session: str = ""
    model: str = ""
    window: int = 0
    tokens: int = 0
    gated: int = 0
    steps: tuple[TurnStep, ...] = ()
    error: JsonValue = None
    own: tuple[str, ...] = ()

    def make_facts(self) -> dict[str, Any]:
        """Return the report, without the content."""
        return {name: value for name, value in self._asdict().items() if name != "content"}


class Incoming(NamedTuple):
    """A request and what is known of it: its value with the tools that are sent, its hashes, and its boundary."""

    request: ClientRequest
    conditions: Conditions
    digests: list[bytes]
    prefixes: list[str]
    boundary: Boundary
    functions: OwnFunctions
    rewrite: Rewrite


class _Aim(NamedTuple):
    """What a compaction aims at: a share of the window, beside tokens that no step changes; it may be forced."""

    fixed: int
    share: float
    is_forced: bool


class _Conversation(NamedTuple):
    """A request on its way: its transcript, the boundary below it, and what was done."""

    transcript: Transcript
    boundary: Boundary
    gated: tuple[GatedResult, ...] = ()
    steps: tuple[TurnStep, ...] = ()
    tokens: int = 0


class RequestRewriter:
    """Rewrites requests: a function of their bytes and of the boundaries that earlier requests have set.

    ``injects`` adds functions of the proxy to the requests that may have them.
    """

    def __init__(
        self,
        request: CliRequest,
        settings: Settings,
        options: TurnOptions,
        boundaries: Boundaries,
        *,
        injects: bool = False,
    ) -> None:
        self._request, self.settings, self._options, self._boundaries = request, settings, options, boundaries
        self._injects = injects
        self._conditions: dict[tuple[Any, ...], Conditions | None] = {}
        self._is_unstored = bypass.make_unstored_check(settings, engines.parse_script)

    def rewrite(self, request: ClientRequest, facts: UpstreamFacts, *, harder: bool = False) -> Rewrite:
        """Return what becomes of a request; ``harder`` compacts it after the provider has refused it."""
        incoming = self.read(request, facts)
        return incoming if isinstance(incoming, Rewrite) else self.finish(incoming, facts, harder=harder)

    def read(self, request: ClientRequest, facts: UpstreamFacts) -> Incoming | Rewrite:
        """Return a request with what is known of it; one that passes as it came has a Rewrite."""
        request = _parse(request)
        if request.value is None:
            return Rewrite()
        api, value = request.api, request.value
        if has_state_at_provider(api, value):
            say.warn("a conversation whose state lies at the provider (previous_response_id, store) passes as it is")
            return Rewrite()
        model = read_model(api, request.path, value)
        injects = self._injects and may_inject(api, request.path, value)
        conditions = self._find_conditions(request, model, facts, injects=injects)
        if conditions is None:
            say.warn(f"the window of {model or 'the model'} is unknown, and its requests pass as they are: --window N")
            return Rewrite(model=model)
        window = self._find_window(request, facts)
        return self._look_up(request, model, conditions, injects=injects, known_window=window)

    def _look_up(
        self, request: ClientRequest, model: str, conditions: Conditions, *, injects: bool, known_window: int
    ) -> Incoming:
        """Return a request with its hashes, and the boundary and the functions that it has by them."""
        api, value = request.api, request.members
        digests = hash_messages(value[api.messages], dump_value, may_have_marks=CACHE_MARK.encode() in request.body)
        place = f"{api.name} {known_window}{f' {hash_head(value)}' if injects else ''}"
        prefixes = hash_prefixes(place, digests)
        session = f"proxy-{prefixes[min(1, len(prefixes) - 1)][:12]}"
        boundary = self._boundaries.find(prefixes, 1 if injects else MIN_MESSAGES)
        hidden = boundary.list_messages() if injects else None
        functions = change_tools(request, hidden, conditions, self.settings)
        if functions.body is not request.body:
            request = request._replace(value=engines.parse_json(functions.body))
        rewrite = Rewrite(session=session, model=model, window=conditions.budget.window, own=functions.names)
        return Incoming(request, conditions, digests, prefixes, boundary, functions, rewrite)

    def finish(self, incoming: Incoming, facts: UpstreamFacts, *, harder: bool = False) -> Rewrite:
        """Return what becomes of a request that was read."""
        api, value, digests = incoming.request.api, incoming.request.members, incoming.digests
        conditions, boundary, rewrite = incoming.conditions, incoming.boundary, incoming.rewrite
        came, body = incoming.request.body, incoming.functions.body
        fixed = conditions.measure_fixed(value, api.messages, digests)
        if not (harder or boundary.covered):
            tokens = conditions.measure_fitting(value, api.messages, digests, fixed)
            if tokens is not None and not find_high_limits(api, value, rewrite.window - tokens):
                return rewrite._replace(tokens=tokens, content=b"" if body is came else body)
        share = 1.0 if not harder or rewrite.model in facts.limits else HARDER
        rewrite = self._fit(incoming, _Aim(fixed, share, is_forced=harder))
        return rewrite if body is came or rewrite.content or rewrite.error else rewrite._replace(content=body)

    def _find_window(self, request: ClientRequest, facts: UpstreamFacts) -> int:
        """Return the window that an option, the request or the server names, 0 if none does."""
        return self._request.window or read_ollama_window(request.api, request.members) or facts.window

    def _find_conditions(
        self, request: ClientRequest, model: str, facts: UpstreamFacts, *, injects: bool
    ) -> Conditions | None:
        """Return the conditions of a model, whose window is at most the one with which the server refused a request."""
        sizes = (self._find_window(request, facts), facts.limits.get(model, 0))
        window = min(filter(None, sizes), default=None)
        tokenizer = self._request.tokenizer or facts.weights or None
        key = (request.api.format, model, window, tokenizer, injects)
        if key not in self._conditions:
            if len(self._conditions) >= MOST_CONDITIONS:
                self._conditions.clear()
            hint = HINT if injects and self.settings.lookup("hint").source == "default" else None
            typed = self._request._replace(window=window, hint=self._request.hint or hint)
            named = typed._replace(model=typed.model or model or None)
            candidates = (named._replace(tokenizer=tokenizer), named, typed)
            self._conditions[key] = make_conditions(candidates, self.settings, get_format(request.api.format))
        return self._conditions[key]

    def _fit(self, incoming: Incoming, aim: _Aim) -> Rewrite:
        """Return a request after the boundary, the gate and the compactions that are due."""
        api, conditions, rewrite = incoming.request.api, incoming.conditions, incoming.rewrite
        body = incoming.functions.body
        transcript = parse_transcript(body, "the request", conditions.format)
        if len(transcript.records) != len(incoming.prefixes) or transcript.syntax != "document":
            return rewrite
        if incoming.boundary.covered:
            transcript = replace_prefix(transcript, incoming.boundary)
        talk = self._gate(_Conversation(transcript, incoming.boundary), conditions, rewrite.session, aim.fixed)
        talk = self._compact(talk, conditions, rewrite.session, aim)
        if talk.steps:
            self._boundaries.save(incoming.prefixes, talk.boundary)
        rewrite = rewrite._replace(tokens=talk.tokens, gated=len(talk.gated), steps=talk.steps)
        if talk.gated or talk.steps:
            self._record(talk, conditions, rewrite.session)
        window = conditions.budget.window
        if talk.tokens > window and not api.counts_only:
            return rewrite._replace(error=make_size_error(api.name, talk.tokens, window))
        content = lower_output_limit(api, talk.transcript, window - talk.tokens)
        return rewrite._replace(content=b"" if content == body else content)

    def _gate(self, talk: _Conversation, conditions: Conditions, session: str, fixed: int) -> _Conversation:
        """Return the conversation with maps in place of results above the cap."""
        counter = conditions.make_counter()
        request = conditions.request._replace(session=session)
        policy = ResultPolicy(
            request.gate_policy(self.settings, "tool result")._replace(budget=conditions.budget),
            engines.gate_services(self.settings, store=not request.no_store, asks_server=False),
            conditions.budget.effective,
            self.settings["result_offload_threshold"],
            counter.count_text,
            find_rule=lambda command: request.find_kind_rule(self.settings, command),
            passes=self._passes,
            cap=conditions.find_cap(fixed),
        )
        calls = find_result_calls((), talk.transcript.records)
        first = len(talk.boundary.entries)
        transcript, gated = gate_large_results(talk.transcript, calls, policy, first, conditions.maps)
        return talk._replace(transcript=transcript, gated=tuple(gated))

    def _passes(self, call: ResultCall) -> bool:
        """Return whether the settings let the output of a call pass as it is."""
        try:
            words = shlex.split(call.command) if call.command else [call.tool]
        except ValueError:
            words = call.command.split()
        is_unstored = self._is_unstored is not None and self._is_unstored(call.command)
        return is_unstored or bool(bypass.find_bypass(self.settings, words, engines.parse_script))

    def _compact(self, talk: _Conversation, conditions: Conditions, session: str, aim: _Aim) -> _Conversation:
        """Return the conversation after the compactions that are due, with its tokens."""
        counter = conditions.make_counter()
        window = max(int(conditions.budget.window * aim.share), 1)
        request = conditions.request._replace(session=session, window=window)
        call = Call(request, self.settings)
        terms = compaction.StepTerms(call, self._options, conditions.count_options, counter)
        thresholds, tried = conditions.make_thresholds(aim.fixed), list[TurnStep]()
        while True:
            used = counter.count_transcript(talk.transcript).amount.high
            step = choose_step(used, thresholds, tried, is_due=False)
            step = "force" if aim.is_forced and not tried else step
            if step is None or step == "block":
                return talk._replace(tokens=used)
            tried.append(step)
            outcome = compaction.compact_for_step(step, talk.transcript, terms, overhead=0, fixed=aim.fixed)
            if outcome is not None and outcome.transcript is not None:
                talk = _replace(talk, outcome.transcript)._replace(steps=(*talk.steps, step))

    def _record(self, talk: _Conversation, conditions: Conditions, session: str) -> None:
        """Record maps and the size of the request in the session of the conversation, which keeps what is stored."""
        sessions.open_session(conditions.request._replace(session=session), self.settings)
        entries = [_make_entry(gated) for gated in talk.gated]
        is_exact = conditions.count_options.vocabulary.exact
        turn = TurnEntry(talk.tokens, 0 if is_exact else talk.tokens, 1, len(entries))
        session_log.record_turn(self.settings, session, turn, entries)


def _parse(request: ClientRequest) -> ClientRequest:
    """Return a request with its value, or without one if it has no list of messages."""
    try:
        value = engines.parse_json(request.body)
    except ValueError:
        return request
    messages = value.get(request.api.messages) if isinstance(value, dict) else None
    has_messages = isinstance(messages, list) and messages and all(isinstance(item, dict) for item in messages)
    return request._replace(value=value) if has_messages else request


def _replace(talk: _Conversation, compacted: Transcript) -> _Conversation:
    """Return a conversation after a compaction, in the bytes in which later requests have it too."""
    before = len(talk.boundary.entries)
    replacement = find_replacement(talk.transcript, compacted, before or MIN_MESSAGES)
    covered = talk.boundary.covered + replacement.covered - before
    boundary = Boundary(covered, replacement.entries)
    return talk._replace(transcript=replace_prefix(talk.transcript, replacement), boundary=boundary)


def _make_entry(gated: GatedResult) -> LedgerEntry:
    """Return the ledger entry of a result, which names its stored content."""
    result, name = gated.result, gated.tool or "tool result"
    count = result.token_count
    tokens = max(count.tokens, 0)
    return LedgerEntry(name, tokens, count.method, result.result, ref=result.ref, tool=gated.tool, call=gated.call)
