"""Gate content under a session of a shared store in one round trip, and results of the tools of a host."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ctxkit.app.services import engines
from ctxkit.app.services.engines import parse_script
from ctxkit.app.services.stores import data_dir
from ctxkit.core.gate.decision import GateResult, decide
from ctxkit.core.gate.gate_content import gate_content
from ctxkit.core.hosts.host import HookEvent
from ctxkit.core.hosts.profiles import PROFILES, HostProfile
from ctxkit.core.text.escapes import has_redraws
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.lines import BLOCK, find_largest_number
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.edge import bypass
from ctxkit.edge.host_session import HOST, apply_host_limits, cap_briefing, record_map
from ctxkit.edge.redaction import Redaction
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.gate.decision import GatePolicy, GateServices
    from ctxkit.core.session.ledger import Session
    from ctxkit.core.text.stream import PeekableStream
    from ctxkit.core.tokens.token_count import TokenCount
    from ctxkit.edge.request import Call

    MakePolicy = Callable[[Call], GatePolicy]
    GatedCall = tuple[GateResult, Call, GatePolicy, GateServices]


def gate_in_one_trip(
    stream: PeekableStream, call: Call, make_policy: MakePolicy, services: GateServices
) -> GatedCall | None:
    """Return the result, the call, the policy and the services of a call that the server has recorded.

    Return None for content that is longer than a block or does not fit, for content that a screen may replace, and for
    a session that is not as it is known.
    Raise InputOutputError if the content cannot be read.
    """
    call.settings.is_strict |= call.request.strict
    session = _find_known_session(call)
    if session is None:
        return None
    data = stream.peek(BLOCK)
    if not data or len(data) > BLOCK:
        return None
    from ctxkit.edge.session_request import apply_session

    try:
        inside = call._replace(request=apply_session(call.request, session, call.settings))
        policy = make_policy(inside)
        if policy.screen and has_redraws(data):
            return None
        recorded = _record(data, session, policy, services, inside)
    except Exception:  # the gate meets the error again, and reports it
        return None
    return (recorded[0], inside, policy, recorded[1]) if recorded is not None else None


def _find_known_session(call: Call) -> Session | None:
    """Return the session as this machine knows it, None if one message to its server is not enough."""
    from ctxkit.app.services.redis_sessions import find_copies
    from ctxkit.app.services.stores import find_server
    from ctxkit.edge.session_request import explain_kept_window
    from ctxkit.engines.session_copies import SessionCopies

    request, settings = call
    server, name = find_server(settings), request.session_name(settings)
    if server is None or not name or server.address.cluster or server.is_paused():
        return None
    session = SessionCopies(find_copies(server)).find(name)
    if session is None or not session.window or explain_kept_window(request, session, settings):
        return None
    return session


def _record(
    data: bytes, session: Session, policy: GatePolicy, services: GateServices, call: Call
) -> tuple[GateResult, GateServices] | None:
    """Return the result for content that the server has recorded, and the services with its reservation."""
    from ctxkit.app.services.sessions import ledger
    from ctxkit.app.services.stores import current_project
    from ctxkit.core.gate.repetition import is_comparable
    from ctxkit.core.session.account import RecordedReservation
    from ctxkit.core.session.ledger_interface import ConditionalEntry
    from ctxkit.core.text.quantity import parse_duration
    from ctxkit.edge.report import make_entry
    from ctxkit.engines.content_hash import ContentHash

    count = count_tokens((data,), policy.vocabulary, services.tokenizer(policy.vocabulary))
    most = _find_most_taken(count, policy)
    if most is None:
        return None
    result = GateResult("raw", count, (data,), size=len(data), remark=policy.remark)
    is_stored = services.store is not None and is_comparable(result, data)
    if is_stored:
        content_hash = ContentHash()
        content_hash.update(data)
        result = result._replace(stored_ref=content_hash.hexdigest())
    entry, stored = make_entry(result, policy, len(data)), data if is_stored else b""
    age = parse_duration(call.settings["cache_max_age"])
    label = policy.label._replace(project=current_project())
    request = ConditionalEntry(session, most, entry, stored, label, age, not call.asks_for_whole)
    session_ledger = ledger(call.settings)
    taken = session_ledger.record_if_fits(request)  # type: ignore[attr-defined]  # the settings name a server
    if taken is None:
        return None
    budget = policy.budget.with_used(taken)
    reservation = RecordedReservation(session_ledger, session, budget, _ignore)
    return result, services._replace(reservation=reservation)


def _ignore(_message: str) -> None:
    """Say nothing: a ledger that is not used anymore does not fail."""


def _find_most_taken(count: TokenCount, policy: GatePolicy) -> int | None:
    """Return the most tokens that may be taken so that content passes and the window is not nearly full."""

    def passes(used: int) -> bool:
        """Return whether the content passes as it is."""
        budget = policy.budget.with_used(used)
        decision = decide(count, budget, policy.limit, ignore_hard_block=policy.ignore_hard_block)
        return decision.fits and not decision.tight

    return find_largest_number(0, policy.budget.window, passes)


def gate_result_blocks(event: HookEvent, host: str, settings: Settings) -> list[JsonValue]:
    """Return the blocks of a result with maps or screens in place of text; all others stay.

    Without a store nothing changes, because nobody could read the content of a map.
    """
    if not settings["store"] or bypass.find_bypass(settings, (event.tool,), parse_script):
        return list(event.blocks)
    return list(_gate_each(event, PROFILES[host], settings))


def _gate_each(event: HookEvent, profile: HostProfile, settings: Settings) -> Iterator[JsonValue]:
    for block in event.blocks:
        text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
        if isinstance(block, dict) and isinstance(text, str):
            yield {**block, "text": _gate_text(text, event, profile, settings)}
        else:
            yield block


def _gate_text(text: str, event: HookEvent, profile: HostProfile, settings: Settings) -> str:
    """Return the text, or a map or the screen of it; masked if the settings say so."""
    request = apply_host_limits(CliRequest(name=event.file or event.tool), settings, profile).assume_window(settings)
    policy = cap_briefing(request.gate_policy(settings, event.tool), profile)._replace(screen=True)
    content = Redaction(on=settings["redact"]).apply([text.encode("utf-8", "surrogatepass")])
    gate_result = gate_content(iter(content), policy, engines.gate_services(settings))
    shown = b"".join(gate_result.content).decode("utf-8", "surrogatepass")
    if profile is PROFILES[HOST]:
        record_map(gate_result, profile, data_dir(settings), event.session)
    return shown if gate_result.result != "refused" else text
