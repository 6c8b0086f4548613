"""Traits of a line that the lines around it show: headings, runs of one shape, and places where the shapes change."""

from collections.abc import Iterable, Mapping, Sequence
from math import log2

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import TITLED, HeadingGroup

REACH = 30
"""Number of lines before and after a line that are read."""
NEAR = 8
"""Number of lines with text before and after a line whose shapes are compared."""
LONG_RUN = 5
"""Minimum number of lines of one shape that follow a line that differs from the line before it."""


class LineSurroundings:
    """Measure the surroundings of lines of a text; ``groups`` are its headings.

    The time for a line does not depend on the number of lines.
    """

    def __init__(self, forms: LineForms, groups: Iterable[HeadingGroup]) -> None:
        self._shapes = forms.shapes
        self._headings = {number: _describe_heading(group) for group in groups for number in group.numbers}
        self._changes: dict[tuple[int, int, bool, float, bool], Mapping[str, float]] = {}

    def list_parts(
        self, number: int, form: int, above: Sequence[int], below: Sequence[int]
    ) -> list[Mapping[str, float]]:
        """Return the traits of line ``number``, which is not blank, in parts; lines with an equal part share it.

        ``form`` is its form, ``above`` and ``below`` are those of the lines within REACH, the nearest first. A trait
        that the line lacks has no key or is 0.
        """
        shapes = self._shapes
        shape = shapes[form]
        before, after = [shapes[each] for each in above if each], [shapes[each] for each in below if each]
        parts = [self._measure_shapes(shape, before, after)]
        return [*parts, self._headings[number]] if number in self._headings else parts

    def _measure_shapes(self, shape: int, above: list[int], below: list[int]) -> Mapping[str, float]:
        """Return the lengths of the runs beside a line, and how much the shapes after it differ from those before."""
        run_above, run_below = _count_run(above), _count_run(below)
        difference, is_odd = -1.0, False
        if above and below:
            before, after = set(above[:NEAR]), set(below[:NEAR])
            difference = 1 - len(before & after) / len(before | after)
            is_odd = above[0] == below[0] != shape
        begins = run_below >= LONG_RUN and (not above or above[0] != shape)
        key = run_above, run_below, begins, difference, is_odd
        if key not in self._changes:
            self._changes[key] = _describe_shapes(*key)
        return self._changes[key]


def _describe_heading(group: HeadingGroup) -> dict[str, float]:
    return {
        "heading": 1.0,
        "heading count": log2(1 + len(group.numbers)),
        "strong heading": float(group.kind <= TITLED),
    }


def _describe_shapes(
    run_above: int, run_below: int, begins: bool, difference: float, is_odd: bool
) -> dict[str, float]:
    """Return the traits of a line between two runs; ``difference`` is below 0 if it is the first or the last line."""
    traits = {
        "run above": log2(1 + run_above),
        "run below": log2(1 + run_below),
        "before long run": float(begins),
    }
    if difference >= 0:
        traits |= {
            "shape change": difference,
            "new shapes": float(difference == 1),
            "odd between": float(is_odd),
        }
    return traits


def _count_run(shapes: list[int]) -> int:
    """Return how many shapes are the same as the first."""
    for place, shape in enumerate(shapes):
        if shape != shapes[0]:
            return place
    return len(shapes)
