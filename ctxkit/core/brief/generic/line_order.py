"""The order of similar lines: sorted text, or a number that rises or falls from line to line."""

import re
from collections.abc import Sequence
from itertools import chain, pairwise

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.text.lines import IndexedLines

LEAST_LINES, MAX_LINES = 12, 20_000
"""Minimum and maximum number of lines whose order is stated."""
MANY_NUMBERS = 50
"""Number of lines with nothing but a number from which an order replaces most of them."""
MAX_COLUMNS = 12
"""Maximum number of columns that are compared."""
MAX_WIDTH = 500
"""Maximum number of characters of a line that are compared."""
DIGITS = re.compile(r"(\d{1,15})")
NUMBER = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,9})?")


def find_ordered_numbers(forms: LineForms) -> int:
    """Return the form of lines with nothing but a number if all long runs of them rise or fall, or else 0."""
    form = next((number for number, text in enumerate(forms.texts) if number and text == "0"), 0)
    if not form or forms.counts[form] < MANY_NUMBERS:
        return 0
    runs = _find_runs(forms, form)
    return form if runs and all(describe_order(forms.lines, start, end) for start, end in runs) else 0


def _find_runs(forms: LineForms, form: int) -> list[tuple[int, int]]:
    """Return the first and the last line of each long run of a form."""
    runs, start = [], 0
    for number, other in enumerate(chain(forms.ids, (0,)), 1):
        if other == form:
            start = start or number
        elif start:
            runs.append((start, number - 1))
            start = 0
    return [(start, end) for start, end in runs if end - start >= LEAST_LINES]


def describe_order(lines: IndexedLines, start: int, end: int) -> str:
    """Return in which order lines are, measured over all of them: ``, sorted``, ``, column 2 falls from 9 to 1``.

    Return an empty string if no order is known, or if there are few or very many lines.
    """
    if not LEAST_LINES <= end - start + 1 <= MAX_LINES:
        return ""
    texts = [text for _, text in lines.enumerate_lines(start, end)]
    if any(len(text) > MAX_WIDTH for text in texts) or len(set(texts)) * 2 < len(texts):
        return ""
    rows = [text.split() for text in texts]
    width = len(rows[0])
    if width <= MAX_COLUMNS and all(len(row) == width for row in rows):
        for column in range(width):
            if order := _describe_column([row[column] for row in rows], column + 1, width):
                return order
    return _describe_only_number(texts) or _describe_text(texts)


def _describe_text(texts: Sequence[str]) -> str:
    return ", sorted" if all(before <= after for before, after in pairwise(texts)) else ""


def _describe_only_number(texts: Sequence[str]) -> str:
    """Return how the only number that differs between the lines changes: ``, its number rises from 1 to 9``."""
    parts = [DIGITS.split(text) for text in texts]
    width = len(parts[0])
    if any(len(row) != width or row[::2] != parts[0][::2] for row in parts):
        return ""
    varying = [place for place in range(1, width, 2) if any(row[place] != parts[0][place] for row in parts)]
    order = _describe_column([row[varying[0]] for row in parts], 1, 1) if len(varying) == 1 else ""
    return order.replace(", ", ", its only varying number ", 1)


def _describe_column(cells: Sequence[str], column: int, width: int) -> str:
    """Return how the numbers of a column change, an empty string if they do not do so in one direction."""
    if not all(map(NUMBER.fullmatch, cells)):
        return ""
    values = [float(cell) for cell in cells]
    steps = {after - before for before, after in pairwise(values)}
    if steps == {0.0} or (min(steps) < 0 < max(steps)):
        return ""
    verb = "rises" if max(steps) > 0 else "falls"
    name = f"column {column} " if width > 1 else ""
    step = f" by {abs(min(steps)):g} each" if len(steps) == 1 and float(min(steps)).is_integer() else ""
    return f", {name}{verb} from {cells[0]} to {cells[-1]}{step}"
