"""Layouts of printed tables: columns separated by bars, rulers or blanks."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass

BARS = "|\u2502\u2503\u2551\u2506\u2507"
RULER = compile_lazily(
    r"\s*+[|+]?(?=.*(?:--|==|\u2500\u2500|\u2501\u2501|\u2550\u2550|\+-|:-))[-=+|: \u2500-\u257f]{2,}$"
)
"""Pattern of a line of dashes between header and rows, or around them."""
RULER_STARTS = frozenset(
    "-=+|:\u2500\u2501\u2550\u250c\u2514\u251c\u2554\u255a\u255f\u2560\u255e\u250f\u2517\u2521\u2523\u256d\u2570"
)
"""First characters of such a line."""
RULER_CHARACTERS = "-=+|: \n" + "".join(map(chr, range(0x2500, 0x2580)))
"""All characters of such a line."""
NAME = compile_lazily(r"[^\W\d_][\w/%().#:-]*|[%#*][\w%()/]*|/s")
TWO_BLANKS = compile_lazily(r" {2,}|\t+ *")
MAX_WIDTH = 1_000
"""Maximum number of characters of a line that are searched for columns."""
Split = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Layout:
    """Hold the names of the columns and a function to split rows; ``method`` describes the separation in words,
    ``fits`` tells rows from lines below the table, if the rows keep to fixed columns.
    """

    names: tuple[str, ...]
    split: Split
    method: str
    share: float = 1.0
    fits: Callable[[str], bool] | None = None


def is_ruler(line: str) -> bool:
    """Return whether a line consists of dashes only."""
    text = line.lstrip()
    return text[:1] in RULER_STARTS and not text.strip(RULER_CHARACTERS) and RULER.match(line) is not None


def find_bar(line: str) -> str:
    """Return the bar that separates the cells of a line, or an empty string."""
    return next((bar for bar in BARS if bar in line), "")


def make_bar_layout(header: str) -> Layout:
    """Return the layout of a table with bars between its cells."""
    bar = find_bar(header)
    closed = header.strip()[:1] in BARS

    def split(line: str) -> list[str]:
        """Return the cells of a row."""
        for other in BARS:
            if other != bar and other in line and bar != "|":
                line = line.replace(other, bar)
        text = line.strip()
        if closed:
            text = text.removeprefix(bar).removesuffix(bar)
        return [cell.strip() for cell in text.split(bar)]

    if bar != "|":
        header = "".join(bar if char in BARS else char for char in header)
    return Layout(tuple(split(header)), split, "bars")


def make_ruled_layout(header: str, ruler: str, rows: Sequence[str] = ()) -> Layout:
    """Return the layout of a table whose columns are as wide as the dashes below their names.

    Cells may be wider than the dashes: only the boundaries that the first ``rows`` keep to tell rows from other lines.
    """
    starts = [match.start() for match in re.finditer(r"=+|-{2,}|\+{2,}", ruler)]
    kept = [start for start in starts if start == starts[0] or all(_has_boundary(row, start) for row in rows)]
    fits = partial(_keeps_to, starts=kept)
    return Layout(
        tuple(cut_cells(header, starts)),
        lambda line: cut_cells(line, starts),
        "the dashes below the header",
        fits=fits if len(kept) > 1 and all(map(fits, rows)) else None,
    )


def _keeps_to(line: str, starts: Sequence[int]) -> bool:
    """Return whether no word crosses a column boundary, and more than one column has text."""
    if not all(_has_boundary(line, start) for start in starts[1:]):
        return False
    return sum(map(bool, cut_cells(line, starts))) >= min(len(starts), 2)


def _has_boundary(line: str, start: int) -> bool:
    """Return whether no word of a line crosses the boundary before a position."""
    return start >= len(line) or line[start - 1] in " \t"


def strip_mark(line: str) -> str:
    """Return a line without the bullet before highlighted rows."""
    return line.replace("\u25cf", " ") if "\u25cf" in line else line


def cut_cells(line: str, starts: Sequence[int]) -> list[str]:
    """Return the text from each position to the next; a word across a boundary belongs to the column of its middle."""
    if not starts:
        return [line.strip()]
    if len(line) <= MAX_WIDTH and all(start >= len(line) or line[start - 1] == " " for start in starts[1:]):
        ends = [*starts[1:], len(line)]
        return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    cells: list[list[str]] = [[] for _ in starts]
    for match in re.finditer(r"\S+", line):
        cells[max(bisect_right(starts, (match.start() + match.end()) // 2) - 1, 0)].append(match[0])
    return [" ".join(words) for words in cells]


def is_header_like(line: str) -> bool:
    """Return whether a line looks like column names: at least two words, almost none of them a number."""
    words = line.split()
    if len(words) < 2 or len(line) > MAX_WIDTH or line.rstrip().endswith((".", ",", ";", "{", ":")):
        return False
    return sum(NAME.fullmatch(word) is not None for word in words) >= len(words) * 0.8
