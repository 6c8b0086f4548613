"""Detection of logs, by the timestamps of their lines or by a column of levels."""

import re
from collections import Counter
from collections.abc import Sequence

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.logs.templates import LEVEL, LEVELS, MASK, mask_words
from ctxkit.core.brief.logs.timestamps import SEARCHED_CHARACTERS, TIMESTAMP, find_timestamp
from ctxkit.core.brief.samples import read_spread_lines
from ctxkit.core.lazy_pattern import compile_lazily

SAMPLE = 200
"""Number of lines read to detect a log."""
FIRST_LINES = 5
"""Number of first lines, one of which has a timestamp in a log; text that quotes a log begins otherwise."""
NUMBER = compile_lazily(r"-?(?:\d[\d.,:%]*|[\da-f]{2,8})[KMGT]?")
EVENTS = 3
"""Minimum number of lines with time and level for a log that consists mostly of continuation lines."""
NEAR_LEVEL = compile_lazily(r"[^\w\n]{0,4}(?:[\w.-]{1,40}[.: ]|\W){0,3}?(?:" + "|".join(LEVELS) + r")\b")
"""Pattern of a level soon after the timestamp."""
LEADING_LEVEL = compile_lazily(rf"(?:{'|'.join(LEVELS)})(?: *[-:|]|  +-?) ")
"""Pattern of a level in capital letters at the beginning of a line, as mkdocs prints it."""
ZONE = 12
"""Maximum number of characters of a cell after the seconds of its timestamp."""


def score_log(document: InputDocument) -> float:
    """Return the confidence that most lines begin with a timestamp or continue such lines, or have
    a column of levels.
    """
    lines = read_sample(document)
    stamped = [match for match in map(find_timestamp, lines) if match]
    if len(stamped) >= max(2, len(lines) / 2) and not _is_tabular(lines) and not _are_numbers(stamped):
        early = sum(match.re is TIMESTAMP for match in stamped)
        quoted = len(stamped) < 0.9 * len(lines) and not any(map(find_timestamp, lines[:FIRST_LINES]))
        return 0.55 + 0.3 * early / len(lines) * (not quoted)
    if _has_stamped_events(lines):
        return 0.6
    if sum(LEADING_LEVEL.match(line) is not None for line in lines) >= max(2, 0.9 * len(lines)):
        return 0.86
    columns = Counter(match.start() for match in map(LEVEL.search, lines) if match and match.start() < 60)
    if len(lines) >= 3 and columns and columns.most_common(1)[0][1] >= 0.6 * len(lines):
        return 0.55
    return 0.0


def _has_stamped_events(lines: Sequence[str]) -> bool:
    """Return whether the first line and others have time and level, and begin multi-line events
    such as stack traces.
    """
    stamped_lines = [(line, stamp) for line in lines if (stamp := TIMESTAMP.match(line[:SEARCHED_CHARACTERS]))]
    if len(stamped_lines) < EVENTS or stamped_lines[0][0] is not lines[0]:
        return False
    shapes = {mask_words(line[: stamp.end()].translate(MASK)) for line, stamp in stamped_lines}
    return len(shapes) == 1 and all(NEAR_LEVEL.match(line, stamp.end()) for line, stamp in stamped_lines)


def is_log_throughout(document: InputDocument) -> bool:
    """Return whether half of the lines at the margin, from all parts of the document, state a time or a level."""
    lines = [line for line in read_spread_lines(document) if line.strip() and line[0] not in " \t"]
    stated = sum(find_timestamp(line) is not None or LEVEL.search(line[:200]) is not None for line in lines)
    return 2 * stated >= len(lines)


def read_sample(document: InputDocument) -> list[str]:
    """Return the first lines that are not blank and not indented."""
    return [row for row in document.head_lines[: 4 * SAMPLE] if row.strip() and row[0] not in " \t"][:SAMPLE]


def _is_tabular(lines: Sequence[str]) -> bool:
    """Return whether the lines are rows of a table, or of JSON, that happen to begin with a timestamp."""
    rows = lines[1:]
    for mark in (",", "\t", ";"):
        counts = {row.count(mark) for row in rows}
        least = 1 if find_timestamp(lines[0]) is None and lines[0].count(mark) in counts else 2
        if len(counts) == 1 and counts.pop() >= least and all(f"{mark} " not in row for row in rows):
            return _fits_cell(rows[-1], mark)
    return sum(map(_is_json, rows)) > len(rows) / 2


def _are_numbers(stamped: Sequence[re.Match[str]]) -> bool:
    """Return whether most lines have only numbers after the timestamp, as measurements and dumps have."""
    return sum(map(_is_measurement, stamped)) > len(stamped) * 0.6


def _is_measurement(stamp: re.Match[str]) -> bool:
    words = stamp.string[stamp.end() :].split()
    return len(words) > 2 and sum(NUMBER.fullmatch(word) is not None for word in words) >= 0.7 * len(words)


def _fits_cell(row: str, mark: str) -> bool:
    """Return whether the timestamp fills a cell, with at most a fraction and a zone after it."""
    match = find_timestamp(row)
    if match and "{" in row[: match.end()]:
        return False
    return match is None or match.end() + ZONE >= (row.find(mark, match.end()) + 1 or len(row))


def _is_json(row: str) -> bool:
    row = row.rstrip().removesuffix(",")
    return (row[:1] == "{" and row[-1:] in "}],") or (row[:1] == "[" and row[-1:] == "]")
