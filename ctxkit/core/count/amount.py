"""A token count with its range."""

from collections.abc import Iterable
from math import ceil

from ctxkit.core.named_tuple import NamedTuple


class Amount(NamedTuple):
    """A token count with its lower and upper bound; all three are equal if the count is exact."""

    low: int = 0
    tokens: int = 0
    high: int = 0

    def plus(self, other: "Amount") -> "Amount":
        """Return the sum of two amounts."""
        return Amount(self.low + other.low, self.tokens + other.tokens, self.high + other.high)


ZERO = Amount()
GUESS_LOW, GUESS_HIGH = 0.8, 1.25
"""Factors for the range of an undocumented count, judged by similar providers instead of measured."""


def exact_amount(tokens: int) -> Amount:
    """Return an amount without a range."""
    return Amount(tokens, tokens, tokens)


def guessed_amount(amount: Amount) -> Amount:
    """Return an amount with the wider range of a guess."""
    return Amount(int(amount.low * GUESS_LOW), amount.tokens, ceil(amount.high * GUESS_HIGH))


def sum_amounts(amounts: Iterable[Amount]) -> Amount:
    """Return the sum of amounts."""
    low = tokens = high = 0
    for amount in amounts:
        low += amount[0]
        tokens += amount[1]
        high += amount[2]
    return Amount(low, tokens, high)
