"""Amounts add up, and their bounds stay around the count."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.count.amount import ZERO, Amount, exact_amount, guessed_amount, sum_amounts

counts = st.integers(0, 10**9)
amounts = st.tuples(counts, counts, counts).map(lambda values: Amount(*sorted(values)))


@given(st.lists(amounts, max_size=5))
def test_a_sum_is_the_sum_of_each_bound(parts) -> None:
    total = sum_amounts(parts)
    assert total == tuple(sum(values) for values in zip(*parts, strict=True)) if parts else total == ZERO


@given(amounts)
def test_a_guess_has_a_wider_range_and_the_same_count(amount) -> None:
    guess = guessed_amount(amount)
    assert guess.low <= amount.low <= guess.tokens == amount.tokens <= amount.high <= guess.high


def test_an_exact_amount_has_no_range() -> None:
    assert exact_amount(7) == Amount(7, 7, 7)
    assert guessed_amount(exact_amount(100)) == Amount(80, 100, 125)
