from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.budget import Budget, reserve_of, threshold_of

TOKENS = st.integers(0, 2_000_000)
BUDGETS = st.builds(Budget, window=TOKENS, reserve=TOKENS, used=TOKENS)


@pytest.mark.parametrize(("window", "available"), [(4_096, 3_277), (32_768, 26_214), (200_000, 160_000)])
def test_the_default_reserve_leaves_what_the_table_of_windows_says(window, available):
    assert Budget(window, reserve_of("20%", window)).available == available


@given(BUDGETS)
def test_what_is_available_is_never_below_zero_and_never_above_the_effective_window(budget):
    assert 0 <= budget.available <= budget.effective <= budget.window


@given(BUDGETS, TOKENS)
def test_consuming_takes_from_what_is_available(budget, tokens):
    assert budget.consume(tokens).available == max(budget.available - tokens, 0) or budget.used > budget.effective


@given(BUDGETS, TOKENS, TOKENS)
def test_consuming_in_two_steps_is_consuming_at_once(budget, first, second):
    assert budget.consume(first).consume(second) == budget.consume(first + second)


@given(BUDGETS, TOKENS)
def test_a_reset_forgets_what_was_used(budget, used):
    assert budget.consume(7).reset(used) == budget.reset(used)
    assert budget.reset().available == budget.effective


def test_a_budget_is_a_value_and_consuming_leaves_the_first_alone():
    budget = Budget(1000, 200)
    budget.consume(300)
    assert budget.available == 800


@given(BUDGETS, st.none() | TOKENS)
def test_a_briefing_may_take_half_the_room_within_cap_and_limit(budget, limit):
    target = budget.target(limit)
    assert target <= budget.available / 2
    assert target <= budget.briefing_cap
    assert target <= budget.room(limit) <= budget.available
    assert limit is None or target <= limit


def test_the_briefing_cap_holds_in_a_large_window():
    assert Budget(1_000_000, 0).target() == 8_000


def test_a_limit_caps_the_room_and_a_larger_one_changes_nothing():
    budget = Budget(1000, 200, 100)
    assert (budget.room(), budget.room(50), budget.room(5000), budget.room(0)) == (700, 50, 700, 0)


SHARES = pytest.mark.parametrize("share", [0.07, 0.5, 0.57, 0.95, 0.98, 0.999, 1.0])


def test_content_is_tight_from_the_trigger_on():
    budget = Budget(1200, 200, used=900)
    assert not budget.tight(49)
    assert budget.tight(50)


def test_a_window_is_blocked_from_the_hard_block_on():
    assert not Budget(1000, 0, used=979).blocked()
    assert Budget(1000, 0, used=980).blocked()


@SHARES
@pytest.mark.parametrize("effective", [1, 20, 100, 300, 1_000, 26_214, 200_000, 10**12])
def test_the_threshold_of_a_share_is_the_first_number_that_reaches_it(share, effective):
    exact = Fraction(str(share)) * effective
    threshold = threshold_of(share, effective)
    assert threshold - 1 < exact <= threshold
    assert not Budget(effective, 0, threshold - 1, share, share).blocked()
    assert Budget(effective, 0, threshold, share, share).blocked()
    assert not Budget(effective, 0, 0, share).tight(threshold - 1)
    assert Budget(effective, 0, 0, share).tight(threshold)


@given(st.floats(0.000_001, 1), st.integers(1, 10**7))
def test_a_threshold_is_within_the_window_and_about_its_share(share, effective):
    assert 0 < threshold_of(share, effective) <= effective
    assert abs(threshold_of(share, effective) - share * effective) <= 1 + effective / 1_000_000


@pytest.mark.parametrize(
    ("text", "window", "tokens"),
    [("4096", 8192, 4096), ("20%", 4096, 819), ("0", 10, 0), ("0%", 10, 0), ("12.5%", 1000, 125), ("99%", 100, 99)],
)
def test_a_reserve_is_tokens_or_a_share_of_the_window(text, window, tokens):
    assert reserve_of(text, window) == tokens


@pytest.mark.parametrize(
    "text", ["", "x", "20 percent", "-1", "-5%", "1000", "100%", "1e3", "nan%", "inf%", "1e400%", "%"]
)
def test_what_is_no_reserve_raises_value_error(text):
    with pytest.raises(ValueError):
        reserve_of(text, 1000)


@given(st.text(max_size=8), st.integers(1, 10**6))
def test_any_text_is_a_reserve_that_leaves_a_window_or_a_value_error(text, window):
    with suppress(ValueError):
        assert 0 <= reserve_of(text, window) < window
