"""Grids: the columns of one table, its rows of unusual width, and an index of its rows by line."""

from bisect import bisect_right
from collections.abc import Callable, Sequence

from ctxkit.core.brief.grids.fields import Field
from ctxkit.core.brief.outline import Entry
from ctxkit.core.quick_dataclass import dataclass

MAX_INDEX_ROWS = 16_384
"""Maximum number of rows in the index; of longer tables, every n-th row is indexed."""
RANGE_LINES = 120
"""Maximum number of lines in a range that a reader is pointed to."""
MAX_CELLS = 12
"""Maximum number of cells stored for an indexed row."""
_MAX_UNEVEN_ROWS = 8
"""Maximum number of stored rows with another width."""


@dataclass(frozen=True, slots=True)
class RowRange:
    """Hold lines ``start`` to ``end``, with the cells of a row at the beginning and of a row near the end."""

    start: int
    end: int
    first_cells: Sequence[str]
    last_cells: Sequence[str]


class RowIndex:
    """Store the lines and first cells of rows; the longer the table, the fewer rows are stored."""

    def __init__(self) -> None:
        self.lines: list[int] = []
        self.cells: list[Sequence[str]] = []
        self._stride = 1
        self._skip = 0

    def add_rows(self, rows: Sequence[Sequence[str]], lines: Sequence[int]) -> None:
        """Add more rows, in order, with their first lines."""
        self.lines.extend(lines[self._skip :: self._stride])
        self.cells.extend(row[:MAX_CELLS] for row in rows[self._skip :: self._stride])
        self._skip = (self._skip - len(lines)) % self._stride
        while len(self.lines) > MAX_INDEX_ROWS:
            self._skip += self._stride * (len(self.lines) % 2)
            self.lines, self.cells = self.lines[::2], self.cells[::2]
            self._stride *= 2

    def drop_rows(self, number: int) -> "RowIndex":
        """Return an index without the first ``number`` indexed rows."""
        index = RowIndex()
        index.lines, index.cells = self.lines[number:], self.cells[number:]
        return index

    def find_cells(self, line: int) -> Sequence[str]:
        """Return the first cells of the last indexed row that begins at or before ``line``."""
        return self.cells[max(bisect_right(self.lines, line) - 1, 0)] if self.lines else ("",)

    def list_ranges(self, end: int, width: int = RANGE_LINES) -> list[RowRange]:
        """Return ranges of complete rows up to line ``end``, with at most ``width`` lines unless a row is taller."""
        if not self.lines:
            return []
        starts: list[int] = []
        lines, place = self.lines, 0
        while place < len(lines):
            starts.append(place)
            # The range ends before the first row that exceeds its width, but has at least one row.
            place = max(bisect_right(lines, lines[place] + width, place + 1) - 1, place + 1)
            if place == len(lines) - 1 and end + 1 - lines[starts[-1]] <= width:
                break
        return [
            RowRange(self.lines[at], self.lines[to] - 1 if to else end, self.cells[at], self.cells[to - 1])
            for at, to in zip(starts, [*starts[1:], 0], strict=True)
        ]


@dataclass(slots=True)
class UnevenRows:
    """Count rows whose width differs from the header; ``first`` has the line and number of cells of some.

    ``last`` is the line of the last one.
    """

    count: int
    first: list[tuple[int, int]]
    last: int = 0


class Grid:
    """Learn the content of a table from its rows and their lines."""

    def __init__(self, names: Sequence[str], header: int = 0) -> None:
        self.fields = [Field(name) for name in names]
        self.header = header
        self.rows = 0
        self.first = 0
        self.last = 0
        self.uneven = UnevenRows(0, [])
        self.row_index = RowIndex()

    def add_rows(self, rows: Sequence[Sequence[str]], lines: Sequence[int]) -> None:
        """Add more rows, in order; rows that are too long or too short add the cells that they have."""
        if not rows:
            return
        self.first = self.first or lines[0]
        self.rows += len(rows)
        self.last = lines[-1]
        self.row_index.add_rows(rows, lines)
        width = len(self.fields)
        if set(map(len, rows)) == {width}:
            for field, cells in zip(self.fields, zip(*rows, strict=True), strict=True):
                field.add_cells(cells, lines)
            return
        even = [(row, line) for row, line in zip(rows, lines, strict=True) if len(row) == width]
        odd = [(row, line) for row, line in zip(rows, lines, strict=True) if len(row) != width]
        self._add_uneven(odd)
        if even:
            kept = [line for _, line in even]
            for field, cells in zip(self.fields, zip(*(row for row, _ in even), strict=True), strict=True):
                field.add_cells(cells, kept)

    def _add_uneven(self, odd: Sequence[tuple[Sequence[str], int]]) -> None:
        self.uneven.count += len(odd)
        self.uneven.last = odd[-1][1]
        for row, line in odd:
            if len(self.uneven.first) < _MAX_UNEVEN_ROWS:
                self.uneven.first.append((line, len(row)))
            for field, cell in zip(self.fields, row, strict=False):
                field.add_cells([cell], [line])

    def find_key_column(self) -> int:
        """Return the index of a column that identifies rows: a sorted column, else the first with few repetitions, or
        -1.
        """
        fields = self.fields[:MAX_CELLS]
        for place, field in enumerate(fields):
            if field.is_sorted and not 0 <= field.distinct_count < self.rows / 40 and self.rows > 2:
                return place
        wide = [place for place, field in enumerate(fields) if not 0 <= field.distinct_count < self.rows / 4]
        return wide[0] if wide else -1


SplitCells = Callable[[str], Sequence[str]]
"""Return the cells of a line."""
FULL = 1
"""Form of the index that shows all cells of narrow rows, and a range on each line."""
REPEATED = 3
"""Number of blocks below the same header from which the extremes of the columns are listed."""


@dataclass(frozen=True, slots=True)
class Table:
    """Hold one table: its grid, a function to split its lines, and notes on its format."""

    grid: Grid
    cells: SplitCells
    notes: Sequence[Entry] = ()
    title: str = ""
    blocks: Sequence[tuple[int, int]] = ()
    block_count: int = 1


@dataclass(frozen=True, slots=True)
class DetailLevel:
    """Hold the limits of an outline: outliers, form of the index, sample rows, lines per range."""

    outliers: int
    form: int
    samples: int
    width: int
