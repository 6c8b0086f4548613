"""Outlines of tables of any size: columns, unusual rows, and an index of the others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ctxkit.core.brief.data.literals import quote_string
from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.error_lines import find_error_lines, is_error_line
from ctxkit.core.brief.generic.trouble import rate_trouble
from ctxkit.core.brief.grids.extremes import list_extremes
from ctxkit.core.brief.grids.grid import MAX_CELLS, RANGE_LINES, Grid, SplitCells
from ctxkit.core.brief.grids.outliers import PATH, Outlier, find_outliers
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.text.measure import pluralize

MAX_SEARCHED_BYTES = 64 << 20
"""Maximum size in bytes at which all rows with a rare value are looked up."""
MAX_ALARMING_LINES = 24
"""Maximum number of lines listed for an alarming value."""
MAX_OTHER_LINES = 6
"""Maximum number of lines listed for another rare value."""
DETAIL_LEVELS = (
    (60, 1, 8, RANGE_LINES),
    (40, 1, 4, RANGE_LINES),
    (40, 2, 4, RANGE_LINES),
    (24, 2, 2, RANGE_LINES),
    (16, 2, 1, RANGE_LINES),
)
"""Levels of decreasing detail: outliers, form of the index (1 one per line, 2 dense), sample rows, lines per range."""
FULL = 1
"""Form of the index that shows all cells of narrow rows."""
RANGE_FACTORS = (2, 4, 8, 16, 32, 64, 256, 1_024, 8_192)
RUN_ROWS = 10
"""Number of short rows that are listed on one line."""
MAX_SHORT_COLUMNS, MAX_SHORT_ROW = 3, 40
"""Maximum number of columns and average of characters of rows that are listed in runs."""
MAX_DETAILED_TABLES = 4
"""Number of tables above which they are listed instead of being described each."""
MANY_NAMES, FEW_NAMES = 30, 5
"""Maximum number of columns that are named of each of many tables, and in a small map."""
MAX_LISTED_BLOCKS = 8
"""Maximum number of listed parts of a table whose header comes again."""
REPEATED = 3
"""Number of blocks below the same header from which the extremes of the columns are listed."""
MAX_ERROR_ROWS = 12


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
    table_outliers = [(table, _list_outliers(table, document)) for table in tables]
    if len(tables) > MAX_DETAILED_TABLES:
        return [_build_overview(kind, table_outliers, around, document)]
    variants = []
    for level in sizes:
        sections = [
            section
            for table, outliers in table_outliers
            for section in _build_sections(table, outliers, level, document)
        ]
        variants.append(Outline(kind, (*sections, *around)))
    return variants


def _build_overview(
    kind: str, tables: Sequence[tuple[Table, Sequence[Entry]]], around: Sequence[Section], document: InputDocument
) -> Outline:
    """Return an outline of many tables: their columns and lines, then their unusual rows."""
    rows = sum(table.grid.rows for table, _ in tables)
    top = Entry(f"{pluralize(len(tables), 'table')}, {pluralize(rows, 'row')} in all", 1, document.lines.total)
    is_small = document.target < ROOMY_TARGET
    listed = tuple(_list_table(table, FEW_NAMES if is_small else MANY_NAMES) for table, _ in tables)
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
            Section("Tables", listed, noun="tables", covered=True),
            Section("Lowest and highest of each column, with their lines", extremes, noun="entries", covered=is_small),
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


def _list_table(table: Table, most: int) -> Entry:
    """Return an entry with at most ``most`` columns and the rows of a table, and the lines of its further parts."""
    grid = table.grid
    names = ", ".join(field.name for field in grid.fields[:most])
    width = f" of {pluralize(len(grid.fields), 'column')}" if most == FEW_NAMES and len(grid.fields) > most else ""
    start, end = table.blocks[0] if table.blocks else (grid.header or grid.first, grid.last)
    again = ""
    if len(table.blocks) > 1 and most == FEW_NAMES:
        again = f" in {pluralize(table.block_count, 'block')}, again at {table.blocks[1][0]}"
    elif len(table.blocks) > 1:
        rest = " and more" if len(table.blocks) > MAX_LISTED_BLOCKS else ""
        again = f"; again at {', '.join(str(first) for first, _ in table.blocks[1:MAX_LISTED_BLOCKS])}{rest}"
    rank = 1 if most == FEW_NAMES else 2
    return Entry(f"{names} ({pluralize(grid.rows, 'row')}{width}{again})", start, max(start, end), rank)


def _build_sections(
    table: Table, outliers: Sequence[Entry], level: DetailLevel, document: InputDocument
) -> Iterator[Section]:
    grid = table.grid
    title = f"{table.title}: " if table.title else ""
    yield Section(table.title and f"Table at {_format_range(grid)}", tuple(_summarize(table, document)))
    if table.block_count >= REPEATED:
        extremes = tuple(list_extremes(grid.fields))
        yield Section(f"{title}Lowest and highest of each column, with their lines", extremes, noun="entries")
        outliers = [replace(entry, rank=entry.rank + 4) for entry in outliers]
    few = tuple(outliers[: level.outliers])
    if few:
        more = len(outliers) - len(few)
        rest = (Entry(f"{more:,} more rows that differ, not shown", rank=9),) if more else ()
        yield Section(f"{title}Rows that differ", few + rest, noun="rows that differ")
    columns = tuple(Entry(f"{f.name}: {f.describe()}", rank=20 + place // 4) for place, f in enumerate(grid.fields))
    yield Section(f"{title}Columns (types and ranges, no rows)", columns, noun="columns")
    runs = tuple(_list_short_rows(table, document, level))
    if runs:
        what = f"First cells of all rows ({grid.fields[0].name})" if _lists_names(table, level) else "All rows"
        yield Section(f"{title}{what}", runs, noun="runs of rows")
        return
    yield Section(f"{title}Rows by line", tuple(_make_index(table, level, document)), noun="rows")
    samples = tuple(_quote_samples(grid, level.samples, document))
    yield Section(f"{title}Some rows as they stand" if samples else "", samples, noun="sample rows")


def _format_range(grid: Grid) -> str:
    return f"lines {grid.header or grid.first}-{grid.last}"


def _summarize(table: Table, document: InputDocument) -> Iterator[Entry]:
    grid = table.grid
    names = ", ".join(field.name for field in grid.fields[:100])
    more = f", +{len(grid.fields) - 100:,} more" if len(grid.fields) > 100 else ""
    label = f"{pluralize(grid.rows, 'row')}, {pluralize(len(grid.fields), 'column')}: {names}{more}"
    yield Entry(label, grid.first, max(grid.last, grid.first)) if grid.rows else Entry(label)
    yield from table.notes
    if grid.uneven.count:
        where = ", ".join(f"{line} ({pluralize(cells, 'cell')})" for line, cells in grid.uneven.first)
        more = " and more" if grid.uneven.count > len(grid.uneven.first) else ""
        label = f"{pluralize(grid.uneven.count, 'row')} of another width, at line {where}{more}"
        below = _quote_lines([line for line, _ in grid.uneven.first[:2]], document, set())
        yield Entry(label, rank=1, children=tuple(below))


def _list_outliers(table: Table, document: InputDocument) -> list[Entry]:
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
    below = tuple(_quote_lines(lines[: 3 if outlier.weight < 2 else 1], document, done))
    return Entry(label, lines[0], lines[0], 2 + outlier.weight, children=below)


def _quote_lines(lines: Sequence[int], document: InputDocument, done: set[int]) -> Iterator[Entry]:
    for line in lines:
        text = document.lines.at(line)
        if line not in done and text.strip():
            done.add(line)
            yield quote(line, text, rank=3)


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
        is_error_line(cell) and rate_trouble(cell) and not PATH.fullmatch(cell)
        for cell in map(str.strip, cells)
        if cell
    )


def _list_short_rows(table: Table, document: InputDocument, level: DetailLevel) -> Iterator[Entry]:
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
    if _lists_names(table, level):
        rows = [cells[0] for cells in grid.row_index.cells]
    runs = [
        Entry(", ".join(rows[at : at + RUN_ROWS]), grid.row_index.lines[at], _get_line(grid, at + RUN_ROWS - 1), 15)
        for at in range(0, len(rows), RUN_ROWS)
    ]
    yield from runs if len(rows) <= RANGE_LINES else _group_runs(runs, rows)


def _lists_names(table: Table, level: DetailLevel) -> bool:
    """Return whether a level is dense, and most of the first cells are names that differ."""
    names = [cells[0] if cells else "" for cells in table.grid.row_index.cells]
    differ = table.grid.fields[0].distinct_count != 1
    return level.form != FULL and differ and all(names) and sum(map(has_letter, names)) * 2 > len(names)


def has_letter(text: str) -> bool:
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


def _make_index(table: Table, level: DetailLevel, document: InputDocument) -> Iterator[Entry]:
    """Yield the ranges of rows, labelled by the cells of the key column."""
    grid, place = table.grid, table.grid.find_key_column()
    ranges = grid.row_index.list_ranges(max(grid.last, grid.first), level.width)
    if len(ranges) < 2 or len(ranges) > document.target // 2:
        return
    name = grid.fields[place].name if place >= 0 else "row"
    if level.form == 1:
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


def _quote_samples(grid: Grid, most: int, document: InputDocument) -> Iterator[Entry]:
    """Quote the first rows, one in the middle and the last."""
    lines = grid.row_index.lines
    if not lines:
        return
    head = lines[: max(most // 2, 1)]
    some = sorted({*head, lines[len(lines) // 2], lines[-1]} if most > 1 else {lines[0]})
    for step, line in enumerate(some):
        yield quote(line, document.lines.at(line), rank=40 + step)
