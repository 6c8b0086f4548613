"""First and last entries of a test report: results, notes, and the end of an incomplete log."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.outline import Entry, clean_line
from ctxkit.core.brief.runs.failures import quote_row
from ctxkit.core.brief.runs.pytest_markers import Marker, strip_decorations
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.lines import IndexedLines

MAX_NOTES = 6
"""Maximum number of quoted notes; of more, the first two and the last three."""
MAX_SUMMARIES = 8
"""Maximum number of quoted results; of more, the first three and the last four."""
END_LINES = (3, 10)
"""Number of final lines quoted from a log without a result: with and without failing tests."""
WIDTH = 300
"""Maximum number of characters of a name or result."""


def quote_marker(marker: Marker, rank: int) -> Entry:
    """Return a quotation of a marker's line."""
    return Entry(clean_line(marker.text, WIDTH), marker.number, marker.number, rank, verbatim=True)


def quote_summaries(markers: Sequence[Marker], *, closed: bool, what: str = "closing summary line") -> Iterator[Entry]:
    """Yield the result lines verbatim, and a note if the last run has none."""
    yield from _quote_abridged(markers, MAX_SUMMARIES, 0)
    if not closed:
        which = f" after line {markers[-1].number}" if markers else ""
        yield Entry(f"no {what} in this log{which}")


def quote_notes(markers: Sequence[Marker]) -> Iterator[Entry]:
    """Yield notes of a runner outside its tests; of a long crash report, the beginning and the end."""
    yield from _quote_abridged(markers, MAX_NOTES, 1)


def _quote_abridged(markers: Sequence[Marker], most: int, rank: int) -> Iterator[Entry]:
    """Quote markers; of very many, only the first and the last ones."""
    if len(markers) <= most:
        yield from (quote_marker(marker, rank) for marker in markers)
        return
    first, last = most // 2 - 1, most // 2
    yield from (quote_marker(marker, rank) for marker in markers[:first])
    hidden = markers[first:-last]
    yield Entry(f"{len(hidden):,} lines like the one above", hidden[0].number, hidden[-1].number, rank)
    yield from (quote_marker(marker, rank) for marker in markers[-last:])


def quote_ending(lines: IndexedLines, most: int) -> list[Entry]:
    """Return the last lines of an incomplete log; the very last line ranks first."""
    rows = [(number, strip_decorations(text)) for number, text in lines.enumerate_lines(max(lines.total - 2 * most, 1))]
    while rows and not rows[-1][1]:
        rows.pop()
    last = rows[-most:]
    while last and not last[0][1]:
        last.pop(0)
    ranks = range(len(last) + 1, 1, -1)
    return [replace(quote_row(row), rank=rank) for row, rank in zip(last, ranks, strict=True)]
