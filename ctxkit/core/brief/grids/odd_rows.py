"""The rows of a table that differ from the others, with the reasons."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.grids.grid import SplitCells
from ctxkit.core.brief.grids.outliers import PATH, Outlier, find_outliers
from ctxkit.core.brief.grids.table_model import Table
from ctxkit.core.brief.outline import Entry, quote
from ctxkit.core.text.severity import ERROR_SIGN, MENTION, find_error_lines, is_error_line, rate_severity

MAX_SEARCHED_BYTES = 64 << 20
"""Maximum size in bytes at which all rows with a rare value are looked up."""
MAX_ALARMING_LINES = 24
"""Maximum number of lines listed for an alarming value."""
MAX_OTHER_LINES = 6
"""Maximum number of lines listed for another rare value."""
MOST_WIDTH, LEAST_WIDTH, WIDTH_DIVISOR = 200, 80, 6
"""Limits of the characters of a quoted row, and the share of the target, as a divisor, that they may be as many as."""
MAX_ERROR_ROWS = 12
"""Maximum number of rows with error words, which are common if they are more."""


def list_odd_rows(table: Table, document: InputDocument) -> list[Entry]:
    """Return entries for the unusual rows with the reasons; each row is quoted once."""
    done: set[int] = set()
    outliers = find_outliers(table.grid.fields)
    value_lines = _find_value_lines(table, outliers, document)
    entries = [
        _make_outlier_entry(outlier, value_lines.get(outlier.value) or outlier.lines, document, done)
        for outlier in outliers
    ]
    return entries + list(_quote_error_rows(table, document, done))


def _make_outlier_entry(outlier: Outlier, lines: Sequence[int], document: InputDocument, done: set[int]) -> Entry:
    most = MAX_ALARMING_LINES if outlier.weight == 0 else MAX_OTHER_LINES
    also = ", ".join(map(str, lines[1:most]))
    more = outlier.count - min(len(lines), most)
    label = outlier.text + (f"; also lines {also}" if also else "") + (f" and {more:,} more" if more > 0 else "")
    below = tuple(quote_lines(lines[: 3 if outlier.weight < 2 else 1], document, done))
    return Entry(label, lines[0], lines[0], 2 + outlier.weight, children=below)


def quote_lines(lines: Sequence[int], document: InputDocument, done: set[int]) -> Iterator[Entry]:
    """Yield quotations of lines that are not blank and not in ``done``, and add their numbers to it."""
    for line in lines:
        text = document.lines.at(line)
        if line not in done and text.strip():
            done.add(line)
            width = min(max(document.target // WIDTH_DIVISOR, LEAST_WIDTH), MOST_WIDTH)
            yield quote(line, text, rank=3, width=width)


def _find_value_lines(table: Table, outliers: Sequence[Outlier], document: InputDocument) -> dict[str, list[int]]:
    """Return the lines of rows with each rare value, up to a maximum."""
    rare_values = {outlier.value for outlier in outliers if outlier.count > 1 and outlier.value}
    lines_by_value: dict[str, list[int]] = {}
    if not rare_values or document.lines.size > MAX_SEARCHED_BYTES:
        return lines_by_value
    grid, number = table.grid, table.grid.first
    for block in document.lines.blocks(grid.first, grid.last):
        for value in rare_values:
            if value in block and len(lines_by_value.get(value, ())) < MAX_ALARMING_LINES:
                hits = _find_rows_holding(block, value, table.cells)
                lines_by_value.setdefault(value, []).extend(number + row for row in hits)
        number += block.count("\n") + 1
    return {value: lines[:MAX_ALARMING_LINES] for value, lines in lines_by_value.items()}


def _find_rows_holding(block: str, value: str, cells: SplitCells) -> Iterator[int]:
    """Yield the 0-based indexes of the rows in a block that have the value as a cell."""
    at, row, counted = block.find(value), 0, 0
    while at >= 0:
        begin, stop = block.rfind("\n", 0, at) + 1, block.find("\n", at)
        stop = len(block) if stop < 0 else stop
        row += block.count("\n", counted, begin)
        counted = begin
        if any(cell.strip() == value for cell in cells(block[begin:stop])):
            yield row
        at = block.find(value, stop)


def _quote_error_rows(table: Table, document: InputDocument, done: set[int]) -> Iterator[Entry]:
    """Yield rows with error words, or no rows if error words are common in the table."""
    grid = table.grid
    if document.lines.size > MAX_SEARCHED_BYTES:
        return
    rows = []
    for row in find_error_lines(document.lines, grid.first, grid.last):
        if _states_error(table.cells(row[1])):
            rows.append(row)
        if len(rows) > MAX_ERROR_ROWS:
            return
    yield from (quote(line, text, rank=7) for line, text in rows if line not in done)


def _states_error(cells: Sequence[str]) -> bool:
    """Return whether a cell states an error, not only mentions one inside a path, a name or a description."""
    return any(
        is_error_line(cell)
        and (rate_severity(cell) > MENTION or ERROR_SIGN.match(cell))
        and not PATH.fullmatch(cell)
        for cell in map(str.strip, cells)
        if cell
    )
