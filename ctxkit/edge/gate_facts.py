"""Describe the gate's result for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.core.tokens.token_count import TokenCount

if TYPE_CHECKING:
    from ctxkit.core.gate.decision import GatePolicy, GateResult

NO_TOKENS = TokenCount(0, 0, "exact")
"""The token count of a refusal."""


def describe_result(gate_result: GateResult, policy: GatePolicy, data: bytes | None = None) -> dict[str, Any]:
    """Return the decision without the content; ``data`` is the content if it is in memory."""
    entered = NO_TOKENS if gate_result.result == "refused" else gate_result.token_count
    answer: dict[str, Any] = {
        "result": gate_result.result,
        "tokens": entered.tokens if entered.tokens >= 0 else None,
        "method": entered.method if entered.tokens >= 0 else None,
        "tokenizer": policy.vocabulary.name,
        **_estimate_bounds(entered),
        "original": _describe_original(gate_result, data),
        "budget": _describe_budget(policy),
    }
    if gate_result.result == "refused":
        answer |= explain_refusal(gate_result, policy)
    if policy.label.session:
        answer["session"] = policy.label.session
    if gate_result.ref:
        from ctxkit.core.store.label import shorten_ref

        answer["ref"] = shorten_ref(gate_result.ref)
    if gate_result.earlier is not None:
        entry = gate_result.earlier
        known = {"name": entry.name, "call": entry.call, "ref": shorten_ref(entry.ref), "tokens": entry.tokens}
        answer["earlier"] = known
    if gate_result.briefing is not None:
        answer["kind"] = gate_result.briefing.kind
    return answer


def _describe_original(gate_result: GateResult, data: bytes | None) -> dict[str, Any]:
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


def _describe_budget(policy: GatePolicy) -> dict[str, int | bool]:
    budget = policy.budget
    return {
        "window": budget.window,
        "reserve": budget.reserve,
        "used": budget.used,
        "available": budget.available,
        **({"assumed": True} if budget.assumed else {}),
    }


def explain_refusal(gate_result: GateResult, policy: GatePolicy) -> dict[str, str]:
    """Return the reason of a refusal and a remedy."""
    from ctxkit.edge import refusal

    return {"reason": refusal.explain_refusal(gate_result, policy), "hint": refusal.suggest_remedy(gate_result, policy)}
