"""Tables printed by programs: columns, unusual rows, an index of the other rows, and the lines outside."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import Clues, InputDocument, count_matching
from ctxkit.core.brief.grids.grid import REPEATED, Table
from ctxkit.core.brief.grids.outside_lines import MAX_RUNS
from ctxkit.core.brief.grids.tables import MAX_BLOCKS, DetectedTable, TableFinder
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line, quote
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.quantity import pluralize

NAME = "table"
TYPES: Sequence[str] = ("ps", "df", "kubectl", "psql")
CLUES = Clues(("  ", "\t", "|"), unless_log=True)
SAMPLE = 400
"""Number of lines read to detect a table."""
OUTSIDE_LINES = 24
"""Maximum number of quoted lines outside all tables."""
RUN_LINES, RUN_RANK, LABEL_WIDTH = 8, 3, 80
"""Minimum number of lines of a run that has an entry, the rank of the entry, and its maximum number of characters."""
FINAL_LINES = 5
"""Number of last lines below all tables that rank before the list of tables."""
LATEST, AVERAGE_ROWS = 6, 12
"""Maximum numbers of last lines between repeated tables, and of rows of averages, that are quoted."""
KEY = compile_lazily(r"[A-Za-z][\w ()./-]{0,60}:(?:\s|$)")
ROWS = 3
"""Minimum number of rows of a table."""
LEAST_TARGET = 1_000
"""Target in tokens below which columns and an index take the room of the rows: the generic map knows more of the
tables in ``bench brief --suite fresh`` there."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that most lines are rows below a header with the same columns; 0 at a small target."""
    lines = document.head_lines[:SAMPLE]
    if document.target < LEAST_TARGET or _are_tab_separated(lines):
        return 0.0
    finder = TableFinder()
    finder.add_lines(lines, last=True)
    rows = sum(table.grid.rows for table in finder.tables)
    columns = max((len(table.layout.names) for table in finder.tables), default=0)
    uneven = sum(table.grid.uneven.count for table in finder.tables)
    heads = sum(1 + table.repeat_count for table in finder.tables)
    share = (rows + heads - uneven) / max(rows + heads + finder.outside.count, 1)
    if rows < ROWS or columns < 2 or share < 0.6 or _are_keys(lines):
        return 0.0
    return 0.6 + 0.3 * share


def _are_tab_separated(lines: Sequence[str]) -> bool:
    return "\t" in lines[0] and len({line.count("\t") for line in lines if line}) == 1


def _are_keys(lines: Sequence[str]) -> bool:
    """Return whether most lines are a key, a colon and a value, without a header of columns."""
    keys = count_matching(KEY.match, lines)
    return keys > 0.7 * len(lines) and KEY.match(next(filter(str.strip, lines), "")) is not None


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of each table's columns and unusual rows, an index of the other rows, and the lines outside."""
    from ctxkit.core.brief.grids.table_outlines import build_table_outlines

    finder = TableFinder()
    finder.read(document.lines)
    found_tables = [table for table in finder.tables if table.grid.rows]
    if not found_tables:
        return None
    if len(found_tables) == 1:
        found_tables[0].grid.last = max(found_tables[0].grid.last, found_tables[0].grid.first)
    tables = [
        Table(
            table.grid,
            table.layout.split,
            list(_make_notes(table, document)),
            _make_title(table, found_tables),
            table.blocks,
            table.repeat_count + 1,
        )
        for table in found_tables
    ]
    around = list(_make_outside_section(finder))
    if finder.averages:
        around.insert(0, Section("Averages begin", tuple(_quote_averages(finder, document)), noun="lines"))
    return build_table_outlines(NAME, tables, around, document)


def _make_title(table: DetectedTable, tables: Sequence[DetectedTable]) -> str:
    names = [name for name in table.layout.names if name not in ("time", "label", "")]
    return "" if len(tables) == 1 else f"{names[0] if names else table.layout.names[0]} table"


def _make_notes(table: DetectedTable, document: InputDocument) -> Iterator[Entry]:
    header = table.grid.header
    yield quote(header, document.lines.at(header))
    if table.repeat_count:
        where = ", ".join(map(str, table.repeat_lines))
        more = " and more" if table.repeat_count > len(table.repeat_lines) else ""
        last = table.blocks[-1]
        ends = f"; the last block is lines {last[0]} to {last[1]}" if table.repeat_count < MAX_BLOCKS else ""
        yield Entry(f"{table.repeat_count + 1:,} blocks with this header{ends}", rank=1)
        yield Entry(f"the header comes again {pluralize(table.repeat_count, 'time')}, at {where}{more}", rank=5)
    for line in table.totals:
        yield quote(line, document.lines.at(line), rank=1)


def _quote_averages(finder: TableFinder, document: InputDocument) -> Iterator[Entry]:
    """Yield the header and the rows of the first block of averages."""
    last = min(finder.averages + AVERAGE_ROWS, document.lines.total)
    for number, text in document.lines.enumerate_lines(finder.averages, last):
        if not text.startswith("Average:"):
            return
        yield quote(number, text, rank=1 if number < finder.averages + 3 else 4)


def _make_outside_section(finder: TableFinder) -> Iterator[Section]:
    """Yield a section of the lines outside all tables: errors first, then the runs and the lines after the tables."""
    outside = finder.outside
    if not outside.count:
        return
    quotes = {entry.start: entry for entry in _iter_outside_quotes(finder)}
    entries: list[Entry] = []
    for run in outside.runs:
        inside = [quotes.pop(number) for number in sorted(quotes) if run.start <= number <= run.end]
        if run.line_count < RUN_LINES or not run.text:
            entries += inside
            continue
        label = f"{clean_line(run.text, LABEL_WIDTH)} ..."
        rank = min([RUN_RANK, *(entry.rank for entry in inside)])
        entries.append(Entry(label, run.start, run.end, rank, children=tuple(inside)))
    entries += quotes.values()
    entries.sort(key=lambda entry: entry.start)
    listed = sum(max(len(entry.children), entry.verbatim) for entry in entries)
    if outside.count > listed and len(outside.runs) == MAX_RUNS:
        entries.append(Entry(f"{outside.count - listed:,} more lines that are no rows", rank=12))
    yield Section("Outside the rows", tuple(entries), noun="lines outside the rows")


def _iter_outside_quotes(finder: TableFinder) -> Iterator[Entry]:
    """Yield quotations of the errors, the first and the last lines outside tables."""
    outside = finder.outside
    last = max(table.grid.last for table in finder.tables)
    errors = set(outside.errors)
    after = sorted({row for row in (*outside.latest, *outside.errors) if row[0] > last})
    if max(table.repeat_count for table in finder.tables) + 1 >= REPEATED:
        yield from (quote(*row, rank=2) for row in list(outside.latest)[-LATEST:] if row[0] <= last)
    yield from _quote_before(finder, last, max(OUTSIDE_LINES - len(after), 0))
    for place, row in enumerate(reversed(after)):
        yield quote(*row, rank=0 if row in errors else 1 if place < FINAL_LINES else 4)


def _quote_before(finder: TableFinder, last: int, most: int) -> Iterator[Entry]:
    """Yield quotations of the first lines outside tables and the errors, up to the end of the last table."""
    first = min(table.grid.header or table.grid.first for table in finder.tables)
    errors = {row for row in finder.outside.errors if row[0] <= last}
    before = [row for row in finder.outside.first if row[0] <= last][:most]
    for at, row in enumerate(sorted({*before, *errors})):
        rank = 1 if row[0] < first and at < 3 else 12
        yield quote(*row, rank=0 if row in errors else rank)
