"""A finder of tables among the lines of a text: their layouts, their rows, and the lines outside."""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat

from ctxkit.core.brief.error_lines import is_error_line
from ctxkit.core.brief.grids.fields import name_columns, parse_amount
from ctxkit.core.brief.grids.grid import Grid
from ctxkit.core.brief.grids.layout import (
    Layout,
    find_aligned_layout,
    find_bar,
    find_named_frame,
    is_header_like,
    is_ruler,
    make_bar_layout,
    make_ruled_layout,
    strip_mark,
)
from ctxkit.core.text.lines import IndexedLines

AHEAD = 200
"""Number of rows below a header that decide its layout."""
MAX_OTHER_LINES = 200
"""Maximum number of stored lines outside tables."""
MAX_LATEST_LINES = 12
"""Number of stored last lines outside tables."""
MAX_TABLES = 40
"""Maximum number of tables with different columns."""
MAX_TRIES = 600
"""Number of failed header candidates after which only the first lines of paragraphs are tried."""
CROSS = re.compile(r"[-=\u2500\u2550][+\u253c\u256a][-=\u2500\u2550]")
"""Pattern of a crossing of a column bar and a ruler."""
ABUTTING = re.compile("=-|-=")
"""Pattern of adjacent ruler characters: a decorative line has them, but columns have a gap between them."""
MAX_BLOCKS = 100
"""Maximum number of stored runs of rows below a repeated header."""
STAMP = re.compile(r"(?:\d\d:\d\d:\d\d(?: [AP]M)?|Average:)(?=\s)")
"""Pattern of the time before a header, or of the word that stands in its place."""
SHIFT = 16
"""Number of bits per column for counting rows without a number; AHEAD rows need 8 bits."""
MASK = (1 << SHIFT) - 1
TOTALS = ("total", "totals", "sum", "overall", "grand", "all")


INITIALS = frozenset(letter for word in TOTALS for letter in (word[0], word[0].upper()))


@dataclass(slots=True)
class DetectedTable:
    """Hold one table: its layout, its rows, and the number and lines of its repeated headers."""

    layout: Layout
    grid: Grid
    header: str
    key: str = ""
    blocks: list[tuple[int, int]] = field(default_factory=list)
    repeat_lines: list[int] = field(default_factory=list)
    repeat_count: int = 0
    totals: list[int] = field(default_factory=list)

    def add_block(self, start: int, end: int) -> None:
        """Note a run of rows with its header; a run that is read in pieces is one."""
        if self.blocks and self.blocks[-1][0] == start:
            self.blocks[-1] = (start, max(end, self.blocks[-1][1]))
        elif len(self.blocks) < MAX_BLOCKS:
            self.blocks.append((start, end))

    def is_misfit(self, line: str) -> bool:
        """Return whether a line below the header does not keep to the columns; two in a row end a table."""
        fits = self.layout.fits
        return fits is not None and bool(line.strip()) and not is_ruler(line) and not fits(line)


class TableFinder:
    """Read the lines of a text once, and collect ``tables``, the ``others`` outside them, and the first ``errors``."""

    def __init__(self) -> None:
        self.tables: list[DetectedTable] = []
        self.others: list[tuple[int, str]] = []
        self.latest: deque[tuple[int, str]] = deque(maxlen=MAX_LATEST_LINES)
        self.errors: list[tuple[int, str]] = []
        self.averages = 0
        self.outside = 0
        self._by_key: dict[str, DetectedTable] = {}
        self._begin = 0
        self._open: DetectedTable | None = None
        self._pending: list[str] = []
        self._number = 1
        self._tries = 0

    def read(self, lines: IndexedLines) -> None:
        """Read all lines of a document."""
        for block in lines.blocks():
            rows = block.replace("\r", "").split("\n")
            self.add_lines(rows)
        self.add_lines([], last=True)

    def add_lines(self, rows: Sequence[str], *, last: bool = False) -> None:
        """Read the next lines; possible headers wait for the following lines, unless these are the ``last``."""
        lines = [*self._pending, *rows]
        at, end = 0, len(lines)
        while at < end:
            if self._open:
                at = self._read_rows(lines, at)
                continue
            if end - at <= AHEAD and not last:
                break
            at = self._begin_table(lines, at)
        self._pending = lines[at:]
        self._number += at

    def _begin_table(self, lines: Sequence[str], at: int) -> int:
        """Open the table that begins at a line, if there is one; return the index of the next line to read."""
        line = lines[at]
        if not line.strip():
            return at + 1
        key = make_header_key(line)
        known = self._by_key.get(key)
        if known:
            self._begin = self._number + at
            if line.startswith("Average:"):
                self.averages = self.averages or self._begin
            known.repeat_count += 1
            known.repeat_lines = [*known.repeat_lines, self._number + at][:20]
            self._open = known
            return at + 1
        loose = self._tries < MAX_TRIES or at == 0 or not lines[at - 1].strip()
        layout, height = find_layout(lines, at, loose=loose) if len(self.tables) < MAX_TABLES else (None, 1)
        if layout is None:
            self._tries += loose and is_header_like(line)
            self.outside += 1
            row = (self._number + at, line)
            self.latest.append(row)
            if len(self.errors) < MAX_LATEST_LINES and is_error_line(line):
                self.errors.append(row)
            if len(self.others) < MAX_OTHER_LINES:
                self.others.append(row)
            return at + 1
        header = next(i for i in range(at, at + height) if not is_ruler(lines[i]))
        grid = Grid(list(name_columns(layout.names, len(layout.names))), self._number + header)
        self._open = DetectedTable(layout, grid, lines[header], make_header_key(lines[header]))
        self.tables.append(self._open)
        self._by_key.setdefault(self._open.key, self._open)
        self._begin = self._number + at
        return at + height

    def _read_rows(self, lines: Sequence[str], at: int) -> int:
        """Add rows to the open table up to the line that ends it; return the index of that line."""
        table = self._open
        if table is None:
            return at
        bar = find_bar(table.header) if table.layout.method == "bars" else ""
        rows: list[list[str]] = []
        numbers: list[int] = []
        start, width = at, len(table.layout.names)
        for at in range(start, len(lines)):
            line = lines[at]
            if line == table.header or (table.key != table.header and make_header_key(line) == table.key):
                table.repeat_count += 1
                table.repeat_lines = [*table.repeat_lines, self._number + at][:20]
            elif _ends_table(table, lines, at, bar):
                self._open = None
                break
            elif is_ruler(line):
                continue
            else:
                cells = table.layout.split(line)
                if len(cells) == 1 < width - 1 or (len(cells) != width and line.isupper()):
                    self._open = None
                    break
                rows.append(cells)
                numbers.append(self._number + at)
        else:
            at = len(lines)
        if len(table.totals) < 8:
            totals = [n for row, n in zip(rows, numbers, strict=True) if _is_total(row)]
            table.totals += totals[: 8 - len(table.totals)]
        table.grid.add_rows(rows, numbers)
        table.add_block(self._begin, numbers[-1] if numbers else self._begin)
        return at


def _ends_table(table: DetectedTable, lines: Sequence[str], at: int, bar: str) -> bool:
    """Return whether a line ends a table: it is blank, has no bar, or does not keep to the columns, like the next."""
    line = lines[at]
    if not line.strip() or (bar and bar not in line and not find_bar(line) and not is_ruler(line)):
        return True
    return at + 1 < len(lines) and table.is_misfit(line) and table.is_misfit(lines[at + 1])


def _is_total(row: Sequence[str]) -> bool:
    first = row[0] if row and row[0] else next((cell for cell in row if cell), "")
    if first[:1] not in INITIALS:
        return False
    return first[:12].lower().rstrip(": ").split(" ")[0] in TOTALS


def make_header_key(line: str) -> str:
    """Return a header with a word in the place of the time that it begins with: repeated headers have other times."""
    match = STAMP.match(line)
    return f"{'time':{match.end()}}{line[match.end() :]}" if match else line


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
        return (layout, 2) if parted else (None, 1)
    if not loose or not second.strip() or not is_header_like(line):
        return None, 1
    rows = []
    for row in lines[at + 1 : at + 1 + AHEAD]:
        if not row.strip():
            break
        if make_header_key(row) != line:
            rows.append(row)
    named = find_named_frame(line, rows)
    if named:
        return named, 2
    layout_found = find_aligned_layout(line, rows) if rows else None
    if layout_found and (layout_found.fits or _is_table(layout_found, rows)):
        return layout_found, 1
    return None, 1


def _is_table(layout: Layout, rows: Sequence[str]) -> bool:
    """Return whether rows look like a table below their header, not like sentences or code."""
    width = len(layout.names)
    if width == 2 and layout.method == "blanks":
        return False
    shouted = sum(name.upper() == name for name in layout.names) > width / 2
    if not shouted and layout.method == "blanks" and not _can_have_numbers(rows, width):
        return False
    cells = [layout.split(row) for row in rows]
    even = [row for row in cells if len(row) == width]
    if len(even) < len(rows) * 0.7 or width < 2:
        return False
    columns = list(zip(*even, strict=True))
    numeric = sum(_is_numeric(column) for column in columns)
    if width == 2:
        return (shouted or numeric > 0) and len(rows) > 2 and layout.method != "blanks"
    return numeric > 0 or shouted


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
