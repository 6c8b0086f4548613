"""A finder of tables among the lines of a text: their layouts and their rows."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat, zip_longest

from ctxkit.core.brief.grids.fields import name_columns, parse_amount
from ctxkit.core.brief.grids.grid import Grid
from ctxkit.core.brief.grids.layout import (
    GAPS_METHOD,
    TWO_BLANKS,
    TWO_BLANKS_METHOD,
    Layout,
    find_aligned_layout,
    find_bar,
    find_bar_layout,
    find_named_frame,
    is_header_like,
    is_ruler,
    make_ruled_layout,
    strip_mark,
)
from ctxkit.core.brief.grids.outside_lines import OutsideLines
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines

_AHEAD = 200
"""Number of rows below a header that decide its layout."""
DIGIT = re.compile(r"\d")
_NUMBER_CELL = re.compile(r"(?<!\S)[\d.,]+%?(?!\S)")
"""Pattern of a cell that is a number."""
_STAMP = compile_lazily(r"(?:\d\d:\d\d:\d\d(?: [AP]M)?|Average:)(?=\s)")
"""Pattern of the time before a header, or of the word that stands in its place."""
_TIME = "time"
"""What stands in the place of the time."""
FEW_NAMES = 6
"""Number of columns up to which no two have the same name."""
_LEAST_FILLED = 0.6
"""Minimum share of the cells that are not empty, if only columns of blanks divide the rows."""
_SHIFT = 16
"""Number of bits per column for counting rows without a number; AHEAD rows need 8 bits."""
_MASK = (1 << _SHIFT) - 1
_ABUTTING = compile_lazily("=-|-=")
"""Pattern of adjacent ruler characters: a decorative line has them, but columns have a gap between them."""
_MAX_TABLES = 40
"""Maximum number of tables with different columns."""
_MAX_TRIES = 600
"""Number of failed header candidates after which only the first lines of paragraphs are tried."""
_MIN_HEADER_LENGTH = 3
"""Minimum characters of a header: two names and what separates them."""
_TYPED_ROWS, _LEAST_TYPED, _LEAST_NUMERIC = 20, 5, 2
"""Maximum and minimum number of rows that tell which columns are numeric; least number of cells that lack one."""
_NO_VALUE = frozenset(("", "-", "--", "?", "n/a", "N/A", "NaN", "None", "null"))
"""Cells without a value."""
MAX_BLOCKS = 100
"""Maximum number of stored runs of rows below a repeated header."""
_MAX_REPEAT_LINES = 20
"""Maximum number of stored lines of a repeated header."""
_MAX_TOTALS = 8
"""Maximum number of lines with totals. A total below a ruler is no row."""
_TOTALS = ("total", "totals", "sum", "overall", "grand", "all")
_INITIALS = frozenset(letter for word in _TOTALS for letter in (word[0], word[0].upper()))


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
    numeric: Sequence[int] = ()

    def add_block(self, start: int, end: int) -> None:
        """Note a run of rows with its header; a run that is read in pieces is one."""
        if self.blocks and self.blocks[-1][0] == start:
            self.blocks[-1] = (start, max(end, self.blocks[-1][1]))
        elif len(self.blocks) < MAX_BLOCKS:
            self.blocks.append((start, end))

    def add_repeat(self, number: int) -> None:
        """Note a line that repeats the header."""
        self.repeat_count += 1
        self.repeat_lines = [*self.repeat_lines, number][:_MAX_REPEAT_LINES]

    def add_rows(self, rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> None:
        """Add rows and their line numbers; note those that are totals."""
        totals = [number for row, number in zip(rows, numbers, strict=True) if _is_total(row)]
        self.totals += totals[: max(_MAX_TOTALS - len(self.totals), 0)]
        self.grid.add_rows(rows, numbers)

    def ends_with(self, line: str, cells: Sequence[str]) -> bool:
        """Return whether a line with more or fewer cells than names is no row: it is one text, or in capitals."""
        return len(cells) == 1 < len(self.layout.names) - 1 or line.isupper()

    def takes_total(self, cells: Sequence[str], number: int) -> bool:
        """Return whether the line below a ruler is a total, which is no row, and note it."""
        if len(self.totals) >= _MAX_TOTALS or not _is_total(cells):
            return False
        self.totals.append(number)
        return True

    @property
    def bar(self) -> str:
        """Return the bar between the columns, or an empty string."""
        return find_bar(self.header) if self.layout.method == "bars" else ""

    def is_header(self, line: str) -> bool:
        """Return whether a line is the header again, maybe at another time."""
        return line == self.header or (self.key != self.header and _make_header_key(line) == self.key)

    def is_misfit(self, line: str) -> bool:
        """Return whether a line below the header does not keep to the columns; two in a row end a table."""
        fits = self.layout.fits
        return fits is not None and bool(line.strip()) and not is_ruler(line) and not fits(line)

    def lacks_numbers(self, cells: Sequence[str]) -> bool:
        """Return whether a row lacks the numbers that nearly all of the first rows have; two in a row end a table."""
        cut = sum(at >= len(cells) for at in self.numeric) if self.layout.method == "blanks" else 0
        lacking = cut + sum(at < len(cells) and _is_word(cells[at]) for at in self.numeric)
        return lacking >= max(_LEAST_NUMERIC, len(self.numeric) / 3)

    def is_foreign(self, line: str) -> bool:
        """Return whether a line that is neither blank nor a ruler lacks the numbers of the first rows."""
        return bool(line.strip()) and not is_ruler(line) and self.lacks_numbers(self.layout.split(line))

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
            self.add_lines(block.replace("\r", "").split("\n"))
        self.add_lines([], last=True)

    def add_lines(self, rows: Sequence[str], *, last: bool = False) -> None:
        """Read the next lines; possible headers wait for the following lines, unless these are the ``last``."""
        lines = [*self._pending, *rows]
        at, end = 0, len(lines)
        while at < end:
            if self._open:
                at = self._read_rows(self._open, lines, at)
                continue
            if end - at <= _AHEAD and not last:
                break
            at = self._begin_table(lines, at)
        self._pending = lines[at:]
        self._number += at

    def _begin_table(self, lines: Sequence[str], at: int) -> int:
        """Open the table that begins at a line, if there is one; return the index of the next line to read."""
        line = lines[at]
        if not line.strip():
            return at + 1
        if len(line) < _MIN_HEADER_LENGTH:
            self.outside.add_line(self._number + at, line)
            return at + 1
        known = self._by_key.get(_make_header_key(line))
        if known:
            self._continue_table(known, line, self._number + at)
            return at + 1
        loose = self._tries < _MAX_TRIES or at == 0 or not lines[at - 1].strip()
        layout, height = find_layout(lines, at, loose=loose) if len(self.tables) < _MAX_TABLES else (None, 1)
        if layout is None:
            self._tries += loose and is_header_like(line)
            self.outside.add_line(self._number + at, line)
            return at + 1
        self._add_table(layout, lines, next(i for i in range(at, at + height) if not is_ruler(lines[i])))
        self.tables[-1].numeric = _find_numeric(layout, lines[at + height : at + height + _TYPED_ROWS])
        self._begin = self._number + at
        return at + height

    def _continue_table(self, table: DetectedTable, header: str, number: int) -> None:
        """Open a table again whose header comes again at a line."""
        self._begin = number
        if header.startswith("Average:"):
            self.averages = self.averages or number
        table.add_repeat(number)
        self._open = table

    def _add_table(self, layout: Layout, lines: Sequence[str], header: int) -> None:
        """Open a new table, given the index of its header."""
        grid = Grid(list(name_columns(layout.names, len(layout.names))), self._number + header)
        self._open = DetectedTable(layout, grid, lines[header], _make_header_key(lines[header]))
        self.tables.append(self._open)
        self._by_key.setdefault(self._open.key, self._open)

    def _read_rows(self, table: DetectedTable, lines: Sequence[str], start: int) -> int:
        """Add rows to the open table up to the line that ends it; return the index of that line."""
        bar, width = table.bar, len(table.layout.names)
        rows: list[list[str]] = []
        numbers: list[int] = []
        ruled, at = False, start
        for at in range(start, len(lines)):
            line = lines[at]
            below_ruler, ruled = ruled, is_ruler(line)
            if table.is_header(line):
                self._end_block(table, numbers)
                self._begin = self._number + at
                table.add_repeat(self._begin)
            elif _ends_table(table, lines, at, bar):
                self._open = None
                break
            elif not (ruled or (bar and _continues_row(lines, at, bar))):
                cells = table.layout.split(line)
                is_followed = at + 1 < len(lines) and table.lacks_numbers(cells) and table.is_foreign(lines[at + 1])
                if is_followed or (len(cells) != width and table.ends_with(line, cells)):
                    self._open = None
                    break
                if not (below_ruler and table.takes_total(cells, self._number + at)):
                    rows.append(cells)
                    numbers.append(self._number + at)
        else:
            at = len(lines)
        if rows:
            self.outside.end_run()
        table.add_rows(rows, numbers)
        self._end_block(table, numbers)
        return at

    def _end_block(self, table: DetectedTable, numbers: Sequence[int]) -> None:
        """Note the rows below the last header as a block."""
        table.add_block(self._begin, numbers[-1] if numbers else self._begin)


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
    return any(ends(line) and ends(following) for ends in (table.is_misfit, table.is_bare))


def _is_word(cell: str) -> bool:
    """Return whether a cell has a value that is no number; most cells are told by their digits."""
    return not cell.replace(".", "", 1).isdecimal() and cell not in _NO_VALUE and parse_amount(cell) is None


def _find_numeric(layout: Layout, rows: Sequence[str]) -> tuple[int, ...]:
    """Return the columns that hold numbers in nearly all of the rows, none if there are few rows."""
    cells = [layout.split(row) for row in rows if row.strip() and not is_ruler(row)]
    if len(cells) < _LEAST_TYPED:
        return ()
    columns = enumerate(zip_longest(*cells, fillvalue=""))
    return tuple(at for at, column in columns if sum(parse_amount(cell) is None for cell in column) <= len(cells) * 0.1)


def _is_other_header(table: DetectedTable, lines: Sequence[str], at: int) -> bool:
    """Return whether a line without a digit, below a row with numbers or a ruler, is the header of another table."""
    line = lines[at]
    if DIGIT.search(line) or at == 0 or is_ruler(line) or table.layout.method == "bars" or not is_header_like(line):
        return False
    above = lines[at - 1]
    is_ruled = is_ruler(above) and above != table.header and at + 1 < len(lines) and is_ruler(lines[at + 1])
    if not (is_ruled or _follows_numbers(line, above)):
        return False
    layout, _ = find_layout(lines, at)
    return layout is not None and layout.names != table.layout.names


def _continues_row(lines: Sequence[str], at: int, bar: str) -> bool:
    """Return whether a line continues cells of the row above: psql marks these by a plus sign at their end.

    In a drawn box, a line without a first cell continues what does not fit into the others, or is empty itself.
    """
    if not at:
        return False
    above, line = lines[at - 1 : at + 1]
    edge = line.strip()[:1]
    if bar != "|" and edge and edge == find_bar(edge):
        return not strip_escapes(line.strip().split(edge)[1]).strip()
    if "+" not in above or is_ruler(above):
        return False
    marked = [cell.endswith("+") for cell in above.rstrip().split(bar)]
    cells = line.split(bar)
    unmarked = [cell for cell, mark in zip(cells, marked, strict=False) if not mark]
    return any(marked) and len(cells) == len(marked) and not any(map(str.strip, unmarked))


def _is_total(row: Sequence[str]) -> bool:
    first = row[0] if row and row[0] else next((cell for cell in row if cell), "")
    return first[:1] in _INITIALS and first[:12].lower().rstrip(": ").split(" ")[0] in _TOTALS


def _make_header_key(line: str) -> str:
    """Return a header with a word in the place of the time that it begins with: repeated headers have other times."""
    match = _STAMP.match(line) if line[:1].isdecimal() or line.startswith("Average:") else None
    return f"{_TIME:{match.end()}}{line[match.end() :]}" if match else line


def find_layout(lines: Sequence[str], at: int, *, loose: bool = True) -> tuple[Layout | None, int]:
    """Return the layout of the table that begins at a line and its number of head lines, or None.

    A table without bars and dashes is searched for only if ``loose``, because this checks all rows below.
    """
    line = _make_header_key(lines[at])
    second, third = [*lines[at + 1 : at + 3], "", ""][:2]
    barred = find_bar_layout(line, second, third)
    if barred:
        return barred
    if second.startswith("+++-="):
        second = second.replace("-", " ")
    if is_ruler(second) and not is_ruler(line) and "|" not in line.lstrip("|/"):
        return _find_ruled_layout(line, second, lines[at + 2 : at + 2 + _AHEAD], loose=loose)
    if not loose or not second.strip() or not is_header_like(line):
        return None, 1
    rows = _take_rows(line, lines[at + 1 : at + 1 + _AHEAD])
    named = find_named_frame(line, rows)
    return (named, 2) if named else (_find_loose_layout(line, rows), 1)


def _find_ruled_layout(line: str, ruler: str, below: Sequence[str], *, loose: bool) -> tuple[Layout | None, int]:
    """Return the layout of columns with a ruler each and the number of head lines; one ruler is below all columns."""
    layout = make_ruled_layout(line, ruler, [row for row in below[:2] if row.strip()])
    parted = len(layout.names) > 1 and all(layout.names[1:]) and not _ABUTTING.search(ruler)
    if parted or not loose or len(ruler.split()) > 1 or not is_header_like(line):
        return (layout, 2) if parted else (None, 1)
    aligned = _find_loose_layout(line, below)
    return aligned, 2 if aligned else 1


def _take_rows(header: str, lines: Sequence[str]) -> list[str]:
    """Return the lines up to a blank one or to another header in capitals, without repeated headers."""
    pairs = zip((header, *lines), lines, strict=False)
    ends = (at for at, (above, row) in enumerate(pairs) if not row.strip() or _begins_table(row, above, header))
    end = next(ends, len(lines))
    if header.startswith(_TIME):
        return [row for row in lines[:end] if _make_header_key(row) != header]
    return [row for row in lines[:end] if row != header]


def _begins_table(row: str, above: str, header: str) -> bool:
    """Return whether a row consists of names of another table: in capitals, or below numbers."""
    if not (row.isupper() or _follows_numbers(row, above)):
        return False
    return _make_header_key(row) != header and row.isprintable() and is_header_like(row)


def _follows_numbers(row: str, above: str) -> bool:
    """Return whether a row without a digit stands below one with several numbers."""
    return DIGIT.search(row) is None and len(_NUMBER_CELL.findall(above)) > 1


def _find_loose_layout(header: str, lines: Sequence[str]) -> Layout | None:
    """Return the layout of columns that only blanks divide, or None; the rows end at a blank line or a ruler."""
    rows = _take_rows(header, lines)
    rows = rows[: next((at for at, row in enumerate(rows) if is_ruler(row)), len(rows))]
    layout = find_aligned_layout(header, rows) if rows else None
    return layout if layout and (layout.fits or _is_table(layout, rows)) else None


def _is_table(layout: Layout, rows: Sequence[str]) -> bool:
    """Return whether rows look like a table below their header, not like sentences or code."""
    width = len(layout.names)
    are_words = layout.method == "blanks"
    if (width == 2 and are_words) or _are_values(layout.names):
        return False
    shouted = sum(name.upper() == name for name in layout.names) > width / 2
    if are_words and not shouted and not _can_have_numbers(rows, width):
        return False
    even = _split_even_rows(layout, rows)
    if not even or (width == 2 and len(rows) < 3):
        return False
    return shouted or any(map(_is_numeric, zip(*even, strict=True)))


def _split_even_rows(layout: Layout, rows: Sequence[str]) -> list[list[str]]:
    """Return the cells of the rows with a cell for each name, or nothing if those are too few or have too few cells."""
    width = len(layout.names)
    even = [cells for cells in map(layout.split, rows) if len(cells) == width]
    if len(even) < len(rows) * 0.7 or width < 2 or (layout.method == GAPS_METHOD and _is_sparse(even, layout.names)):
        return []
    return even


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
    return filled < _LEAST_FILLED * len(rows) * len(names)


def _can_have_numbers(rows: Sequence[str], width: int) -> bool:
    """Return whether, judging by the first rows, one of ``width`` columns may be numeric."""
    first = len(rows) // 3
    words = sum(map(_mask_word_cells, rows[:first], repeat(width)))
    return any(words >> (_SHIFT * place) & _MASK <= len(rows) * 0.2 for place in range(width))


@lru_cache(maxsize=1_024)
def _mask_word_cells(row: str, width: int) -> int:
    """Return which cells of a row are not numbers, as a 1 in each column's SHIFT bits, so that rows can be summed.

    A row of another width counts as 0.
    """
    cells = strip_mark(row).split(None, width - 1)
    if len(cells) != width:
        return 0
    return sum(1 << (_SHIFT * place) for place, cell in enumerate(cells) if parse_amount(cell) is None)


def _is_numeric(column: Sequence[str]) -> bool:
    return sum(parse_amount(cell) is not None for cell in column) >= len(column) * 0.8
