"""The layout of a table that begins at a line, if there is one."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat

from ctxkit.core.brief.grids.aligned_layout import GAPS_METHOD, find_aligned_layout, find_named_frame
from ctxkit.core.brief.grids.fields import parse_amount
from ctxkit.core.brief.grids.layout import (
    Layout,
    find_bar,
    is_header_like,
    is_ruler,
    make_bar_layout,
    make_ruled_layout,
    strip_mark,
)
from ctxkit.core.lazy_pattern import compile_lazily

AHEAD = 200
"""Number of rows below a header that decide its layout."""
DIGIT = re.compile(r"\d")
NUMBER_CELL = re.compile(r"(?<!\S)[\d.,]+%?(?!\S)")
"""Pattern of a cell that is a number."""
STAMP = compile_lazily(r"(?:\d\d:\d\d:\d\d(?: [AP]M)?|Average:)(?=\s)")
"""Pattern of the time before a header, or of the word that stands in its place."""
TIME = "time"
"""What stands in the place of the time."""
FEW_NAMES = 6
"""Number of columns up to which no two have the same name."""
LEAST_FILLED = 0.6
"""Minimum share of the cells that are not empty, if only columns of blanks divide the rows."""
SHIFT = 16
"""Number of bits per column for counting rows without a number; AHEAD rows need 8 bits."""
MASK = (1 << SHIFT) - 1

CROSS = compile_lazily(r"[-=\u2500\u2550][+\u253c\u256a][-=\u2500\u2550]")
"""Pattern of a crossing of a column bar and a ruler."""
ABUTTING = compile_lazily("=-|-=")
"""Pattern of adjacent ruler characters: a decorative line has them, but columns have a gap between them."""


def make_header_key(line: str) -> str:
    """Return a header with a word in the place of the time that it begins with: repeated headers have other times."""
    match = STAMP.match(line) if line[:1].isdecimal() or line.startswith("Average:") else None
    return f"{TIME:{match.end()}}{line[match.end() :]}" if match else line


def find_layout(lines: Sequence[str], at: int, *, loose: bool = True) -> tuple[Layout | None, int]:
    """Return the layout of the table that begins at a line and its number of head lines, or None.

    A table without bars and dashes is searched for only if ``loose``, because this checks all rows below.
    """
    line = make_header_key(lines[at])
    following = lines[at + 1 : at + 3]
    second, third = [*following, "", ""][:2]
    if is_ruler(line) and find_bar(second):
        return make_bar_layout(second), 3 if is_ruler(third) else 2
    if find_bar(line) and is_ruler(second) and (find_bar(second) or CROSS.search(second)):
        layout = make_bar_layout(line)
        return (layout, 2) if len(layout.names) > 1 else (None, 1)
    if second.startswith("+++-="):
        second = second.replace("-", " ")
    if is_ruler(second) and not is_ruler(line) and "|" not in line.lstrip("|/"):
        layout = make_ruled_layout(line, second, [row for row in lines[at + 2 : at + 4] if row.strip()])
        parted = len(layout.names) > 1 and all(layout.names[1:]) and not ABUTTING.search(second)
        if parted or not loose or len(second.split()) > 1 or not is_header_like(line):
            return (layout, 2) if parted else (None, 1)
        aligned = _find_loose_layout(line, lines[at + 2 : at + 2 + AHEAD])
        return aligned, 2 if aligned else 1
    if not loose or not second.strip() or not is_header_like(line):
        return None, 1
    rows = _take_rows(line, lines[at + 1 : at + 1 + AHEAD])
    named = find_named_frame(line, rows)
    return (named, 2) if named else (_find_loose_layout(line, rows), 1)


def _take_rows(header: str, lines: Sequence[str]) -> list[str]:
    """Return the lines up to a blank one or to another header in capitals, without repeated headers."""
    pairs = zip((header, *lines), lines, strict=False)
    ends = (at for at, (above, row) in enumerate(pairs) if not row.strip() or _begins_table(row, above, header))
    end = next(ends, len(lines))
    if header.startswith(TIME):
        return [row for row in lines[:end] if make_header_key(row) != header]
    return [row for row in lines[:end] if row != header]


def _begins_table(row: str, above: str, header: str) -> bool:
    """Return whether a row consists of names of another table: in capitals, or below numbers."""
    if not (row.isupper() or follows_numbers(row, above)):
        return False
    return make_header_key(row) != header and row.isprintable() and is_header_like(row)


def follows_numbers(row: str, above: str) -> bool:
    """Return whether a row without a digit stands below one with several numbers."""
    return DIGIT.search(row) is None and len(NUMBER_CELL.findall(above)) > 1


def _find_loose_layout(header: str, lines: Sequence[str]) -> Layout | None:
    """Return the layout of columns that only blanks divide, or None; the rows end at a blank line or a ruler."""
    rows = _take_rows(header, lines)
    rows = rows[: next((at for at, row in enumerate(rows) if is_ruler(row)), len(rows))]
    layout = find_aligned_layout(header, rows) if rows else None
    return layout if layout and (layout.fits or _is_table(layout, rows)) else None


def _is_table(layout: Layout, rows: Sequence[str]) -> bool:
    """Return whether rows look like a table below their header, not like sentences or code."""
    width = len(layout.names)
    if (width == 2 and layout.method == "blanks") or _are_values(layout.names):
        return False
    shouted = sum(name.upper() == name for name in layout.names) > width / 2
    if not shouted and layout.method == "blanks" and not _can_have_numbers(rows, width):
        return False
    cells = [layout.split(row) for row in rows]
    even = [row for row in cells if len(row) == width]
    if len(even) < len(rows) * 0.7 or width < 2 or (layout.method == GAPS_METHOD and _is_sparse(even, layout.names)):
        return False
    columns = list(zip(*even, strict=True))
    numeric = sum(_is_numeric(column) for column in columns)
    if width == 2:
        return (shouted or numeric > 0) and len(rows) > 2 and layout.method != "blanks"
    return numeric > 0 or shouted


def _are_values(names: Sequence[str]) -> bool:
    """Return whether names are cells of a row: a number or a key comes first, or one of few words comes again."""
    words = [name for name in names if name]
    again = len(set(words)) < len(words) <= FEW_NAMES
    return again or names[0].endswith(":") or parse_amount(names[0]) is not None


def _is_sparse(rows: Sequence[Sequence[str]], names: Sequence[str]) -> bool:
    """Return whether blanks that merely happen to stand below each other divide the rows: most cells are empty.

    Rows below a header in capitals may lack values, as those of lsblk do.
    """
    if len(names) > 2 and all(name and name.upper() == name for name in names):
        return False
    filled = sum(sum(map(bool, row)) for row in rows)
    return filled < LEAST_FILLED * len(rows) * len(names)


def _can_have_numbers(rows: Sequence[str], width: int) -> bool:
    """Return whether, judging by the first rows, one of ``width`` columns may be numeric."""
    first = len(rows) // 3
    words = sum(map(_mask_word_cells, rows[:first], repeat(width)))
    return any(words >> (SHIFT * place) & MASK <= len(rows) * 0.2 for place in range(width))


@lru_cache(maxsize=1_024)
def _mask_word_cells(row: str, width: int) -> int:
    """Return which cells of a row are not numbers, as a 1 in each column's SHIFT bits, so that rows can be summed.

    A row of another width counts as 0.
    """
    cells = strip_mark(row).split(None, width - 1)
    if len(cells) != width:
        return 0
    return sum(1 << (SHIFT * place) for place, cell in enumerate(cells) if parse_amount(cell) is None)


def _is_numeric(column: Sequence[str]) -> bool:
    return sum(parse_amount(cell) is not None for cell in column) >= len(column) * 0.8
