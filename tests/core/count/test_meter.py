"""Measuring texts of messages."""

import pytest

from ctxkit.core.count.meter import Meter
from ctxkit.core.limits import UNSPLIT
from ctxkit.core.tally import CUT
from ctxkit.core.vocabulary import vocabulary_of


def measured(text):
    lengths = []

    def count(part):
        lengths.append(len(part))
        return len(part) // 4

    return Meter(vocabulary_of("o200k"), count).of(text), max(lengths)


def test_a_long_text_without_a_place_to_cut_is_counted_in_parts_and_an_estimate():
    amount, longest = measured("a" * 3 * UNSPLIT)
    assert longest <= UNSPLIT + CUT
    assert amount.low < amount.tokens < amount.high


@pytest.mark.parametrize(("text", "parts"), [("a" * CUT, CUT), ("ab\n" * CUT, 2 * CUT)])
def test_other_texts_are_counted_exactly(text, parts):
    amount, longest = measured(text)
    assert longest <= parts
    assert amount.low == amount.tokens == amount.high
