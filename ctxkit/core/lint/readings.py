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


READING_SET = "repositories on which the rule was not tuned"
READINGS: dict[str, Reading] = {
    "BUD003": Reading(17, 0, 0),
    "BUD004": Reading(71, 5, 0),
    "BUD005": Reading(10, 0, 0),
    "DUP001": Reading(28, 10, 1),
    "DUP002": Reading(15, 4, 1),
    "DUP003": Reading(13, 7, 0),
    "DUP004": Reading(5, 1, 0),
    "DUP005": Reading(50, 12, 0),
    "DUP006": Reading(21, 1, 0),
    "DUP009": Reading(1, 8, 0),
    "HYG002": Reading(0, 0, 1),
    "HYG003": Reading(2, 0, 0),
    "HYG005": Reading(50, 1, 0),
    "HYG006": Reading(4, 0, 0),
    "HYG007": Reading(10, 1, 2),
    "MEM001": Reading(0, 2, 0),
    "MEM003": Reading(1, 2, 1),
    "REF001": Reading(111, 3, 3),
    "REF002": Reading(24, 11, 4),
    "REF003": Reading(21, 1, 3),
    "REF004": Reading(9, 0, 0),
    "REF005": Reading(64, 8, 0),
    "REF006": Reading(13, 0, 0),
    "STR001": Reading(45, 5, 0),
    "STR002": Reading(21, 0, 0),
    "STR003": Reading(11, 4, 0),
    "STR004": Reading(8, 0, 0),
    "STR005": Reading(0, 2, 0),
    "STR006": Reading(1, 0, 0),
    "STR007": Reading(30, 1, 0),
    "STR008": Reading(43, 9, 2),
    "STR009": Reading(1, 6, 0),
}
"""Findings of the rules as they are; those that a later change of a rule leaves out do not count.

Findings of a rule that was changed after a reading are those of repositories that were read after the change.
"""
MIN_PRECISION = 0.6
"""Minimum share of useful findings of a rule that runs by default."""
MIN_READ = 2
"""Minimum findings read that take a rule out of the default set."""


KEPT = frozenset(("MEM001",))
"""Rules that run although readers did not act on them: the workspace that motivated the linter needs them."""


def is_default(code: str) -> bool:
    """Return whether a rule runs unless it is selected otherwise: unless its precision was measured to be low."""
    if code in KEPT:
        return True
    reading = READINGS.get(code)
    return reading is None or reading.total < MIN_READ or reading.precision >= MIN_PRECISION


def describe_reading(code: str) -> str:
    """Return the sentence about the measured precision of a rule."""
    reading = READINGS.get(code)
    if reading is None:
        return f"No finding of the rule was read on {READING_SET}."
    counts = f"{reading.useful} of {reading.total} useful, {reading.useless} useless, {reading.false} false"
    return f"{reading.precision:.2f} on {READING_SET}: {counts}."
