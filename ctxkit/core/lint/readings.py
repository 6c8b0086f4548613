"""State what readers made of the findings of each rule on repositories that no rule was tuned on.

The table decides which rules run by default. docs/benchmarks.md tells how the findings were sampled and read.
"""

from typing import NamedTuple


class Reading(NamedTuple):
    """Numbers of findings by what a reader called them; a useful finding is one that the owner would act on."""

    useful: int
    useless: int
    false: int

    @property
    def total(self) -> int:
        """Return the number of findings read."""
        return sum(self)

    @property
    def precision(self) -> float:
        """Return the share of useful findings."""
        return self.useful / self.total


READING_SET = ""
"""The repositories that were read, in words."""
READINGS: dict[str, Reading] = {}
MIN_PRECISION = 0.6
"""Minimum share of useful findings of a rule that runs by default."""
MIN_READ = 5
"""Minimum findings read that take a rule out of the default set."""


def is_default(code: str) -> bool:
    """Return whether a rule runs unless it is selected otherwise: unless its precision was measured to be low."""
    reading = READINGS.get(code)
    return reading is None or reading.total < MIN_READ or reading.precision >= MIN_PRECISION


def describe_reading(code: str) -> str:
    """Return the sentence about the measured precision of a rule."""
    reading = READINGS.get(code)
    if reading is None:
        return f"No finding of the rule was read on {READING_SET}."
    counts = f"{reading.useful} of {reading.total} useful, {reading.useless} useless, {reading.false} false"
    return f"{reading.precision:.2f} on {READING_SET}: {counts}."
