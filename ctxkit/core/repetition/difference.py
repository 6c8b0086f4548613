"""Compare two versions of a text line by line, in time that grows little faster than their size."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Lines = Sequence[bytes]
CONTEXT = 1
"""Unchanged lines that are shown before and after a change."""


class LineChange(NamedTuple):
    """Lines ``start`` to ``end`` of the old text, which became ``new_start`` to ``new_end``; 0-based, half-open."""

    start: int
    end: int
    new_start: int
    new_end: int


def list_changes(old: Lines, new: Lines) -> list[LineChange]:
    """Return the changes between two texts: lines that both have once, in the same order, are the fixed points."""
    changes: list[LineChange] = []
    at = new_at = 0
    for anchor, new_anchor in [*_find_anchors(old, new), (len(old), len(new))]:
        if anchor < at or new_anchor < new_at:  # inside a match that was extended
            continue
        changes += _trim(old, new, LineChange(at, anchor, new_at, new_anchor))
        at, new_at = anchor + 1, new_anchor + 1
    return _join_adjacent(changes)


def _find_anchors(old: Lines, new: Lines) -> list[tuple[int, int]]:
    """Return the longest series of lines that occur once in each text and have the same order in both."""
    places, new_places = _find_unique(old), _find_unique(new)
    pairs = [(at, new_places[line]) for line, at in places.items() if line in new_places]
    return _pick_increasing(sorted(pairs))


def _find_unique(lines: Lines) -> dict[bytes, int]:
    places: dict[bytes, int] = {}
    repeated = set()
    for at, line in enumerate(lines):
        if line in places:
            repeated.add(line)
        places[line] = at
    return {line: at for line, at in places.items() if line not in repeated}


def _pick_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest series of pairs whose second numbers increase."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, new_at) in enumerate(pairs):
        length = bisect_left(ends, new_at)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [new_at]
        last[length : length + 1] = [number]
    series: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        series.append(pairs[number])
        number = before[number]
    return series[::-1]


def _trim(old: Lines, new: Lines, change: LineChange) -> list[LineChange]:
    """Return a change without the lines that both versions begin and end with; none if nothing is left."""
    start, end, new_start, new_end = change
    while start < end and new_start < new_end and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and old[end - 1] == new[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return [LineChange(start, end, new_start, new_end)] if start < end or new_start < new_end else []


def _join_adjacent(changes: list[LineChange]) -> list[LineChange]:
    """Return the changes with those joined whose context would overlap."""
    joined: list[LineChange] = []
    for change in changes:
        if joined and change.start - joined[-1].end <= 2 * CONTEXT:
            change = LineChange(joined[-1].start, change.end, joined.pop().new_start, change.new_end)
        joined.append(change)
    return joined


def format_changes(old: Lines, new: Lines, changes: Sequence[LineChange]) -> Iterator[bytes]:
    """Yield the changes as hunks of a unified diff, with the line numbers of both versions."""
    for change in changes:
        before = min(CONTEXT, change.start, change.new_start)
        after = min(CONTEXT, len(old) - change.end, len(new) - change.new_end)
        span = _format_range(change.start - before, change.end + after)
        new_span = _format_range(change.new_start - before, change.new_end + after)
        yield f"@@ -{span} +{new_span} @@\n".encode()
        yield from (_mark(b" ", line) for line in old[change.start - before : change.start])
        yield from (_mark(b"-", line) for line in old[change.start : change.end])
        yield from (_mark(b"+", line) for line in new[change.new_start : change.new_end])
        yield from (_mark(b" ", line) for line in old[change.end : change.end + after])


def _format_range(start: int, end: int) -> str:
    """Return a range as diff prints it: the first line and the number of lines."""
    return f"{start + 1 if end > start else start},{end - start}"


def _mark(sign: bytes, line: bytes) -> bytes:
    return sign + line + (b"" if line.endswith(b"\n") else b"\n\\ No newline at end of file\n")
