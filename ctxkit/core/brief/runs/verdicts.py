"""What stands first and last in the map of a run of tests: verdicts, notes, the end of a log without one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ctxkit.core.brief.outline import Entry, shown
from ctxkit.core.brief.runs.failures import quoted
from ctxkit.core.brief.runs.signposts import Mark, clean
from ctxkit.core.lines import Lines

NOTES = 6
"""Notes that are quoted; of more, the first two and the last three."""
VERDICTS = 8
"""Verdicts that are quoted; of more, the first three and the last four."""
END = (3, 10)
"""Lines of the end of a log without a verdict that are quoted: below failures, and with none named."""
WIDTH = 300
"""Characters of a name or a verdict that are quoted."""


def quote(mark: Mark, rank: int) -> Entry:
    """Quote the line of a mark."""
    return Entry(shown(mark.text, WIDTH), mark.number, mark.number, rank, verbatim=True)


def verdicts(found: Sequence[Mark], *, closed: bool, what: str = "closing summary line") -> Iterator[Entry]:
    """Yield the lines that say how it went, as they stand, or say that the last run has none."""
    yield from _abridged(found, VERDICTS, 0)
    if not closed:
        which = f" after line {found[-1].number}" if found else ""
        yield Entry(f"no {what} in this log{which}")


def notes(found: Sequence[Mark]) -> Iterator[Entry]:
    """Yield what a runner says outside of its tests; of a long crash report its beginning and end."""
    yield from _abridged(found, NOTES, 1)


def _abridged(found: Sequence[Mark], most: int, rank: int) -> Iterator[Entry]:
    """Quote marks, of very many the first and the last ones."""
    if len(found) <= most:
        yield from (quote(mark, rank) for mark in found)
        return
    first, last = most // 2 - 1, most // 2
    yield from (quote(mark, rank) for mark in found[:first])
    hidden = found[first:-last]
    yield Entry(f"{len(hidden):,} lines like the one above", hidden[0].number, hidden[-1].number, rank)
    yield from (quote(mark, rank) for mark in found[-last:])


def ending(lines: Lines, most: int) -> list[Entry]:
    """Return the last lines of a log that ends in the middle of things, the very last first."""
    rows = [(number, clean(text)) for number, text in lines.numbered(max(lines.total - 2 * most, 1))]
    while rows and not rows[-1][1]:
        rows.pop()
    last = rows[-most:]
    while last and not last[0][1]:
        last.pop(0)
    ranks = range(len(last) + 1, 1, -1)
    return [replace(quoted(row), rank=rank) for row, rank in zip(last, ranks, strict=True)]
