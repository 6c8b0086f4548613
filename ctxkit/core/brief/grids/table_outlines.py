"""Outlines of tables of any size: columns, unusual rows, and an index of the others."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.grids.grid import RANGE_LINES, Grid
from ctxkit.core.brief.grids.odd_rows import list_odd_rows, quote_lines
from ctxkit.core.brief.grids.row_listing import list_short_rows, lists_names, make_row_index, quote_samples
from ctxkit.core.brief.grids.table_model import DetailLevel, Table
from ctxkit.core.brief.grids.table_overview import build_overview
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.quantity import pluralize

DETAIL_LEVELS = (
    (60, 1, 8, RANGE_LINES),
    (40, 1, 4, RANGE_LINES),
    (40, 2, 4, RANGE_LINES),
    (24, 2, 2, RANGE_LINES),
    (16, 2, 1, RANGE_LINES),
)
"""Levels of decreasing detail: outliers, form of the index (1 one per line, 2 dense), sample rows, lines per range."""
RANGE_FACTORS = (2, 4, 8, 16, 32, 64, 256, 1_024, 8_192)
"""Multiples of the lines per range that the least detailed levels have."""
FEW_ROWS = 3
"""Number of rows up to which all of them are quoted below the columns."""
MAX_DETAILED_TABLES = 4
"""Number of tables above which they are listed instead of being described each."""


def build_table_outlines(
    kind: str, tables: Sequence[Table], around: Sequence[Section], document: InputDocument
) -> list[Outline]:
    """Return outlines of tables with decreasing detail; ``around`` are sections about lines outside them."""
    sizes = [DetailLevel(*level) for level in DETAIL_LEVELS]
    sizes += [
        DetailLevel(12, 2, 1, RANGE_LINES * times)
        for times in RANGE_FACTORS
        if RANGE_LINES * times < 2 * document.lines.total
    ]
    table_outliers = [(table, list_odd_rows(table, document)) for table in tables]
    if len(tables) > MAX_DETAILED_TABLES:
        return [build_overview(kind, table_outliers, around, document)]
    variants = []
    for level in sizes:
        sections = [
            section
            for table, outliers in table_outliers
            for section in _build_sections(table, outliers, level, document)
        ]
        variants.append(Outline(kind, (*sections, *around)))
    return variants


def _build_sections(
    table: Table, outliers: Sequence[Entry], level: DetailLevel, document: InputDocument
) -> Iterator[Section]:
    grid = table.grid
    title = f"{table.title}: " if table.title else ""
    yield Section(table.title and f"Table at {_format_range(grid)}", tuple(_summarize(table, document)))
    few = tuple(outliers[: level.outliers])
    if few:
        more = len(outliers) - len(few)
        rest = (Entry(f"{more:,} more rows that differ, not shown", rank=9),) if more else ()
        yield Section(f"{title}Rows that differ", few + rest, noun="rows that differ")
    columns = tuple(Entry(f"{f.name}: {f.describe()}", rank=20 + place // 4) for place, f in enumerate(grid.fields))
    yield Section(f"{title}Columns (types and ranges, no rows)", columns, noun="columns", covered=True)
    runs = tuple(list_short_rows(table, document, level))
    if runs:
        is_partial = lists_names(table, level)
        what = f"First cells of all rows ({grid.fields[0].name})" if is_partial else "All rows"
        yield Section(f"{title}{what}", runs, noun="runs", complete=not is_partial)
        return
    yield Section(f"{title}Rows by line", tuple(make_row_index(table, level, document)), noun="rows")
    samples = tuple(quote_samples(grid, level.samples, document))
    yield Section(f"{title}Some rows as they stand" if samples else "", samples, noun="")


def _format_range(grid: Grid) -> str:
    return f"lines {grid.header or grid.first}-{grid.last}"


def _summarize(table: Table, document: InputDocument) -> Iterator[Entry]:
    grid = table.grid
    names = ", ".join(field.name for field in grid.fields[:100])
    more = f", +{len(grid.fields) - 100:,} more" if len(grid.fields) > 100 else ""
    label = f"{pluralize(grid.rows, 'row')}, {pluralize(len(grid.fields), 'column')}: {names}{more}"
    yield Entry(label, grid.first, max(grid.last, grid.first)) if grid.rows else Entry(label)
    yield from table.notes
    if grid.rows <= FEW_ROWS and grid.first:
        # A table of totals says nothing without its cells.
        yield from (replace(entry, rank=0) for entry in quote_lines(grid.row_index.lines, document, set()))
    if grid.uneven.count:
        where = ", ".join(f"{line} ({pluralize(cells, 'cell')})" for line, cells in grid.uneven.first)
        more = " and more" if grid.uneven.count > len(grid.uneven.first) else ""
        label = f"{pluralize(grid.uneven.count, 'row')} of another width, at line {where}{more}"
        # What follows the rows, such as the error that ended the program, is the last of them.
        below = quote_lines(sorted({grid.uneven.first[0][0], grid.uneven.last}), document, set())
        yield Entry(label, rank=1, children=tuple(below))
