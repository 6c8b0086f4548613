"""A finder of tables among the lines of a text: their layouts, their rows, and the lines outside."""

from collections.abc import Sequence

from ctxkit.core.brief.grids.aligned_layout import TWO_BLANKS_METHOD
from ctxkit.core.brief.grids.fields import name_columns
from ctxkit.core.brief.grids.grid import Grid
from ctxkit.core.brief.grids.layout import (
    TWO_BLANKS,
    Layout,
    find_bar,
    is_header_like,
    is_ruler,
)
from ctxkit.core.brief.grids.outside_lines import OutsideLines
from ctxkit.core.brief.grids.table_layout import AHEAD, DIGIT, find_layout, follows_numbers, make_header_key
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.lines import IndexedLines

MAX_TABLES = 40
"""Maximum number of tables with different columns."""
MAX_TRIES = 600
"""Number of failed header candidates after which only the first lines of paragraphs are tried."""
MIN_HEADER_LENGTH = 3
"""Minimum characters of a header: two names and what separates them."""
MAX_BLOCKS = 100
"""Maximum number of stored runs of rows below a repeated header."""
MAX_REPEAT_LINES = 20
"""Maximum number of stored lines of a repeated header."""
MAX_TOTALS = 8
"""Maximum number of lines with totals. A total below a ruler is no row."""
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

    def add_repeat(self, number: int) -> None:
        """Note a line that repeats the header."""
        self.repeat_count += 1
        self.repeat_lines = [*self.repeat_lines, number][:MAX_REPEAT_LINES]

    def add_rows(self, rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> None:
        """Add rows and their line numbers; note those that are totals."""
        totals = [number for row, number in zip(rows, numbers, strict=True) if _is_total(row)]
        self.totals += totals[: max(MAX_TOTALS - len(self.totals), 0)]
        self.grid.add_rows(rows, numbers)

    def is_misfit(self, line: str) -> bool:
        """Return whether a line below the header does not keep to the columns; two in a row end a table."""
        fits = self.layout.fits
        return fits is not None and bool(line.strip()) and not is_ruler(line) and not fits(line)

    def is_bare(self, line: str) -> bool:
        """Return whether a line below several columns that blanks divide is one cell; two in a row end a table."""
        apart = self.layout.method == TWO_BLANKS_METHOD and len(self.layout.names) > 2
        return apart and bool(line.strip()) and not is_ruler(line) and TWO_BLANKS.search(line.strip()) is None


class TableFinder:
    """Read the lines of a text once, and collect ``tables`` and the lines ``outside`` them."""

    def __init__(self) -> None:
        self.tables: list[DetectedTable] = []
        self.outside = OutsideLines()
        self.averages = 0
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
        if len(line) < MIN_HEADER_LENGTH:
            if line.strip():
                self.outside.add_line(self._number + at, line)
            return at + 1
        if not line.strip():
            return at + 1
        key = make_header_key(line)
        known = self._by_key.get(key)
        if known:
            self._begin = self._number + at
            if line.startswith("Average:"):
                self.averages = self.averages or self._begin
            known.add_repeat(self._begin)
            self._open = known
            return at + 1
        loose = self._tries < MAX_TRIES or at == 0 or not lines[at - 1].strip()
        layout, height = find_layout(lines, at, loose=loose) if len(self.tables) < MAX_TABLES else (None, 1)
        if layout is None:
            self._tries += loose and is_header_like(line)
            self.outside.add_line(self._number + at, line)
            return at + 1
        self._add_table(layout, lines, next(i for i in range(at, at + height) if not is_ruler(lines[i])))
        self._begin = self._number + at
        return at + height

    def _add_table(self, layout: Layout, lines: Sequence[str], header: int) -> None:
        """Open a new table, given the index of its header."""
        grid = Grid(list(name_columns(layout.names, len(layout.names))), self._number + header)
        self._open = DetectedTable(layout, grid, lines[header], make_header_key(lines[header]))
        self.tables.append(self._open)
        self._by_key.setdefault(self._open.key, self._open)

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
                table.add_block(self._begin, numbers[-1] if numbers else self._begin)
                self._begin = self._number + at
                table.add_repeat(self._begin)
            elif _ends_table(table, lines, at, bar):
                self._open = None
                break
            elif is_ruler(line) or (bar and at > 0 and _continues_row(line, lines[at - 1], bar)):
                continue
            else:
                cells = table.layout.split(line)
                if len(cells) == 1 < width - 1 or (len(cells) != width and line.isupper()):
                    self._open = None
                    break
                if at > start and is_ruler(lines[at - 1]) and _is_total(cells) and len(table.totals) < MAX_TOTALS:
                    table.totals.append(self._number + at)
                    continue
                rows.append(cells)
                numbers.append(self._number + at)
        else:
            at = len(lines)
        if rows:
            self.outside.end_run()
        table.add_rows(rows, numbers)
        table.add_block(self._begin, numbers[-1] if numbers else self._begin)
        return at


def _ends_table(table: DetectedTable, lines: Sequence[str], at: int, bar: str) -> bool:
    """Return whether a line ends a table: it is blank, has no bar, or does not keep to the columns, like the next."""
    line = lines[at]
    if not line.strip() or (bar and bar not in line and not find_bar(line) and not is_ruler(line)):
        return True
    if _is_other_header(table, lines, at):
        return True
    if at + 1 == len(lines):
        return False
    following = lines[at + 1]
    return (table.is_misfit(line) and table.is_misfit(following)) or (table.is_bare(line) and table.is_bare(following))


def _is_other_header(table: DetectedTable, lines: Sequence[str], at: int) -> bool:
    """Return whether a line without a digit, below a row with numbers or a ruler, is the header of another table."""
    line = lines[at]
    if DIGIT.search(line) or at == 0 or is_ruler(line) or table.layout.method == "bars" or not is_header_like(line):
        return False
    above = lines[at - 1]
    is_ruled = is_ruler(above) and above != table.header and at + 1 < len(lines) and is_ruler(lines[at + 1])
    if not (is_ruled or follows_numbers(line, above)):
        return False
    layout, _ = find_layout(lines, at)
    return layout is not None and layout.names != table.layout.names


def _continues_row(line: str, above: str, bar: str) -> bool:
    """Return whether a line continues cells of the row above, which psql marks by a plus sign at their end."""
    if "+" not in above or is_ruler(above):
        return False
    marked = [cell.endswith("+") for cell in above.rstrip().split(bar)]
    cells = line.split(bar)
    unmarked = [cell for cell, mark in zip(cells, marked, strict=False) if not mark]
    return any(marked) and len(cells) == len(marked) and not any(map(str.strip, unmarked))


def _is_total(row: Sequence[str]) -> bool:
    first = row[0] if row and row[0] else next((cell for cell in row if cell), "")
    if first[:1] not in INITIALS:
        return False
    return first[:12].lower().rstrip(": ").split(" ")[0] in TOTALS
