"""The outline of many tables: they are listed instead of being described each."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.grids.table_model import Table
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import pluralize

MANY_NAMES, FEW_NAMES = 30, 5
"""Maximum number of columns that are named of each of many tables, and in a small map."""
CAPTION = compile_lazily(r"[A-Z](?:[^\s|]| (?! )){2,60}")
"""Words in one column, the first with a capital: "List of databases"."""
MAX_LINE = 200
"""Maximum number of characters of a line with a caption, which may stand in the middle above its table."""
MAX_LISTED_BLOCKS = 8
"""Maximum number of listed parts of a table whose header comes again."""


def build_overview(
    kind: str, tables: Sequence[tuple[Table, Sequence[Entry]]], around: Sequence[Section], document: InputDocument
) -> Outline:
    """Return an outline of many tables: their columns and lines, then their unusual rows."""
    rows = sum(table.grid.rows for table, _ in tables)
    top = Entry(f"{pluralize(len(tables), 'table')}, {pluralize(rows, 'row')} in all", 1, document.lines.total)
    is_small = document.target < ROOMY_TARGET
    listed = tuple(_list_table(table, FEW_NAMES if is_small else MANY_NAMES, document.lines) for table, _ in tables)
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
    again = ""
    if len(table.blocks) > 1 and most == FEW_NAMES:
        again = f" in {pluralize(table.block_count, 'block')}, again at {table.blocks[1][0]}"
    elif len(table.blocks) > 1:
        rest = " and more" if len(table.blocks) > MAX_LISTED_BLOCKS else ""
        again = f"; again at {', '.join(str(first) for first, _ in table.blocks[1:MAX_LISTED_BLOCKS])}{rest}"
    rank = 1 if most == FEW_NAMES else 2
    if caption := find_caption(lines, start):
        start, names = start - 1, f"{caption}: {names}"
    return Entry(f"{names} ({pluralize(grid.rows, 'row')}{width}{again})", start, max(start, end), rank)


def find_caption(lines: IndexedLines, header: int) -> str:
    """Return the words that stand alone above the header of a table, below a blank line or at the beginning, or ""."""
    line = lines.at(header - 1) if header > 1 else ""
    caption = line.strip()
    is_alone = header == 2 or (header > 2 and not lines.at(header - 2).strip())
    return caption if is_alone and len(line) <= MAX_LINE and CAPTION.fullmatch(caption) else ""
