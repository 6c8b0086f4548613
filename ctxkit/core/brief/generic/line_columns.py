"""Traits of a line beside the lines of its shape: rare values in columns of few values, and the largest number."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log2

from ctxkit.core.brief.generic.forms import COMPARED_WIDTH, LineForms
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.escapes import strip_escapes

LEFT_COLUMNS, RIGHT_COLUMNS = 10, 6
"""Number of columns that are compared, counted from the beginning and from the end of a line."""
LEAST_LINES = 4
"""Minimum number of lines of a shape whose columns are compared."""
CATEGORY_SIZE = 3
"""Number of lines for each distinct value from which a column holds categories; a value of half the lines does too."""
RARE_SHARE = 10
"""Number of lines for each line with a value from which the value is rare; one that occurs once always is."""
NUMBER_SHARE = 80
"""Percentage of numbers from which a column is numeric."""
DIGITS = 15
"""Maximum number of digits of a number; a longer one is a word."""
_CELL = compile_lazily(rf"\d{{1,{DIGITS}}}(?:\.\d{{1,9}})?(?![\w.])|\w{{1,40}}")
"""Pattern of a number or a word; only a number contains a point."""
_NONE: dict[str, float] = {}
"""The traits of most lines."""


class LineColumns:
    """Compare the words and numbers of lines with those at the same place in lines of the same shape."""

    def __init__(self, forms: LineForms, numbers: Iterable[int]) -> None:
        groups: dict[int, list[int]] = {}
        self._cells = {number: _split_line(forms.lines.at(number)) for number in numbers}
        for number in self._cells:
            groups.setdefault(forms.shapes[forms.form_of(number)], []).append(number)
        self._traits: dict[int, dict[str, float]] = {}
        for group in groups.values():
            if len(group) >= LEAST_LINES:
                self._compare(group)

    def measure(self, number: int) -> dict[str, float]:
        """Return the traits of a line; a trait that it lacks has no key."""
        return self._traits.get(number, _NONE)

    def _compare(self, group: list[int]) -> None:
        """Measure the lines of a shape."""
        rows = [self._cells[number] for number in group]
        width = max(map(len, rows))
        rare: dict[int, list[float]] = {}
        largest: set[int] = set()
        for column in (*range(min(width, LEFT_COLUMNS)), *range(-1, -min(width, RIGHT_COLUMNS) - 1, -1)):
            least = column + 1 if column >= 0 else -column
            places = [place for place, row in enumerate(rows) if len(row) >= least]
            cells = [rows[place][column] for place in places]
            counts = Counter(cells)
            rare_cells = _find_rare(counts)
            if rare_cells:
                for place, cell in zip(places, cells, strict=True):
                    if cell in rare_cells:
                        rare.setdefault(place, []).append(rare_cells[cell])
            if most := _find_largest(counts):
                largest.update(place for place, cell in zip(places, cells, strict=True) if cell == most)
        for place in rare.keys() | largest:
            self._traits[group[place]] = _rate_cells(rare.get(place, ()), is_largest=place in largest)


def _split_line(text: str) -> list[str]:
    """Return the words and numbers of a line."""
    text = text[:COMPARED_WIDTH]
    return _CELL.findall(text if text.isprintable() else strip_escapes(text))


def _rate_cells(rates: Sequence[float], *, is_largest: bool) -> dict[str, float]:
    """Return the traits of a line by the rates of its rare cells, and by whether a number of it is the largest."""
    traits = {"rare cell": log2(max(rates)) / 4, "rare cells": log2(1 + len(rates))} if rates else {}
    return traits | {"largest number": 1.0} if is_largest else traits


def _find_rare(counts: Counter[str]) -> dict[str, float]:
    """Return the rare values of a column of few values, or with one value in half of the lines, with their rarity."""
    size = counts.total()
    if size < LEAST_LINES or (len(counts) * CATEGORY_SIZE > size and max(counts.values()) * 2 < size):
        return {}
    return {cell: size / count for cell, count in counts.items() if count == 1 or size >= count * RARE_SHARE}


def _find_largest(counts: Counter[str]) -> str:
    """Return the largest number of a numeric column with three values or more, empty if it is not rare."""
    numbers = [cell for cell in counts if "." in cell or (cell.isdecimal() and len(cell) <= DIGITS)]
    total = sum(counts[cell] for cell in numbers)
    if len(numbers) < 3 or total * 100 < counts.total() * NUMBER_SHARE:
        return ""
    largest = max(numbers, key=float)
    return largest if counts[largest] <= 2 else ""
