"""What receipts taught of a family of estimates, and how it is kept in the settings."""

from typing import NamedTuple

from ctxkit.core.tokens.vocabulary import Vocabulary

LOWEST_FACTOR, HIGHEST_FACTOR = 0.1, 10.0
"""Factors beyond which receipts cannot be true."""


class Factor(NamedTuple):
    """Hold what estimates of a family are multiplied by, and their ends besides; ``receipts`` taught it."""

    factor: float
    low: float = 1.0
    high: float = 1.0
    receipts: int = 0

    def apply_to(self, vocabulary: Vocabulary) -> Vocabulary:
        """Return the vocabulary as receipts taught it; what was not known of its family now is."""
        return vocabulary._replace(factor=self.factor, low=self.low, high=self.high)

    def to_toml(self) -> str:
        """Return the factor as an inline table of TOML."""
        return f"{{ factor = {self.factor}, low = {self.low}, high = {self.high}, receipts = {self.receipts} }}"


def parse_factor(value: object) -> Factor:
    """Return a factor as a settings file gives it: a number, or a table with ``factor``; raises ValueError."""
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
