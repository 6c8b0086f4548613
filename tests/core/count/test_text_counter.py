"""Measuring texts of messages."""

import pytest

from ctxkit.core.count.text_counter import TextCounter
from ctxkit.core.tokens.token_count import CUT_SIZE, UNSPLIT, count_tokens
from ctxkit.core.tokens.vocabulary import find_vocabulary


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
