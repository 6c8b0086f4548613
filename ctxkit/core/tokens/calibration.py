"""Define correction factors of token estimates, as learned from receipts and stored in settings."""

from typing import NamedTuple

from ctxkit.core.tokens.vocabulary import Vocabulary

LOWEST_FACTOR, HIGHEST_FACTOR = 0.1, 10.0
"""Limits of plausible factors."""


class Factor(NamedTuple):
    """The factor of a family's estimates, and additional factors of their ends; learned from ``receipts`` receipts."""

    factor: float
    low: float = 1.0
    high: float = 1.0
    receipts: int = 0

    def apply_to(self, vocabulary: Vocabulary) -> Vocabulary:
        """Return the vocabulary with this factor and these ends, replacing its defaults."""
        return vocabulary._replace(factor=self.factor, low=self.low, high=self.high, is_calibrated=True)

    def to_toml(self) -> str:
        """Return the factor as an inline table of TOML."""
        return f"{{ factor = {self.factor}, low = {self.low}, high = {self.high}, receipts = {self.receipts} }}"


def parse_factor(value: object) -> Factor:
    """Return the factor in a settings file: a number, or a table with ``factor``.

    Raise ValueError if it is neither or implausible.
    """
    table = value if isinstance(value, dict) else {"factor": value}
    unknown = set(table) - set(Factor._fields)
    if unknown or "factor" not in table:
        raise ValueError("is not a factor, nor a table with factor, low, high and receipts")
    numbers = list(table.values())
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in numbers):
        raise ValueError("holds a value that is not a number")
    factor = Factor(**table)
    if not (LOWEST_FACTOR <= factor.factor <= HIGHEST_FACTOR and 0 < factor.low <= 1 <= factor.high <= HIGHEST_FACTOR):
        raise ValueError(
            f"is out of range: a factor from {LOWEST_FACTOR:g} to {HIGHEST_FACTOR:g}, low up to 1, high from 1"
        )
    return factor
