"""The outline of many tables: they are listed instead of being described each."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.grids.extremes import list_extremes
from ctxkit.core.brief.grids.table_model import REPEATED, Table
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.text.measure import pluralize

MAX_LISTED_BLOCKS = 8
"""Maximum number of listed parts of a table whose header comes again."""


def build_overview(
    kind: str, tables: Sequence[tuple[Table, Sequence[Entry]]], around: Sequence[Section], document: InputDocument
) -> Outline:
    """Return an outline of many tables: their columns and lines, then their unusual rows."""
    rows = sum(table.grid.rows for table, _ in tables)
    top = Entry(f"{pluralize(len(tables), 'table')}, {pluralize(rows, 'row')} in all", 1, document.lines.total)
    listed = tuple(_list_table(table) for table, _ in tables)
    outliers = tuple(entry for table, entries in tables for entry in _title_outliers(table, entries[:12]))
    extremes = tuple(
        Entry(f"{table.title}: {entry.label}", rank=entry.rank + 5)
        for table, _ in tables
        if table.block_count >= REPEATED
        for entry in list_extremes(table.grid.fields)
    )
    return Outline(
        kind,
        (
            Section("", (top,)),
            Section("Tables", listed, noun="tables"),
            Section("Lowest and highest of each column, with their lines", extremes, noun="entries"),
            Section("Rows that differ", outliers, noun="rows that differ"),
            *around,
        ),
    )


def _title_outliers(table: Table, entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries about unusual rows with the table's title; quoted rows stand below the title."""
    if not table.title:
        yield from (replace(entry, rank=entry.rank + 8) for entry in entries)
        return
    for entry in entries:
        if not entry.verbatim:
            yield replace(entry, label=f"{table.title}: {entry.label}", rank=entry.rank + 8)
    quotes = tuple(replace(entry, rank=entry.rank + 8) for entry in entries if entry.verbatim)
    if quotes:
        yield Entry(f"{table.title}: rows with error words", rank=quotes[0].rank, children=quotes)


def _list_table(table: Table) -> Entry:
    """Return an entry with the columns and rows of a table, and the lines of its further parts."""
    grid = table.grid
    names = ", ".join(field.name for field in grid.fields[:30])
    start, end = table.blocks[0] if table.blocks else (grid.header or grid.first, grid.last)
    again = ""
    if len(table.blocks) > 1:
        more = " and more" if len(table.blocks) > MAX_LISTED_BLOCKS else ""
        again = f"; again at {', '.join(str(first) for first, _ in table.blocks[1:MAX_LISTED_BLOCKS])}{more}"
    return Entry(f"{names} ({pluralize(grid.rows, 'row')}{again})", start, max(start, end), 2)
