"""The report of a turn: components and results."""

from ctxkit.core.budget.context_budget import ContextBudget
from ctxkit.core.count.amount import exact_amount
from ctxkit.core.gate.decision import GateResult
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.core.turn.report import TurnReport, split_components
from ctxkit.core.turn.results import GatedResult

BUDGET = ContextBudget(1000, 200)


def test_components_add_up() -> None:
    components = {
        name: exact_amount(size) for name, size in (("system", 50), ("tools", 30), ("user", 7), ("results", 5))
    }
    budget = split_components(BUDGET, components, [20], 8)
    assert (budget.system_prompt, budget.skill_prompts, budget.tool_descriptions, budget.conversation) == (
        30,
        20,
        30,
        12,
    )
    assert budget.used_tokens == 100


def test_facts_name_what_was_done() -> None:
    gated = GatedResult("c1", "bash", GateResult("briefing", TokenCount(9, 9, "exact"), (), "f" * 64))
    report = TurnReport(
        *("s", "openai", exact_amount(400), "exact", "o200k", BUDGET._replace(conversation=400), 3, 1),
        *(("force",), ("x",), (gated,), ("line 1: moved",), "too large"),
    )
    facts = report.make_facts()
    assert (facts["percent"], facts["effective"], facts["steps"]) == (50.0, 800, ["force"])
    assert facts["results"] == [{"call": "c1", "tool": "bash", "result": "briefing", "tokens": 9, "ref": "f" * 16}]
