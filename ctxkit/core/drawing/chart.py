"""A chart of stacked columns, and its layout in SVG units."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

MAX_COLUMNS = 300
"""Number of columns that are drawn; neighbours of a longer chart share a column."""
MAX_TICKS = 6
"""Number of labels below the columns."""
MAX_VALUES = 5
"""Number of values above 0 beside the columns."""


class Series(NamedTuple):
    """The values of one component, one for each column; none is negative."""

    name: str
    values: tuple[int, ...]


class Mark(NamedTuple):
    """A vertical line before a column."""

    column: int
    name: str


class Limit(NamedTuple):
    """A horizontal line at a value."""

    value: int
    name: str


class Chart(NamedTuple):
    """Stacked columns with their labels; ``axis`` names what the columns are."""

    title: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    limits: tuple[Limit, ...] = ()
    axis: str = ""
    unit: str = "tokens"

    def sum_columns(self) -> list[int]:
        """Return the height of each column."""
        return [sum(values) for values in zip(*(series.values for series in self.series), strict=True)]

    def shorten(self, most: int = MAX_COLUMNS) -> "Chart":
        """Return the chart with at most ``most`` columns: of neighbours, the highest column stays."""
        size = len(self.labels)
        if size <= most:
            return self
        sums = self.sum_columns()
        bounds = [at * size // most for at in range(most + 1)]
        kept = [max(range(*span), key=sums.__getitem__) for span in pairwise(bounds)]
        return self._replace(
            labels=tuple(self.labels[at] for at in kept),
            series=tuple(series._replace(values=tuple(series.values[at] for at in kept)) for series in self.series),
            marks=tuple(mark._replace(column=mark.column * most // size) for mark in self.marks),
        )

    @property
    def top(self) -> int:
        """Return the highest value of the chart."""
        return max([1, *self.sum_columns(), *(limit.value for limit in self.limits)])


def list_ticks(top: int) -> list[int]:
    """Return round values from 0 to at least ``top``, at most ``MAX_VALUES`` above 0."""
    step = 1
    while -(-top // step) > MAX_VALUES:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return [step * number for number in range(-(-top // step) + 1)]


def format_short(value: int) -> str:
    """Return a count in few characters, such as 1.5M, 20k or 300."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value / size:.1f}".removesuffix(".0") + unit
    return str(value)


def pick_labels(labels: Sequence[str]) -> Iterator[int]:
    """Yield the positions of the labels that are shown, the first and the last among them."""
    size = len(labels)
    if size <= MAX_TICKS:
        yield from range(size)
        return
    yield from dict.fromkeys(round(at * (size - 1) / (MAX_TICKS - 1)) for at in range(MAX_TICKS))
