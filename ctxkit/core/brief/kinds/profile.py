"""Profiles: the costliest rows as they stand, by each column that is a cost, and the profiler's own summary."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.shapes.cost_rows import MAX_ROWS, CostReader, RowCount, measure_rows
from ctxkit.core.text.quantity import pluralize

NAME = "profile"
TYPES: Sequence[str] = ("perf", "importtime", "tracemalloc", "massif")
CLUES = Clues(("%", "import time:", ": size=", "memory blocks: "))
LEAST, SHARE = 5, 0.9
"""Minimum number of rows, and minimum share of the lines that are rows or may stand between them."""
WIDTH = 150
MAX_SUMMARIES = 12


def sniff(document: InputDocument) -> float:
    """Return the confidence that the lines are rows of a profile, with comments and trees between them."""
    rows = [row for row in document.head_lines if row.strip()]
    count, share = measure_rows(rows)
    return 0.95 if count >= max(LEAST, len(rows) // 50) and share >= SHARE else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of the costliest rows, or None if there are too few rows."""
    reader = CostReader()
    reader.add_lines(document.lines.enumerate_lines())
    counts = [count for count in reader.counts if count.count >= LEAST]
    if not counts or reader.other_count * 5 > document.lines.total:
        return None
    top = Section("", tuple(_summarize(counts, reader)))
    rows = [section for count in counts for section in _list_columns(count)]
    return [Outline(NAME, (top, *rows))]


def _summarize(counts: Sequence[RowCount], reader: CostReader) -> Iterator[Entry]:
    for count in counts:
        columns = " and ".join(count.form.columns)
        yield Entry(f"{pluralize(count.count, 'row')} with {columns}", count.first, count.last)
    for place, (number, text) in enumerate(reader.summaries[:MAX_SUMMARIES]):
        yield quote(number, text, rank=1 + place // 4, width=WIDTH)


def _list_columns(count: RowCount) -> Iterator[Section]:
    """Yield a section with the costliest rows for each column; a row stands where its rank is the best."""
    columns = list(reversed(count.columns))
    groups: list[list[Entry]] = [[] for _ in columns]
    shown: set[int] = set()
    for rank, rows in enumerate(zip_longest(*(column.list_costliest() for column in columns))):
        for place, row in enumerate(rows):
            if rank < MAX_ROWS // len(columns) and row is not None and row[0] not in shown:
                shown.add(row[0])
                groups[place].append(quote(*row, rank=2 + place + rank // 3, width=WIDTH))
    for column, entries in zip(columns, groups, strict=True):
        yield Section(f"Costliest by {column.name}", tuple(entries), noun="costly rows")
