"""Telling text that is a log: by the times of its lines, or by a column of levels."""

import re
from collections import Counter
from collections.abc import Sequence

from ctxkit.core.brief.document import HEAD_BYTES, InputDocument
from ctxkit.core.brief.logs.templates import LEVEL, LEVELS, MASK, mask_words
from ctxkit.core.brief.logs.timestamps import SEARCHED_CHARACTERS, TIMESTAMP, find_timestamp

SAMPLE = 200
"""Lines from the beginning that tell whether it is a log."""
FIRST_LINES = 5
"""Lines one of which has a time in what is plainly a log; text that quotes one begins otherwise."""
EVENTS = 3
"""Lines with a time and a level that make a log of text most of whose lines continue them."""
NEAR_LEVEL = re.compile(r"[^\w\n]{0,4}(?:[\w.-]{1,40}[.: ]|\W){0,3}?(?:" + "|".join(LEVELS) + r")\b")
"""The level that such a line names soon after its time."""
ZONE = 12
"""Characters of a cell that may follow the seconds of its time."""


def score_log(document: InputDocument) -> float:
    """Return how sure it is that most lines begin with a time or begin events, or have a level in one column."""
    lines = read_sample(document)
    stamped = [found for found in map(find_timestamp, lines) if found]
    if len(stamped) >= max(2, len(lines) / 2) and not _is_tabular(lines):
        early = sum(found.re is TIMESTAMP for found in stamped)
        quoted = len(stamped) < 0.9 * len(lines) and not any(map(find_timestamp, lines[:FIRST_LINES]))
        return 0.55 + 0.3 * early / len(lines) * (not quoted)
    if _has_stamped_events(lines):
        return 0.6
    columns = Counter(found.start() for found in map(LEVEL.search, lines) if found and found.start() < 60)
    if len(lines) >= 3 and columns and columns.most_common(1)[0][1] >= 0.6 * len(lines):
        return 0.55
    return 0.0


def _has_stamped_events(lines: Sequence[str]) -> bool:
    """Tell whether lines with time and level, the first one too, begin events of many lines, as stack traces do."""
    stamped_lines = [(line, stamp) for line in lines if (stamp := TIMESTAMP.match(line[:SEARCHED_CHARACTERS]))]
    if len(stamped_lines) < EVENTS or stamped_lines[0][0] is not lines[0]:
        return False
    shapes = {mask_words(line[: stamp.end()].translate(MASK)) for line, stamp in stamped_lines}
    return len(shapes) == 1 and all(NEAR_LEVEL.match(line, stamp.end()) for line, stamp in stamped_lines)


def read_sample(document: InputDocument) -> list[str]:
    """Return the first lines that are neither blank nor indented."""
    rows = document.head.split("\n")
    if document.lines.size > HEAD_BYTES and len(rows) > 1:
        rows.pop()
    return [row for row in rows[: 4 * SAMPLE] if row.strip() and row[0] not in " \t"][:SAMPLE]


def _is_tabular(lines: Sequence[str]) -> bool:
    """Tell whether the lines are rows of a table, or of JSON, that happen to begin with a time."""
    rows = lines[1:]
    for mark in (",", "\t", ";"):
        counts = {row.count(mark) for row in rows}
        least = 1 if find_timestamp(lines[0]) is None and lines[0].count(mark) in counts else 2
        if len(counts) == 1 and counts.pop() >= least and all(f"{mark} " not in row for row in rows):
            return _fits_cell(rows[-1], mark)
    return sum(map(_is_json, rows)) > len(rows) / 2


def _fits_cell(row: str, mark: str) -> bool:
    """Tell whether the time of a row fills a cell, with at most a fraction and a zone after it."""
    match = find_timestamp(row)
    if match and "{" in row[: match.end()]:
        return False
    return match is None or match.end() + ZONE >= (row.find(mark, match.end()) + 1 or len(row))


def _is_json(row: str) -> bool:
    row = row.rstrip().removesuffix(",")
    return (row[:1] == "{" and row[-1:] in "}],") or (row[:1] == "[" and row[-1:] == "]")
