"""Telling text that is a log: by the times of its lines, or by a column of levels."""

import re
from collections import Counter
from collections.abc import Sequence

from ctxkit.core.brief.document import HEAD, Document
from ctxkit.core.brief.logs.stamps import AGO, STAMP, stamp_of
from ctxkit.core.brief.logs.templates import LEVEL, LEVELS, MASK, mask

SAMPLE = 200
"""Lines from the beginning that tell whether it is a log."""
LED = 5
"""Lines one of which has a time in what is plainly a log; text that quotes one begins otherwise."""
EVENTS = 3
"""Lines with a time and a level that make a log of text most of whose lines continue them."""
NEAR = re.compile(r"[^\w\n]{0,4}(?:[\w.-]{1,40}[.: ]|\W){0,3}?(?:" + "|".join(LEVELS) + r")\b")
"""The level that such a line names soon after its time."""
ZONE = 12
"""Characters of a cell that may follow the seconds of its time."""


def how_sure(document: Document) -> float:
    """Return how sure it is that most lines begin with a time or begin events, or have a level in one column."""
    lines = sample_of(document)
    stamped = [found for found in map(stamp_of, lines) if found]
    if len(stamped) >= max(2, len(lines) / 2) and not _tabular(lines):
        early = sum(found.re is STAMP for found in stamped)
        quoted = len(stamped) < 0.9 * len(lines) and not any(map(stamp_of, lines[:LED]))
        return 0.55 + 0.3 * early / len(lines) * (not quoted)
    if _punctuated(lines):
        return 0.6
    columns = Counter(found.start() for found in map(LEVEL.search, lines) if found and found.start() < 60)
    if len(lines) >= 3 and columns and columns.most_common(1)[0][1] >= 0.6 * len(lines):
        return 0.55
    return 0.0


def _punctuated(lines: Sequence[str]) -> bool:
    """Tell whether lines with time and level, the first one too, begin events of many lines, as stack traces do."""
    found = [(line, stamp) for line in lines if (stamp := STAMP.match(line[:AGO]))]
    if len(found) < EVENTS or found[0][0] is not lines[0]:
        return False
    shapes = {mask(line[: stamp.end()].translate(MASK)) for line, stamp in found}
    return len(shapes) == 1 and all(NEAR.match(line, stamp.end()) for line, stamp in found)


def sample_of(document: Document) -> list[str]:
    """Return the first lines that are neither blank nor indented."""
    rows = document.head.split("\n")
    if document.lines.size > HEAD and len(rows) > 1:
        rows.pop()
    return [row for row in rows[: 4 * SAMPLE] if row.strip() and row[0] not in " \t"][:SAMPLE]


def _tabular(lines: Sequence[str]) -> bool:
    """Tell whether the lines are rows of a table, or of JSON, that happen to begin with a time."""
    rows = lines[1:]
    for mark in (",", "\t", ";"):
        counts = {row.count(mark) for row in rows}
        least = 1 if stamp_of(lines[0]) is None and lines[0].count(mark) in counts else 2
        if len(counts) == 1 and counts.pop() >= least and all(f"{mark} " not in row for row in rows):
            return _ends_cell(rows[-1], mark)
    return sum(map(_is_json, rows)) > len(rows) / 2


def _ends_cell(row: str, mark: str) -> bool:
    """Tell whether the time of a row fills a cell, with at most a fraction and a zone after it."""
    found = stamp_of(row)
    if found and "{" in row[: found.end()]:
        return False
    return found is None or found.end() + ZONE >= (row.find(mark, found.end()) + 1 or len(row))


def _is_json(row: str) -> bool:
    row = row.rstrip().removesuffix(",")
    return (row[:1] == "{" and row[-1:] in "}],") or (row[:1] == "[" and row[-1:] == "]")
