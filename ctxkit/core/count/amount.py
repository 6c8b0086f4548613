"""A number of tokens with the range that it lies in."""

from collections.abc import Iterable
from math import ceil
from typing import NamedTuple


class Amount(NamedTuple):
    """Hold the most likely number of tokens between the least and the most; all three are the same when exact."""

    low: int = 0
    tokens: int = 0
    high: int = 0

    def plus(self, other: "Amount") -> "Amount":
        """Return the sum of two amounts."""
        return Amount(self.low + other.low, self.tokens + other.tokens, self.high + other.high)


ZERO = Amount()
GUESS_LOW, GUESS_HIGH = 0.8, 1.25
"""Range of what no provider documents, around what it takes with similar ones; a judgement, not a measurement."""


def exact_amount(tokens: int) -> Amount:
    """Return an amount that is known."""
    return Amount(tokens, tokens, tokens)


def guessed_amount(amount: Amount) -> Amount:
    """Return an amount as a guess, which widens its range."""
    return Amount(int(amount.low * GUESS_LOW), amount.tokens, ceil(amount.high * GUESS_HIGH))


def sum_amounts(amounts: Iterable[Amount]) -> Amount:
    """Return the sum of amounts."""
    total = ZERO
    for amount in amounts:
        total = total.plus(amount)
    return total
