"""Which step comes next: prune, compact, block, each from its share of the effective window."""

import json

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.budget.context_budget import ContextBudget
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.count.amount import exact_amount
from ctxkit.core.gate.decision import GateResult
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.core.turn.results import GatedResult
from ctxkit.core.turn.steps import (
    TurnReport,
    TurnStep,
    choose_step,
    find_standing_rules,
    make_thresholds,
    split_components,
)

BUDGET = Budget(125_000, 25_000)
WITH_PRUNING, WITHOUT = make_thresholds(BUDGET, 0.8), make_thresholds(BUDGET, None)


def test_the_shares_are_those_of_the_seed() -> None:
    """Seed 001: "compact_at = 0.95 * effective_window; block_at = 0.98 * effective_window"."""
    assert WITH_PRUNING == (80_000, 95_000, 98_000)
    assert WITHOUT.prune is None


def test_each_step_comes_from_its_share_on() -> None:
    assert [choose_step(used, WITH_PRUNING) for used in (79_999, 80_000)] == [None, "prune"]
    assert [choose_step(used, WITHOUT) for used in (80_000, 94_999, 95_000, 98_000)] == [None, None, "compact", "force"]


def test_a_compaction_is_due_earlier_while_the_cache_is_cold() -> None:
    assert make_thresholds(BUDGET, None, low_water=0.5) == (None, 72_500, 98_000)
    assert make_thresholds(BUDGET, None, 40_000, low_water=0.5).compact == 83_500
    assert make_thresholds(BUDGET, None, low_water=0.99) == WITHOUT


def test_the_order_is_prune_compact_block() -> None:
    steps: list[TurnStep] = []
    while step := choose_step(99_000, WITH_PRUNING, steps):
        steps.append(step)
        if step == "block":
            break
    assert steps == ["prune", "force", "block"]


def test_a_compaction_that_is_not_enough_is_forced() -> None:
    """Seed 001: "force compaction before accepting the next user message"."""
    assert choose_step(98_500, WITHOUT, ["compact"]) == "force"
    assert choose_step(96_000, WITHOUT, ["compact"]) is None
    assert choose_step(96_000, WITHOUT, ["force"]) is None


def test_a_session_that_is_due_is_compacted_below_the_share() -> None:
    assert choose_step(10, WITHOUT, is_due=True) == "compact"
    assert choose_step(10, WITHOUT, ["compact"], is_due=True) is None


@given(st.integers(0, 120_000), st.sampled_from([WITH_PRUNING, WITHOUT]), st.booleans())
def test_the_steps_end_and_only_what_is_below_the_block_is_sent(used: int, thresholds, is_due: bool) -> None:
    steps: list[TurnStep] = []
    while (step := choose_step(used, thresholds, steps, is_due=is_due)) and step != "block":
        assert step not in steps
        steps.append(step)
    assert (step == "block") == (used >= thresholds.block)


RULE = "Never change the lockfile in any task."


def find(*messages: tuple[str, str], most: int = 1000) -> tuple[str, ...]:
    lines = "\n".join(json.dumps({"role": role, "content": text}) for role, text in messages)
    return find_standing_rules(parse_transcript(lines.encode(), "x", openai), most)


def test_standing_rules_of_the_user_are_found_once() -> None:
    assert find(
        ("user", f"Hello. {RULE} Never touch parser.py."), ("assistant", "In every task, always wait."), ("user", RULE)
    ) == (RULE,)


def test_the_oldest_are_kept_within_the_limit() -> None:
    later = "From now on, always sign the commits."
    assert find(("user", RULE), ("user", later)) == (RULE, later)
    assert find(("user", RULE), ("user", later), most=len(RULE)) == (RULE,)


BUDGET_REPORT = ContextBudget(1000, 200)


def test_components_add_up() -> None:
    components = {
        name: exact_amount(size) for name, size in (("system", 50), ("tools", 30), ("user", 7), ("results", 5))
    }
    budget = split_components(BUDGET_REPORT, components, [20], 8)
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
        *("s", "openai", exact_amount(400), "exact", "o200k", BUDGET_REPORT._replace(conversation=400), 3, 1),
        *(("force",), ("x",), (gated,), ("line 1: moved",), "too large"),
    )
    facts = report.make_facts()
    assert (facts["percent"], facts["effective"], facts["steps"]) == (50.0, 800, ["force"])
    assert facts["results"] == [{"call": "c1", "tool": "bash", "result": "briefing", "tokens": 9, "ref": "f" * 16}]
