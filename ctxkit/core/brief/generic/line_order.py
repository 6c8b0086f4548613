"""The order of similar lines: sorted text, or a number that rises or falls from line to line."""

import re
from collections.abc import Sequence
from itertools import pairwise

from ctxkit.core.text.lines import IndexedLines

LEAST_LINES, MAX_LINES = 12, 20_000
"""Minimum and maximum number of lines whose order is stated."""
MAX_COLUMNS = 12
"""Maximum number of columns that are compared."""
MAX_WIDTH = 500
"""Maximum number of characters of a line that are compared."""
NUMBER = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,9})?")


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
    return ", sorted" if all(before <= after for before, after in pairwise(texts)) else ""


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
