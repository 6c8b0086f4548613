"""Outlines of tables of any size: columns, unusual rows, and an index of the others."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.data.literals import quote_string
from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.grids.grid import FULL, MAX_CELLS, RANGE_LINES, DetailLevel, Grid, Table
from ctxkit.core.brief.grids.odd_rows import list_odd_rows, quote_lines
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import pluralize

_RUN_ROWS = 10
"""Number of short rows that are listed on one line."""
_MAX_SHORT_COLUMNS, _MAX_SHORT_ROW = 3, 40
"""Maximum number of columns and average of characters of rows that are listed in runs."""
_MANY_NAMES, FEW_NAMES = 30, 5
"""Maximum number of columns that are named of each of many tables, and in a small map."""
_CAPTION = compile_lazily(r"[A-Z](?:[^\s|]| (?! )){2,60}")
"""Words in one column, the first with a capital: "List of databases"."""
_MAX_LINE = 200
"""Maximum number of characters of a line with a caption, which may stand in the middle above its table."""
_MAX_LISTED_BLOCKS = 8
"""Maximum number of listed parts of a table whose header comes again."""
_DETAIL_LEVELS = (
    (60, 1, 8, RANGE_LINES),
    (40, 1, 4, RANGE_LINES),
    (40, 2, 4, RANGE_LINES),
    (24, 2, 2, RANGE_LINES),
    (16, 2, 1, RANGE_LINES),
)
"""Levels of decreasing detail: outliers, form of the index (1 one per line, 2 dense), sample rows, lines per range."""
RANGE_FACTORS = (2, 4, 8, 16, 32, 64, 256, 1_024, 8_192)
"""Multiples of the lines per range that the least detailed levels have."""
_FEW_ROWS = 3
"""Number of rows up to which all of them are quoted below the columns."""
_MAX_DETAILED_TABLES = 4
"""Number of tables above which they are listed instead of being described each."""


def build_table_outlines(
    kind: str, tables: Sequence[Table], around: Sequence[Section], document: InputDocument
) -> list[Outline]:
    """Return outlines of tables with decreasing detail; ``around`` are sections about lines outside them."""
    sizes = [DetailLevel(*level) for level in _DETAIL_LEVELS]
    sizes += [
        DetailLevel(12, 2, 1, RANGE_LINES * times)
        for times in RANGE_FACTORS
        if RANGE_LINES * times < 2 * document.lines.total
    ]
    table_outliers = [(table, list_odd_rows(table, document)) for table in tables]
    if len(tables) > _MAX_DETAILED_TABLES:
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
    if grid.rows <= _FEW_ROWS and grid.first:
        # A table of totals says nothing without its cells.
        yield from (replace(entry, rank=0) for entry in quote_lines(grid.row_index.lines, document, set()))
    if grid.uneven.count:
        where = ", ".join(f"{line} ({pluralize(cells, 'cell')})" for line, cells in grid.uneven.first)
        more = " and more" if grid.uneven.count > len(grid.uneven.first) else ""
        label = f"{pluralize(grid.uneven.count, 'row')} of another width, at line {where}{more}"
        # What follows the rows, such as the error that ended the program, is the last of them.
        below = quote_lines(sorted({grid.uneven.first[0][0], grid.uneven.last}), document, set())
        yield Entry(label, rank=1, children=tuple(below))


def list_short_rows(table: Table, document: InputDocument, level: DetailLevel) -> Iterator[Entry]:
    """Yield the cells of all rows in runs, if the rows are few and narrow, such as names with versions.

    Columns with the same cell in all rows are left out. A dense level names each row by its first cell.
    """
    grid = table.grid
    whole = len(grid.row_index.lines) == grid.rows and not grid.uneven.count
    if not whole or not _RUN_ROWS < grid.rows <= min(document.target, grid.last - grid.first + 1):
        return
    rows = _join_varied_cells(grid)
    if not rows:
        return
    if lists_names(table, level):
        rows = [cells[0] for cells in grid.row_index.cells]
    runs = [
        Entry(", ".join(rows[at : at + _RUN_ROWS]), grid.row_index.lines[at], _get_line(grid, at + _RUN_ROWS - 1), 15)
        for at in range(0, len(rows), _RUN_ROWS)
    ]
    yield from runs if len(rows) <= RANGE_LINES else _group_runs(runs, rows)


def _join_varied_cells(grid: Grid) -> list[str]:
    """Return each row without the columns that have one cell, or nothing if rows are too wide to list in runs."""
    places = [place for place, field in enumerate(grid.fields[:MAX_CELLS]) if field.distinct_count != 1]
    rows = [" ".join(cells[at] for at in places if at < len(cells) and cells[at]) for cells in grid.row_index.cells]
    is_wide = len(places) > _MAX_SHORT_COLUMNS or sum(map(len, rows)) > _MAX_SHORT_ROW * len(rows)
    return [] if is_wide or "," in "".join(rows) else rows


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
    step = RANGE_LINES // _RUN_ROWS
    for at in range(0, len(runs), step):
        group = tuple(runs[at : at + step])
        yield Entry(f"from {rows[at * _RUN_ROWS]}", group[0].start, group[-1].end, 14, children=group)


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


def build_overview(
    kind: str, tables: Sequence[tuple[Table, Sequence[Entry]]], around: Sequence[Section], document: InputDocument
) -> Outline:
    """Return an outline of many tables: their columns and lines, then their unusual rows."""
    rows = sum(table.grid.rows for table, _ in tables)
    top = Entry(f"{pluralize(len(tables), 'table')}, {pluralize(rows, 'row')} in all", 1, document.lines.total)
    is_small = document.target < ROOMY_TARGET
    listed = tuple(_list_table(table, FEW_NAMES if is_small else _MANY_NAMES, document.lines) for table, _ in tables)
    outliers = tuple(entry for table, entries in tables for entry in _title_outliers(table, entries[:12]))
    return Outline(
        kind,
        (
            Section("", (top,)),
            Section("Tables", listed, noun="tables", covered=True),
            Section("Rows that differ", outliers, noun="rows that differ", covered=is_small),
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


def _list_table(table: Table, most: int, lines: IndexedLines) -> Entry:
    """Return an entry with the caption, at most ``most`` columns and the rows of a table, and its later blocks."""
    grid = table.grid
    names = ", ".join(field.name for field in grid.fields[:most])
    width = f" of {pluralize(len(grid.fields), 'column')}" if most == FEW_NAMES and len(grid.fields) > most else ""
    start, end = table.blocks[0] if table.blocks else (grid.header or grid.first, grid.last)
    again = _list_blocks(table, most) if len(table.blocks) > 1 else ""
    rank = 1 if most == FEW_NAMES else 2
    if caption := _find_caption(lines, start):
        start, names = start - 1, f"{caption}: {names}"
    return Entry(f"{names} ({pluralize(grid.rows, 'row')}{width}{again})", start, max(start, end), rank)


def _list_blocks(table: Table, most: int) -> str:
    """Return the number of blocks of a table, or the lines at which the later ones begin."""
    if most == FEW_NAMES:
        return f" in {pluralize(table.block_count, 'block')}, again at {table.blocks[1][0]}"
    rest = " and more" if len(table.blocks) > _MAX_LISTED_BLOCKS else ""
    return f"; again at {', '.join(str(first) for first, _ in table.blocks[1:_MAX_LISTED_BLOCKS])}{rest}"


def _find_caption(lines: IndexedLines, header: int) -> str:
    """Return the words that stand alone above the header of a table, below a blank line or at the beginning, or ""."""
    line = lines.at(header - 1) if header > 1 else ""
    caption = line.strip()
    is_alone = header == 2 or (header > 2 and not lines.at(header - 2).strip())
    return caption if is_alone and len(line) <= _MAX_LINE and _CAPTION.fullmatch(caption) else ""
