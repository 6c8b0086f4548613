"""Log decisions of the gate as events, describe its result for programs, and explain a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.core.gate.decision import GatePolicy, GateResult
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.stream import CountedContent
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.edge import events

if TYPE_CHECKING:
    from collections.abc import Mapping

_NO_TOKENS = TokenCount(0, 0, "exact")
"""The token count of a refusal."""
_SHORTENED = ("briefing", "refused")


def record_decision(
    path: str, gate_result: GateResult, policy: GatePolicy, call_facts: Mapping[str, Any], more: Mapping[str, Any]
) -> None:
    """Append a decision to a file of events, after its content was read to its end."""
    name, event_facts = describe_decision(_measure_passed(gate_result), policy)
    events.record(path, name, {**call_facts, **event_facts, **more})


def describe_decision(gate_result: GateResult, policy: GatePolicy) -> tuple[str, dict[str, Any]]:
    """Return the name and the members of the event of a decision."""
    result_facts = describe_result(gate_result, policy)
    event_facts = {"name": policy.label.name, **result_facts, **_count_change(result_facts)}
    return find_event_name(gate_result), {**event_facts, **_describe_ranges(gate_result)}


def _describe_ranges(gate_result: GateResult) -> dict[str, Any]:
    """Return the lines that a map quotes and names, by which later reads are told apart."""
    if gate_result.briefing is None:
        return {}
    from ctxkit.core.events.event import find_map_ranges

    return find_map_ranges(gate_result.briefing.text, gate_result.lines)._asdict()


def find_event_name(gate_result: GateResult) -> str:
    """Return the name of the event; for shortened content, it is the seed's."""
    return "tool_output_truncated" if gate_result.result in _SHORTENED else "gate"


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


def describe_result(gate_result: GateResult, policy: GatePolicy, data: bytes | None = None) -> dict[str, Any]:
    """Return the decision without the content; ``data`` is the content if it is in memory."""
    entered = _NO_TOKENS if gate_result.result == "refused" else gate_result.token_count
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
        answer |= describe_refusal(gate_result, policy)
    if policy.label.session:
        answer["session"] = policy.label.session
    if gate_result.ref:
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


def describe_refusal(gate_result: GateResult, policy: GatePolicy) -> dict[str, str]:
    """Return the reason of a refusal and a remedy."""
    return {"reason": explain_refusal(gate_result, policy), "hint": suggest_remedy(gate_result, policy)}


def explain_refusal(gate_result: GateResult, policy: GatePolicy) -> str:
    """Return why content is refused: the window is full, or no briefing is short enough."""
    budget = policy.budget
    if budget.is_blocked():
        return f"the window is full: {budget.used:,} of {budget.effective:,} tokens are used"
    what = "map" if gate_result.ref else "excerpt"
    share = "half of what is available" if policy.target == budget.available // 2 else "all that --limit allows"
    return f"no {what} of {policy.title} fits {policy.target:,} tokens, {share}"


def suggest_remedy(gate_result: GateResult, policy: GatePolicy) -> str:
    """Return how to free tokens, and how to read the stored content or let it pass."""
    suggestions = ["ctxkit compact frees tokens"]
    if policy.limit is not None and policy.limit < policy.budget.available:
        suggestions.append("a larger --limit admits more")
    if policy.budget.assumed:
        suggestions.append("--model or --window names a larger window")
    if policy.budget.is_blocked() and _fits_window(gate_result, policy):
        suggestions.append("--admit passes it anyway")
    if gate_result.ref:
        suggestions.append(f"ctxkit cache get {shorten_ref(gate_result.ref)} reads the stored content")
    return "; ".join(suggestions)


def _fits_window(gate_result: GateResult, policy: GatePolicy) -> bool:
    """Return whether the complete content would fit the rest of the window."""
    original = gate_result.original
    return original is not None and original.complete and 0 <= original.high <= policy.budget.allowance(policy.limit)
