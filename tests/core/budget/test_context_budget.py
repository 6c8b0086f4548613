"""The budget by component: the formulas of seed 001."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.budget.context_budget import (
    ContextBudget,
    format_full_note,
    format_note,
    format_short_note,
    make_context_budget,
)
from ctxkit.core.tokens.budget import Budget


def test_the_formulas_are_those_of_the_seed() -> None:
    """Seed 001: "Total - MaxOutputTokens", "sum of all components", "EffectiveWindow - UsedTokens"; "UsedTokens /
    EffectiveWindow".
    """
    budget = ContextBudget(100_000, 4_096, 1_000, 200, 3_000, 40_000)
    assert budget.effective_window == 95_904
    assert budget.used_tokens == 44_200
    assert budget.remaining_tokens == 51_704
    assert budget.used_percentage == 44_200 / 95_904


def test_the_thresholds_are_those_of_the_seed() -> None:
    """Seed 001: "compact_at = 0.95 * effective_window", "block_at = 0.98 * effective_window"; "ShouldCompact and
    ExceedsBudget use EffectiveWindow() instead of raw budget", "UsedTokens() > EffectiveWindow()".
    """
    budget = ContextBudget(200_000, 40_000)
    assert (budget.compact_at, budget.block_at) == (152_000, 156_800)
    for used, states in (
        (151_999, (False, False, False)),
        (152_000, (True, False, False)),
        (156_800, (True, True, False)),
        (160_000, (True, True, False)),
        (160_001, (True, True, True)),
    ):
        full = budget._replace(conversation=used)
        assert (full.should_compact(), full.is_blocked(), full.exceeds_budget()) == states


@given(st.integers(1, 10**7), st.integers(0, 10**7), st.lists(st.integers(0, 10**6), min_size=5, max_size=5))
def test_used_and_remaining_add_up_to_the_window(total: int, reserve: int, parts: list[int]) -> None:
    budget = ContextBudget(total, reserve, *parts)
    assert budget.used_tokens + budget.remaining_tokens == budget.effective_window == max(total - reserve, 0)
    assert budget.is_blocked() <= budget.should_compact()


def test_a_window_without_room_for_input_is_full() -> None:
    budget = ContextBudget(10, 10)
    assert (budget.used_percentage, budget.is_blocked()) == (1.0, True)


def test_thresholds_come_from_the_settings() -> None:
    assert make_context_budget(Budget(1000, 200, 5, 0.5, 0.6))[-2:] == (0.5, 0.6)


WINDOW = ContextBudget(200_000, 40_000)


def test_the_full_note_is_the_example_of_the_seed() -> None:
    """Seed 004, "Example Output to Model"."""
    assert format_full_note(WINDOW._replace(conversation=97_234), 47, 0) == (
        "**Context Status**:\n"
        "- Tokens: 97,234 / 200,000 used (48%)\n"
        "- Items: 47 context items (0 pruning operations so far)\n"
        "- Capacity: 102,766 tokens remaining\n"
        "\n"
        "Use this information to decide:\n"
        "- Whether to continue current approach\n"
        "- Whether to request context pruning\n"
        "- Whether to summarize old discussions\n"
        "- Whether to switch strategies\n"
    )


def test_the_full_note_advises_past_80_percent() -> None:
    """Seed 004: "If approaching limit (>80%), consider:"."""
    advice = (
        "\nIf approaching limit (>80%), consider:\n"
        "1. Removing low-value context items\n"
        "2. Summarizing completed tasks\n"
        "3. Focusing on essential information\n"
    )
    assert format_full_note(WINDOW._replace(conversation=160_001), 3, 2).endswith(advice)
    assert advice not in format_full_note(WINDOW._replace(conversation=160_000), 3, 2)


def test_the_short_note_is_that_of_the_seed() -> None:
    """Seed 001, "Context awareness": "When usage exceeds 80%, inject a non-cacheable note"."""
    assert format_short_note(WINDOW._replace(conversation=132_800)) == (
        "[Context: 83% used. You can call compact_context to free space before continuing with large operations.]\n"
    )
    assert "(66%)" in format_full_note(WINDOW._replace(conversation=132_800), 1, 0)


@pytest.mark.parametrize(("used", "is_due"), [(128_000, False), (128_001, True), (170_000, True)])
def test_the_short_note_speaks_of_the_effective_window(used: int, is_due: bool) -> None:
    assert bool(format_note("short", WINDOW._replace(conversation=used), 0, 0)) is is_due


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(0, 10**6))
def test_percentages_are_never_rounded_up(total: int, used: int, reserve: int) -> None:
    budget = ContextBudget(total, reserve, conversation=used)
    percent = int(format_note("full", budget, 0, 0).partition("used (")[2].partition("%")[0])
    assert total == 0 or percent <= 100 * used / total < percent + 1
