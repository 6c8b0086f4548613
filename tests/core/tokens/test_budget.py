from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.tokens.budget import RESERVE, Budget, threshold_of

TOKENS = st.integers(0, 2_000_000)
BUDGETS = st.builds(Budget, window=TOKENS, reserve=TOKENS, used=TOKENS)


@pytest.mark.parametrize(("window", "available"), [(4_096, 3_277), (32_768, 26_214), (200_000, 160_000)])
def test_the_default_reserve_leaves_what_the_table_of_windows_says(window: int, available: int) -> None:
    assert Budget(window, round(window * RESERVE)).available == available


@given(BUDGETS)
def test_what_is_available_is_never_below_zero_and_never_above_the_effective_window(budget) -> None:
    assert 0 <= budget.available <= budget.effective <= budget.window


@given(BUDGETS, TOKENS)
def test_consuming_takes_from_what_is_available(budget, tokens) -> None:
    assert budget.with_added(tokens).available == max(budget.available - tokens, 0) or budget.used > budget.effective


@given(BUDGETS, TOKENS, TOKENS)
def test_consuming_in_two_steps_is_consuming_at_once(budget, first, second) -> None:
    assert budget.with_added(first).with_added(second) == budget.with_added(first + second)


@given(BUDGETS, TOKENS)
def test_a_reset_forgets_what_was_used(budget, used) -> None:
    assert budget.with_added(7).with_used(used) == budget.with_used(used)
    assert budget.with_used().available == budget.effective


def test_a_budget_is_a_value_and_consuming_leaves_the_first_alone() -> None:
    budget = Budget(1000, 200)
    budget.with_added(300)
    assert budget.available == 800


@given(BUDGETS, st.none() | TOKENS)
def test_a_briefing_may_take_half_the_room_within_cap_and_limit(budget, limit) -> None:
    target = budget.briefing_target(limit)
    assert target <= budget.available / 2
    assert target <= budget.briefing_cap
    assert target <= budget.allowance(limit) <= budget.available
    assert limit is None or target <= limit


def test_the_briefing_cap_holds_in_a_large_window() -> None:
    assert Budget(1_000_000, 0).briefing_target() == 8_000


def test_a_limit_caps_the_room_and_a_larger_one_changes_nothing() -> None:
    budget = Budget(1000, 200, 100)
    assert (budget.allowance(), budget.allowance(50), budget.allowance(5000), budget.allowance(0)) == (700, 50, 700, 0)


SHARES = pytest.mark.parametrize("share", [0.07, 0.5, 0.57, 0.95, 0.98, 0.999, 1.0])


def test_content_is_tight_from_the_trigger_on() -> None:
    budget = Budget(1200, 200, used=900)
    assert not budget.is_tight(49)
    assert budget.is_tight(50)


def test_a_window_is_blocked_from_the_hard_block_on() -> None:
    assert not Budget(1000, 0, used=979).is_blocked()
    assert Budget(1000, 0, used=980).is_blocked()


@SHARES
@pytest.mark.parametrize("effective", [1, 20, 100, 300, 1_000, 26_214, 200_000, 10**12])
def test_the_threshold_of_a_share_is_the_first_number_that_reaches_it(share: float, effective) -> None:
    exact = Fraction(str(share)) * effective
    threshold = threshold_of(share, effective)
    assert threshold - 1 < exact <= threshold
    assert not Budget(effective, 0, threshold - 1, share, share).is_blocked()
    assert Budget(effective, 0, threshold, share, share).is_blocked()
    assert not Budget(effective, 0, 0, share).is_tight(threshold - 1)
    assert Budget(effective, 0, 0, share).is_tight(threshold)


@given(st.floats(0.000_001, 1), st.integers(1, 10**7))
def test_a_threshold_is_within_the_window_and_about_its_share(share: float, effective: int) -> None:
    assert 0 < threshold_of(share, effective) <= effective
    assert abs(threshold_of(share, effective) - share * effective) <= 1 + effective / 1_000_000


@pytest.mark.parametrize(("limit", "available"), [(None, 700), (100, 100), (0, 0), (9_999, 700)])
def test_a_limit_caps_the_available_tokens(limit: int | None, available: int) -> None:
    budget = Budget(1_000, 200, used=100).with_limit(limit)
    assert (budget.available, budget.window) == (available, 1_000)
