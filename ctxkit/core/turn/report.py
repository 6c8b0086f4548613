"""The report of a turn: what its request takes, and what was done to keep it within the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.store.label import shorten_ref

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ctxkit.core.budget.context_budget import ContextBudget
    from ctxkit.core.count.amount import Amount
    from ctxkit.core.count.message_tokens import Component
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.core.turn.results import GatedResult
    from ctxkit.core.turn.steps import TurnStep


class TurnReport(NamedTuple):
    """The figures of a turn: tokens of the request, its components, steps, and the results that are not raw."""

    session: str
    provider: str
    amount: Amount
    method: str
    tokenizer: str
    budget: ContextBudget
    messages: int
    appended: int
    steps: tuple[TurnStep, ...]
    deferred: tuple[str, ...]
    gated: tuple[GatedResult, ...]
    repairs: tuple[str, ...]
    reason: str = ""

    def make_facts(self) -> dict[str, JsonValue]:
        """Return the documented members of the report."""
        budget = self.budget
        return {
            "session": self.session,
            "provider": self.provider,
            "tokens": self.amount.tokens,
            "high": self.amount.high,
            "method": self.method,
            "tokenizer": self.tokenizer,
            "components": {
                "system_prompt": budget.system_prompt,
                "skills": budget.skill_prompts,
                "tools": budget.tool_descriptions,
                "conversation": budget.conversation,
                "unmeasured": budget.unmeasured,
            },
            "window": budget.total,
            "reserve": budget.max_output_tokens,
            "effective": budget.effective_window,
            "percent": round(100 * budget.used_percentage, 1),
            "messages": self.messages,
            "appended": self.appended,
            "steps": list(self.steps),
            "deferred": list(self.deferred),
            "results": [_describe_result(item) for item in self.gated],
            "repairs": list(self.repairs),
            "reason": self.reason or None,
        }


def _describe_result(item: GatedResult) -> dict[str, JsonValue]:
    result = item.result
    return {
        "call": item.call or None,
        "tool": item.tool or None,
        "result": result.result,
        "tokens": max(result.token_count.tokens, 0),
        "ref": shorten_ref(result.ref) or None,
    }


def split_components(
    budget: ContextBudget, components: Mapping[Component, Amount], skills: Iterable[int], unmeasured: int
) -> ContextBudget:
    """Return the budget with the tokens of each component; ``skills`` are part of the system prompt."""
    system = components["system"].tokens
    skill_tokens = min(sum(skills), system)
    tools = components["tools"].tokens
    rest = sum(amount.tokens for name, amount in components.items() if name not in ("system", "tools"))
    return budget._replace(
        system_prompt=system - skill_tokens,
        skill_prompts=skill_tokens,
        tool_descriptions=tools,
        conversation=rest,
        unmeasured=unmeasured,
    )
