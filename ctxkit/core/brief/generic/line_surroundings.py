"""Traits of a line that the lines around it show: headings, runs of one shape, and places where the shapes change."""

from collections.abc import Iterable
from itertools import takewhile
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
        self._forms = forms
        self._groups = {number: group for group in groups for number in group.numbers}

    def measure(self, number: int) -> dict[str, float]:
        """Return the traits of line ``number``, which is not blank; a trait that it lacks has no key or is 0."""
        shape = self._forms.shapes[self._forms.form_of(number)]
        return self._measure_heading(number) | self._measure_shapes(
            shape, self._list_shapes(number, -1), self._list_shapes(number, 1)
        )

    def _measure_heading(self, number: int) -> dict[str, float]:
        group = self._groups.get(number)
        if group is None:
            return {}
        return {
            "heading": 1.0,
            "heading count": log2(1 + len(group.numbers)),
            "strong heading": float(group.kind <= TITLED),
        }

    def _measure_shapes(self, shape: int, above: list[int], below: list[int]) -> dict[str, float]:
        """Return the lengths of the runs beside a line, and how much the shapes after it differ from those before."""
        run_above, run_below = _count_run(above), _count_run(below)
        traits = {
            "run above": log2(1 + run_above),
            "run below": log2(1 + run_below),
            "before long run": float(run_below >= LONG_RUN and (not above or above[0] != shape)),
        }
        if above and below:
            before, after = set(above[:NEAR]), set(below[:NEAR])
            difference = 1 - len(before & after) / len(before | after)
            traits["shape change"] = difference
            traits["new shapes"] = float(difference == 1)
            traits["odd between"] = float(above[0] == below[0] != shape)
        return traits

    def _list_shapes(self, number: int, step: int) -> list[int]:
        """Return the shapes of the lines with text near a line in a direction, the nearest first."""
        forms = self._forms
        first, last = number + step, number + step * REACH
        rows = range(first, max(last, 1) - 1, -1) if step < 0 else range(first, min(last, forms.total) + 1)
        return [forms.shapes[form] for form in map(forms.form_of, rows) if form]


def _count_run(shapes: list[int]) -> int:
    """Return how many shapes are the same as the first."""
    return sum(1 for _ in takewhile(lambda shape: shape == shapes[0], shapes))
