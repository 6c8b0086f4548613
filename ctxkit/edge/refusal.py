"""Explain a refusal, and suggest a remedy."""

from ctxkit.core.gate.decision import GatePolicy, GateResult
from ctxkit.core.store.label import shorten_ref


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
