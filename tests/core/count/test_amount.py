"""Amounts add up, and their bounds stay around the count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.count.amount import ZERO, Amount, TextCounter, exact_amount, guessed_amount, sum_amounts
from ctxkit.core.tokens.token_count import CUT_SIZE, UNSPLIT, count_tokens
from ctxkit.core.tokens.vocabulary import find_vocabulary

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


def measured(text):
    lengths = []

    def count(part):
        lengths.append(len(part))
        return len(part) // 4

    return TextCounter(find_vocabulary("o200k"), count).count(text), max(lengths)


def test_a_long_text_without_a_place_to_cut_is_counted_in_parts_and_an_estimate() -> None:
    amount, longest = measured("a" * 3 * UNSPLIT)
    assert longest <= UNSPLIT + CUT_SIZE
    assert amount.low < amount.tokens < amount.high


@pytest.mark.parametrize(("text", "parts"), [("a" * CUT_SIZE, CUT_SIZE), ("ab\n" * CUT_SIZE, 2 * CUT_SIZE)])
def test_other_texts_are_counted_exactly(text: str, parts) -> None:
    amount, longest = measured(text)
    assert longest <= parts
    assert amount.low == amount.tokens == amount.high


@pytest.mark.parametrize("text", ["a", "two words\n\n\tand 12,345 more_of itsKind", "é", "\ud800", "\ufeffa", "a" * 300])
def test_an_estimate_is_that_of_content(text: str) -> None:
    claude = find_vocabulary("claude")
    content = count_tokens((text.encode("utf-8", "replace"),), claude, len)
    assert TextCounter(claude, len).count(text) == (content.least, content.tokens, content.high)
