"""Find which lines of its source a map quotes, and which ranges it names: numbers, without any content."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ctxkit.core.named_tuple import NamedTuple

Span = tuple[int, int]
"""The first and the last line of a range, counted from 1."""
MAX_SPANS = 100
"""Number of ranges of each sort that an event keeps: a map of 8,000 tokens has hardly more."""
NAMED_SHARE = 0.5
"""Share of the lines of the source up to which a range says where something is."""
_QUOTED = re.compile(r"^ *- (\d+): ", re.MULTILINE)
_NAMED = re.compile(r"(?<!\w)[Ll]ines? (\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*)|--lines (\d+:\d+)")
_RANGE = re.compile(r"(\d+)(?:[-:](\d+))?")


class MapRanges(NamedTuple):
    """The ranges of lines that a map quotes, and those that it names without half of its source at once."""

    quoted: tuple[Span, ...] = ()
    named: tuple[Span, ...] = ()


def find_map_ranges(text: str, total: int) -> MapRanges:
    """Return the ranges in the text of a map of ``total`` lines, the hint's included."""
    quoted = ((number, number) for number in map(int, _QUOTED.findall(text)))
    named = (span for match in _NAMED.finditer(text) for span in _read_spans(match[1] or match[2]))
    small = (span for span in named if span[1] - span[0] < NAMED_SHARE * total)
    return MapRanges(_merge(quoted, total), _merge(small, total))


def _read_spans(text: str) -> Iterator[Span]:
    for match in _RANGE.finditer(text):
        yield int(match[1]), int(match[2] or match[1])


def _merge(spans: Iterable[Span], total: int) -> tuple[Span, ...]:
    """Return ranges in order, those that touch as one."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if 0 < span[0] <= span[1] <= total):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged[:MAX_SPANS])


def overlaps(span: Span, spans: Sequence[Span]) -> bool:
    """Return whether a range has a line in common with one of others."""
    return any(start <= span[1] and span[0] <= end for start, end in spans)
