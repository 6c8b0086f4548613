"""Tables as programs print them: the columns, the rows that differ, an index of the rest, what stands around."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import HEAD, Document
from ctxkit.core.brief.grids.rows import Table, outlines
from ctxkit.core.brief.grids.tables import Finder, Found
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.measure import plural

NAME = "table"
TYPES: Sequence[str] = ("ps", "df", "kubectl", "psql")
SAMPLE = 400
"""Lines of the beginning that tell whether it is a table."""
AROUND = 24
"""Lines outside all tables that are quoted."""
ROWS = 3
"""Rows from which on a table is one."""


def sniff(document: Document) -> float:
    """Claim text most of whose lines are rows below a header that parts them into columns."""
    lines = document.head.removeprefix("\ufeff").replace("\r", "").split("\n")
    if document.lines.size > HEAD and len(lines) > 1:
        lines.pop()
    lines = lines[:SAMPLE]
    if "\t" in lines[0] and len({line.count("\t") for line in lines if line}) == 1:
        return 0.0
    finder = Finder()
    finder.take(lines, last=True)
    rows = sum(found.grid.rows for found in finder.tables)
    columns = max((len(found.layout.names) for found in finder.tables), default=0)
    uneven = sum(found.grid.uneven.count for found in finder.tables)
    heads = sum(1 + found.repeats for found in finder.tables)
    share = (rows + heads - uneven) / max(rows + heads + finder.outside, 1)
    if rows < ROWS or columns < 2 or share < 0.6:
        return 0.0
    return 0.6 + 0.3 * share


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the columns of each table, the rows that differ, where the others are, and what stands around."""
    finder = Finder()
    finder.read(document.lines)
    found = [one for one in finder.tables if one.grid.rows]
    if not found:
        return None
    if len(found) == 1:
        found[0].grid.last = max(found[0].grid.last, found[0].grid.first)
    tables = [Table(one.grid, one.layout.split, list(_notes(one, document)), _title(one, found)) for one in found]
    return outlines(NAME, tables, list(_around(finder, document)), document)


def _title(found: Found, among: Sequence[Found]) -> str:
    return "" if len(among) == 1 else f"{found.layout.names[0] or found.layout.names[-1]} table"


def _notes(found: Found, document: Document) -> Iterator[Entry]:
    header = found.grid.header
    yield quote(header, document.lines.at(header))
    yield Entry(f"columns parted by {found.layout.by}", rank=8)
    if found.repeats:
        where = ", ".join(map(str, found.again))
        more = " and more" if found.repeats > len(found.again) else ""
        yield Entry(f"the header comes again {plural(found.repeats, 'time')}, at {where}{more}", rank=5)
    for line in found.totals:
        yield quote(line, document.lines.at(line), rank=1)


def _around(finder: Finder, document: Document) -> Iterator[Section]:
    """Yield the lines outside all tables, those after the last one first to enter."""
    if not finder.others:
        return
    last = max(found.grid.last for found in finder.tables)
    entries = [quote(n, text, rank=1 if n > last else 12) for n, text in finder.others[:AROUND]]
    taken = len(entries)
    if finder.outside > taken:
        rest = finder.others[taken:]
        end = rest[-1][0] if rest and finder.outside == len(finder.others) else document.lines.total
        start = rest[0][0] if rest else finder.others[-1][0]
        entries.append(Entry(f"{finder.outside - taken:,} more lines that are no rows", start, end, 12))
    yield Section("Outside the rows", tuple(entries), noun="lines outside the rows")
