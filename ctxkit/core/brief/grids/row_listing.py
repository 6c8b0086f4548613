"""The rows of a table by their lines: short rows completely, an index of ranges, and samples."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.data.literals import quote_string
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.grids.grid import MAX_CELLS, RANGE_LINES, Grid
from ctxkit.core.brief.grids.table_model import FULL, DetailLevel, Table
from ctxkit.core.brief.outline import Entry, quote

RUN_ROWS = 10
"""Number of short rows that are listed on one line."""
MAX_SHORT_COLUMNS, MAX_SHORT_ROW = 3, 40
"""Maximum number of columns and average of characters of rows that are listed in runs."""


def list_short_rows(table: Table, document: InputDocument, level: DetailLevel) -> Iterator[Entry]:
    """Yield the cells of all rows in runs, if the rows are few and narrow, such as names with versions.

    Columns with the same cell in all rows are left out. A dense level names each row by its first cell.
    """
    grid = table.grid
    whole = len(grid.row_index.lines) == grid.rows and not grid.uneven.count
    if not whole or not RUN_ROWS < grid.rows <= min(document.target, grid.last - grid.first + 1):
        return
    places = [place for place, field in enumerate(grid.fields[:MAX_CELLS]) if field.distinct_count != 1]
    rows = [" ".join(cells[at] for at in places if at < len(cells) and cells[at]) for cells in grid.row_index.cells]
    if len(places) > MAX_SHORT_COLUMNS or sum(map(len, rows)) > MAX_SHORT_ROW * len(rows) or "," in "".join(rows):
        return
    if lists_names(table, level):
        rows = [cells[0] for cells in grid.row_index.cells]
    runs = [
        Entry(", ".join(rows[at : at + RUN_ROWS]), grid.row_index.lines[at], _get_line(grid, at + RUN_ROWS - 1), 15)
        for at in range(0, len(rows), RUN_ROWS)
    ]
    yield from runs if len(rows) <= RANGE_LINES else _group_runs(runs, rows)


def lists_names(table: Table, level: DetailLevel) -> bool:
    """Return whether a level is dense, and most of the first cells are names that differ."""
    names = [cells[0] if cells else "" for cells in table.grid.row_index.cells]
    differ = table.grid.fields[0].distinct_count != 1
    return level.form != FULL and differ and all(names) and sum(map(_has_letter, names)) * 2 > len(names)


def _has_letter(text: str) -> bool:
    """Return whether a text has a letter, as names do."""
    return any(map(str.isalpha, text))


def _get_line(grid: Grid, at: int) -> int:
    """Return the line of a row, or of the last row."""
    return grid.row_index.lines[min(at, len(grid.row_index.lines) - 1)]


def _group_runs(runs: Sequence[Entry], rows: Sequence[str]) -> Iterator[Entry]:
    """Yield entries for RANGE_LINES rows each, with their runs below them."""
    step = RANGE_LINES // RUN_ROWS
    for at in range(0, len(runs), step):
        group = tuple(runs[at : at + step])
        yield Entry(f"from {rows[at * RUN_ROWS]}", group[0].start, group[-1].end, 14, children=group)


def make_row_index(table: Table, level: DetailLevel, document: InputDocument) -> Iterator[Entry]:
    """Yield the ranges of rows, labelled by the cells of the key column."""
    grid, place = table.grid, table.grid.find_key_column()
    ranges = grid.row_index.list_ranges(max(grid.last, grid.first), level.width)
    if len(ranges) < 2 or len(ranges) > document.target // 2:
        return
    name = grid.fields[place].name if place >= 0 else "row"
    if level.form == FULL:
        for row_range in ranges:
            label = (
                f"{name} {_format_key(row_range.first_cells, place)} to {_format_key(row_range.last_cells, place)}"
                if place >= 0
                else "rows"
            )
            yield Entry(label, row_range.start, row_range.end, 30)
        return
    yield Entry(f"each line number is followed by the {name} there, the last to {grid.last}", rank=30)
    for row_range in ranges:
        yield Entry(_format_key(row_range.first_cells, max(place, 0)), row_range.start, row_range.end, 30, dense=True)


def _format_key(cells: Sequence[str], place: int) -> str:
    """Return a cell as a key, in quotes unless it is one short word."""
    cell = cells[place].strip() if place < len(cells) else ""
    plain = cell.isprintable() and " " not in cell and 0 < len(cell) <= 30
    return cell.rstrip(",:") if plain else quote_string(cell, 30)


def quote_samples(grid: Grid, most: int, document: InputDocument) -> Iterator[Entry]:
    """Quote the first rows, one in the middle and the last."""
    lines = grid.row_index.lines
    if not lines:
        return
    head = lines[: max(most // 2, 1)]
    some = sorted({*head, lines[len(lines) // 2], lines[-1]} if most > 1 else {lines[0]})
    for step, line in enumerate(some):
        yield quote(line, document.lines.at(line), rank=40 + step)
