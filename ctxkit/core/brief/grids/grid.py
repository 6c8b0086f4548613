"""The rows of one table: its columns, the rows that do not fit them, and where which row is."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ctxkit.core.brief.grids.fields import Field

MAX_INDEX_ROWS = 16_384
"""Rows whose line is remembered; of more, every so manyth."""
RANGE_LINES = 120
"""Lines that a pointer may span: what a reader takes in one go."""
MAX_CELLS = 12
"""Cells of such a row that are remembered."""
MAX_UNEVEN_ROWS = 8
"""Rows of another width that are remembered."""


@dataclass(frozen=True, slots=True)
class RowRange:
    """Name lines ``start`` to ``end``, with the cells of a row at its beginning and of one near its end."""

    start: int
    end: int
    first_cells: Sequence[str]
    last_cells: Sequence[str]


class RowIndex:
    """Remember where rows begin and their first cells, ever fewer rows the more there are."""

    def __init__(self) -> None:
        self.lines: list[int] = []
        self.cells: list[Sequence[str]] = []
        self._stride = 1
        self._skip = 0

    def add_rows(self, rows: Sequence[Sequence[str]], lines: Sequence[int]) -> None:
        """Take more rows, in order, with the lines they begin on."""
        self.lines.extend(lines[self._skip :: self._stride])
        self.cells.extend(row[:MAX_CELLS] for row in rows[self._skip :: self._stride])
        self._skip = (self._skip - len(lines)) % self._stride
        while len(self.lines) > MAX_INDEX_ROWS:
            self._skip += self._stride * (len(self.lines) % 2)
            self.lines, self.cells = self.lines[::2], self.cells[::2]
            self._stride *= 2

    def find_cells(self, line: int) -> Sequence[str]:
        """Return the first cells of the last remembered row that begins at a line or before it."""
        return self.cells[max(bisect_right(self.lines, line) - 1, 0)] if self.lines else ("",)

    def list_ranges(self, end: int, width: int = RANGE_LINES) -> list[RowRange]:
        """Return runs of whole rows up to line ``end``, of ``width`` lines at most where rows are not taller."""
        starts: list[int] = []
        lines, place = self.lines, 0
        while place < len(lines):
            starts.append(place)
            # the run ends before the first row that goes beyond its width, and holds one row at least
            place = max(bisect_right(lines, lines[place] + width, place + 1) - 1, place + 1)
            if place == len(lines) - 1 and end + 1 - lines[starts[-1]] <= width:
                break
        return [
            RowRange(self.lines[at], self.lines[to] - 1 if to else end, self.cells[at], self.cells[to - 1])
            for at, to in zip(starts, [*starts[1:], 0], strict=True)
        ]


@dataclass(slots=True)
class UnevenRows:
    """Count rows of another width than the header; ``first`` are some of them: line and cells."""

    count: int
    first: list[tuple[int, int]]


class Grid:
    """Learn what a table holds from its rows, each with the line it begins on."""

    def __init__(self, names: Sequence[str], header: int = 0) -> None:
        self.fields = [Field(name) for name in names]
        self.header = header
        self.rows = 0
        self.first = 0
        self.last = 0
        self.uneven = UnevenRows(0, [])
        self.row_index = RowIndex()

    def add_rows(self, rows: Sequence[Sequence[str]], lines: Sequence[int]) -> None:
        """Take more rows, in order; of rows too long or too short, the cells they have."""
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
        for row, line in odd:
            if len(self.uneven.first) < MAX_UNEVEN_ROWS:
                self.uneven.first.append((line, len(row)))
            for field, cell in zip(self.fields, row, strict=False):
                field.add_cells([cell], [line])

    def find_key_column(self) -> int:
        """Return which column tells rows apart: a sorted one, else the first without repetition, -1 for none."""
        fields = self.fields[:MAX_CELLS]
        for place, field in enumerate(fields):
            if field.is_sorted and not 0 <= field.distinct_count < self.rows / 40 and self.rows > 2:
                return place
        wide = [place for place, field in enumerate(fields) if not 0 <= field.distinct_count < self.rows / 4]
        return wide[0] if wide else -1


SplitCells = Callable[[str], Sequence[str]]
"""Return the cells of a line."""
