"""Traits of a line beside the lines of its shape: rare values in columns of few values, and the largest number."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from math import log2

from ctxkit.core.brief.generic.forms import COMPARED_WIDTH, LineForms
from ctxkit.core.text.ansi import strip_escapes

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
_CELL = re.compile(r"\d{1,15}(?:\.\d{1,9})?(?![\w.])|\w{1,40}")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")


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
        return self._traits.get(number, {})

    def _compare(self, group: list[int]) -> None:
        """Measure the lines of a shape."""
        columns: dict[int, Counter[str]] = {}
        for number in group:
            for column, cell in self._iter_columns(number):
                columns.setdefault(column, Counter())[cell] += 1
        categories = {column: counts for column, counts in columns.items() if _holds_categories(counts)}
        largest = {column: cell for column, counts in columns.items() if (cell := _find_largest(counts))}
        sizes = {column: counts.total() for column, counts in categories.items()}
        for number in group:
            cells = list(self._iter_columns(number))
            traits: dict[str, float] = {}
            counts = [(sizes[column], categories[column][cell]) for column, cell in cells if column in categories]
            rare = [size / count for size, count in counts if count == 1 or size >= count * RARE_SHARE]
            if rare:
                traits = {"rare cell": log2(max(rare)) / 4, "rare cells": log2(1 + len(rare))}
            if any(largest.get(column) == cell for column, cell in cells):
                traits["largest number"] = 1.0
            if traits:
                self._traits[number] = traits

    def _iter_columns(self, number: int) -> Iterator[tuple[int, str]]:
        """Yield the column and the content of each cell; columns from the end of the line are negative."""
        cells = self._cells[number]
        yield from enumerate(cells[:LEFT_COLUMNS])
        yield from ((-place, cells[-place]) for place in range(1, min(len(cells), RIGHT_COLUMNS) + 1))


def _split_line(text: str) -> list[str]:
    """Return the words and numbers of a line."""
    text = text[:COMPARED_WIDTH]
    return _CELL.findall(text if text.isprintable() else strip_escapes(text))


def _holds_categories(counts: Counter[str]) -> bool:
    """Return whether a column holds few values, or one value in half of the lines."""
    size = counts.total()
    return size >= LEAST_LINES and (len(counts) * CATEGORY_SIZE <= size or max(counts.values()) * 2 >= size)


def _find_largest(counts: Counter[str]) -> str:
    """Return the largest number of a numeric column with three values or more, empty if it is not rare."""
    numbers = [cell for cell in counts if _NUMBER.fullmatch(cell)]
    total = sum(counts[cell] for cell in numbers)
    if len(numbers) < 3 or total * 100 < counts.total() * NUMBER_SHARE:
        return ""
    largest = max(numbers, key=float)
    return largest if counts[largest] <= 2 else ""
