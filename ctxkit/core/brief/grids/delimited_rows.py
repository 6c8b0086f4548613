"""Checks that lines with delimiters are rows of a table, not text that happens to contain them."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from ctxkit.core.lazy_pattern import compile_lazily

PAIRS = (("[", "]"), ("(", ")"), ("{", "}"))
ALIGNED = compile_lazily(r"\S {2,}\S")
"""Pattern of a cell with several columns of its own, aligned with blanks."""


def are_rows(rows: Sequence[Sequence[str]], delimiter: str, width: int) -> bool:
    """Return whether cells look like cells of a table: they close their brackets and are not parts of sentences."""
    full = [row for row in rows if len(row) == width]
    if not full or _share(full, _has_open_bracket) > 1 / 3:
        return False
    ended = all(not row[-1].strip() for row in full)
    if (delimiter == "|" and (width == 2 or ended)) or (width == 2 and ended):
        return False
    if width > 2:
        return True
    if delimiter == "\t":
        return not (_are_numbered(full) or _is_indented(full) or _share(full, _has_aligned_cell) > 0.5)
    return delimiter != "," or not _are_clauses(full)


def _share(rows: Sequence[Sequence[str]], test: Callable[[Sequence[str]], bool]) -> float:
    return sum(map(test, rows)) / len(rows)


def _has_open_bracket(row: Sequence[str]) -> bool:
    return any(cell.count(begin) != cell.count(end) for cell in row for begin, end in PAIRS)


def _has_aligned_cell(row: Sequence[str]) -> bool:
    return any(ALIGNED.search(cell.strip()) for cell in row)


def _are_numbered(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first column counts lines, as ``cat -n`` does: indented, one after the other."""
    numbers = [int(row[0]) for row in rows if row[0].strip().isdecimal() and len(row[0]) < 20]
    steps = sum(after == before + 1 for before, after in pairwise(numbers))
    return len(numbers) > 0.9 * len(rows) and steps > 0.9 * (len(rows) - 1) and rows[0][0] != rows[0][0].lstrip()


def _is_indented(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first column is empty in most rows: then the delimiter indents text."""
    return sum(not row[0].strip() for row in rows) > 0.8 * len(rows)


def _are_clauses(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether two cells are clauses of a sentence: words before the comma and a blank after it."""
    spaced = sum(row[1][:1] == " " and " " in row[0].strip() for row in rows)
    return spaced > 0.5 * len(rows)
