"""Deliver the gate's result: content to stdout, messages to stderr, the decision to the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.core.exit import Exit
from ctxkit.core.gate.policy import GatePolicy
from ctxkit.core.gate.result import GateResult
from ctxkit.core.tokens.token_count import TokenCount, count_tokens
from ctxkit.core.tokens.vocabulary import substitute_estimate
from ctxkit.edge import out, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ctxkit.core.session.account import SessionReservation
    from ctxkit.core.session.ledger import LedgerEntry
    from ctxkit.core.tokens.tokenizer import Tokenizer
    from ctxkit.core.tokens.vocabulary import Vocabulary

NO_TOKENS = TokenCount(0, 0, "exact")
"""The token count of a refusal."""


def deliver_result(
    gate_result: GateResult,
    policy: GatePolicy,
    *,
    as_json: bool,
    events_file: str,
    extra_facts: Callable[[], dict[str, Any]] = dict,
    event_facts: Callable[[], dict[str, Any]] | None = None,
    call_facts: Mapping[str, str] | None = None,
    reservation: SessionReservation | None = None,
    tokenizer: Callable[[Vocabulary], Tokenizer] | None = None,
) -> Exit:
    """Write the content, charge the session's ``reservation``, and return 1 only for a refusal.

    ``extra_facts`` returns further members of the report, after the content was read to its end; ``event_facts``
    replaces them in the event, which has the ``call_facts`` too. ``tokenizer`` counts content that passed uncounted, if
    the report needs it.
    """
    if as_json and tokenizer is not None:
        gate_result = _count_result(gate_result, policy, tokenizer)
    if reservation is not None:
        policy = policy._replace(budget=reservation.budget.with_added(max(gate_result.token_count.tokens, 0)))
    if events_file:
        gate_result = gate_result._replace(content=CountedContent(gate_result.content))
    answer = _write_result(gate_result, policy, as_json, extra_facts, reservation)
    if say.is_verbose():
        say.note(_describe_result(gate_result, policy))
    if events_file:
        from ctxkit.edge import events

        result_facts = facts(_measure_passed(gate_result), policy)
        event = {"name": policy.label.name, **(call_facts or {}), **result_facts, **_count_change(result_facts)}
        events.record(events_file, _event_name(gate_result), {**event, **(event_facts or extra_facts)()})
    return answer


def _write_result(
    gate_result: GateResult,
    policy: GatePolicy,
    as_json: bool,
    extra_facts: Callable[[], dict[str, Any]],
    reservation: SessionReservation | None,
) -> Exit:
    if gate_result.remark:
        say.warn(gate_result.remark)
    if gate_result.result == "refused":
        return _write_refusal(gate_result, policy, as_json, extra_facts)
    if gate_result.warning:
        say.warn(gate_result.warning)
    counted_content = CountedContent(gate_result.content)
    try:
        if as_json:
            data = b"".join(counted_content)
            out.write_json({**facts(gate_result, policy, data), **extra_facts(), **out.make_content_member(data)})
        else:
            out.write(counted_content)
    finally:  # a reader that closed the pipe may have read everything
        if reservation is not None:
            reservation.record(make_entry(gate_result, policy, counted_content.size))
    return Exit.DONE


def _write_refusal(
    gate_result: GateResult, policy: GatePolicy, as_json: bool, extra_facts: Callable[[], dict[str, Any]]
) -> Exit:
    """Report a refusal; the last line, on stderr, names the stored content."""
    if as_json:
        out.write_json({**facts(gate_result, policy), **extra_facts(), "content": ""})
    why = _explain_refusal(gate_result, policy)
    say.error(f"refused: {why['reason']}", why["hint"])
    say.say(gate_result.warning)
    return Exit.NO


def _explain_refusal(gate_result: GateResult, policy: GatePolicy) -> dict[str, str]:
    """Return the reason of a refusal and a remedy."""
    from ctxkit.edge import refusal

    return {"reason": refusal.explain_refusal(gate_result, policy), "hint": refusal.suggest_remedy(gate_result, policy)}


def _count_result(
    gate_result: GateResult, policy: GatePolicy, tokenizer: Callable[[Vocabulary], Tokenizer]
) -> GateResult:
    """Return the result with its content counted, by an estimate if the vocabulary fails."""
    if gate_result.token_count.tokens >= 0 or gate_result.result == "refused":
        return gate_result
    data = b"".join(gate_result.content)
    for vocabulary in (policy.vocabulary, substitute_estimate(policy.vocabulary)):
        try:
            token_count = count_tokens((data,), vocabulary, tokenizer(vocabulary))
        except Exception:  # the tokenizer may be what failed before
            continue
        return gate_result._replace(token_count=token_count, content=(data,), size=max(gate_result.size, len(data)))
    return gate_result._replace(content=(data,))


def _measure_passed(gate_result: GateResult) -> GateResult:
    """Return the result with the bytes and lines of content that passed unchanged and was read to its end."""
    content = gate_result.content
    if gate_result.result in ("raw", "tight") and isinstance(content, CountedContent):
        return gate_result._replace(size=content.size, lines=content.lines)
    return gate_result


def _count_change(result_facts: dict[str, Any]) -> dict[str, int | None]:
    """Return the tokens of the content before the gate and after it, None if they are not known."""
    passed = result_facts["result"] in ("raw", "tight")
    before = result_facts["tokens"] if passed else result_facts["original"].get("tokens")
    return {"before_tokens": before, "after_tokens": result_facts["tokens"]}


class CountedContent:
    """Iterates over content and counts its bytes and lines; a last line without a newline is a line."""

    def __init__(self, content: Iterable[bytes]) -> None:
        self._content = content
        self._newlines = 0
        self._last = b"\n"
        self.size = 0

    @property
    def lines(self) -> int:
        """Return the number of lines so far."""
        return self._newlines + (self._last != b"\n")

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._content:
            self.size += len(piece)
            self._newlines += piece.count(b"\n")
            self._last = piece[-1:] or self._last
            yield piece


def make_entry(gate_result: GateResult, policy: GatePolicy, size: int) -> LedgerEntry:
    """Return the ledger entry for content of ``size`` bytes; estimate uncounted content as a third of its bytes."""
    from ctxkit.core.session.ledger import LedgerEntry

    count, label = gate_result.token_count, policy.label
    is_counted = count.tokens >= 0
    tokens = count.tokens if is_counted else -(-size // 3)
    return LedgerEntry(
        policy.display_name,
        tokens,
        count.method if is_counted else "estimate",
        gate_result.result,
        policy.budget.is_tight(0 if is_counted else tokens),
        gate_result.ref or gate_result.stored_ref,
        label.tool,
        label.call,
        policy.agent,
    )


def _describe_result(gate_result: GateResult, policy: GatePolicy) -> str:
    """Return the decision in one line."""
    from ctxkit.core.store.ref import shorten_ref

    count, ref = gate_result.token_count, f", stored as {shorten_ref(gate_result.ref)}" if gate_result.ref else ""
    size = f"{count.tokens:,} tokens" if count.tokens >= 0 else "not counted"
    how = f"{count.method}, {policy.vocabulary.name}"
    if policy.label.session:
        left = f", {policy.budget.available:,} left in session {policy.label.session}"
    else:
        left = f" of {policy.budget.allowance(policy.limit):,} available"
    return f"{policy.display_name}: {gate_result.result}, {size} ({how}){left}{ref}"


def _event_name(gate_result: GateResult) -> str:
    """Return the name of the event; for shortened content, it is the seed's."""
    return "tool_output_truncated" if gate_result.result in ("briefing", "refused") else "gate"


def facts(gate_result: GateResult, policy: GatePolicy, data: bytes | None = None) -> dict[str, Any]:
    """Return the decision without the content; ``data`` is the content if it is in memory."""
    entered = NO_TOKENS if gate_result.result == "refused" else gate_result.token_count
    answer: dict[str, Any] = {
        "result": gate_result.result,
        "tokens": entered.tokens if entered.tokens >= 0 else None,
        "method": entered.method if entered.tokens >= 0 else None,
        "tokenizer": policy.vocabulary.name,
        **_estimate_bounds(entered),
        "original": _original_facts(gate_result, data),
        "budget": _budget_facts(policy),
    }
    if gate_result.result == "refused":
        answer |= _explain_refusal(gate_result, policy)
    if policy.label.session:
        answer["session"] = policy.label.session
    if gate_result.ref:
        from ctxkit.core.store.ref import shorten_ref

        answer["ref"] = shorten_ref(gate_result.ref)
    if gate_result.earlier is not None:
        entry = gate_result.earlier
        known = {"name": entry.name, "call": entry.call, "ref": shorten_ref(entry.ref), "tokens": entry.tokens}
        answer["earlier"] = known
    if gate_result.briefing is not None:
        answer["kind"] = gate_result.briefing.kind
    return answer


def _original_facts(gate_result: GateResult, data: bytes | None) -> dict[str, Any]:
    original = gate_result.original or gate_result.token_count
    size, total = gate_result.size, gate_result.lines
    if total < 0 and data is not None and gate_result.result in ("raw", "tight"):
        size, total = len(data), data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    known = {"bytes": size, "lines": total, "tokens": original.tokens}
    method = original.method if original.tokens >= 0 else None
    return {name: number for name, number in known.items() if number >= 0} | {
        "method": method,
        **_estimate_bounds(original),
    }


def _estimate_bounds(count: TokenCount) -> dict[str, int]:
    """Return the ends of an estimate; empty for exact counts and bounds."""
    estimated = count.method == "estimate" and count.tokens >= 0
    return {"low": count.least, "high": count.high} if estimated else {}


def _budget_facts(policy: GatePolicy) -> dict[str, int | bool]:
    budget = policy.budget
    return {
        "window": budget.window,
        "reserve": budget.reserve,
        "used": budget.used,
        "available": budget.available,
        **({"assumed": True} if budget.assumed else {}),
    }
