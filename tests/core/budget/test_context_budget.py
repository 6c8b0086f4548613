"""The budget by component: the formulas of seed 001."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.budget.context_budget import ContextBudget, make_context_budget
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
