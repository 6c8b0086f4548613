"""Detection of logs, by the timestamps of their lines or by a column of levels."""

import re
from collections import Counter
from collections.abc import Sequence

from ctxkit.core.brief.document import InputDocument, count_matching, read_spread_lines
from ctxkit.core.brief.logs.templates import LEVEL, LEVELS, MASK, mask_words
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.escapes import strip_escapes

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = "|".join(_MONTHS)
_CLOCK = r"(?P<h{0}>\d\d):(?P<m{0}>\d\d):(?P<s{0}>\d\d)"
_TIMESTAMP_FORMS = (
    # 2024-01-02T03:04:05, 2024/01/02 03:04:05, 2005-06-03-15.42.50, 20171223-22:15:29
    r"(?P<y0>\d{4})[-/.]?(?P<mo0>\d\d)[-/.]?(?P<d0>\d\d)[T ,:_-]{1,3}"
    r"(?P<h0>\d{1,2})[:.](?P<m0>\d\d)[:.](?P<s0>\d\d)",
    # Jan  2 03:04:05, Thu Jun 09 06:07:04 2005
    rf"(?:(?:mon|tue|wed|thu|fri|sat|sun),? )?(?P<mo1>{_MONTH}) +(?P<d1>\d\d?)(?:,? (?P<y1>\d{{4}}))? "
    + _CLOCK.format(1),
    # 10/Oct/2000:13:55:36, 02-Jan-2024 03:04:05
    rf"(?P<d2>\d\d?)[-/ ](?P<mo2>{_MONTH})[-/ ](?P<y2>\d{{4}})[: ]{_CLOCK.format(2)}",
    # I0102 03:04:05.123456
    rf"[IWEF](?P<mo3>\d\d)(?P<d3>\d\d) {_CLOCK.format(3)}\.\d+",
    # 17/06/09 20:10:40
    rf"(?P<y4>\d\d)/(?P<mo4>\d\d)/(?P<d4>\d\d) {_CLOCK.format(4)}",
    # 03-17 16:13:38.702, [10.30 16:49:06]
    rf"(?P<mo5>\d\d)[-./](?P<d5>\d\d) {_CLOCK.format(5)}",
    # [    0.000000]
    r"\[ *(?P<s6>\d+)\.\d{6}\]",
    # 081109 203615
    r"(?P<y7>\d\d)(?P<mo7>[01]\d)(?P<d7>[0-3]\d) (?P<h7>[0-2]\d)(?P<m7>[0-5]\d)(?P<s7>[0-5]\d)(?= )",
    # 03:04:05.123
    _CLOCK.format(8),
    # 1117838570, 1700000000.123
    r"(?P<s9>1\d{9})(?:\.\d+)?(?= |,\")",
    # [12.345s]
    r"\[(?P<s10>\d{1,7})\.\d{3}s\]",
)
_FIELD = r"\{(?:\"[\w@.]+\": ?\"[^\"]{0,40}\", ?){0,3}\"@?(?:ts|time|timestamp|date)\": ?\"?"
"""Pattern of the beginning of a JSON object with a time among its first fields."""
_BEFORE = (
    r"(?:<\d+>(?:\d+ )?|\x1b\[[\d;]*m|[\[(*-] ?|\d{10} |[a-z][\w.-]* +\| |(?:time|ts|timestamp|date|at)=\"?"
    rf"|\[[a-z][\w.-]* |{_FIELD})*"
)
"""Pattern of text before a timestamp: a priority, a colour, a bracket, Unix seconds, a container name."""
_REQUEST = r"\S+ \S+ [^\n\[]{1,40}\["
"""Pattern of text before the timestamp of an access log: host, identity, user."""
WORDS = r"(?![-dlbcps][-rwxsStT]{9})(?:[^\s(<]\S{0,79} +){1,4}?"
"""Pattern of other text before a timestamp (file, node, component), but not file modes, brackets or tags."""
TIMESTAMP = re.compile(rf"(?:{_BEFORE}|{_REQUEST})(?P<stamp>{'|'.join(_TIMESTAMP_FORMS)})", re.IGNORECASE)
"""Compiled at once: matches are told apart by their pattern."""
_LATE_TIMESTAMP = compile_lazily(rf"{WORDS}(?:{_BEFORE})(?P<stamp>{'|'.join(_TIMESTAMP_FORMS)})", re.IGNORECASE)
_AFTER = compile_lazily(
    r"(?:[.,]\d{1,9})?(?: [12]\d{3}(?=\]))?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)(?![\w:]))?[\])|]?[ \t:|,-]*"
)
"""Pattern of what ends a timestamp: a fraction, a year, a zone, a bracket, and what divides it from the message."""
_SEARCHED_CHARACTERS = 400
"""Number of characters of a line that are searched for a timestamp."""
SAMPLE = 200
"""Number of lines read to detect a log."""
_FIRST_LINES = 5
"""Number of first lines, one of which has a timestamp in a log; text that quotes a log begins otherwise."""
_NUMBER = compile_lazily(r"-?(?:\d[\d.,:%]*|[\da-f]{2,8})[KMGT]?")
_EVENTS = 3
"""Minimum number of lines with time and level for a log that consists mostly of continuation lines."""
_NEAR_LEVEL = compile_lazily(r"[^\w\n]{0,4}(?:[\w.-]{1,40}[.: ]|\W){0,3}?(?:" + "|".join(LEVELS) + r")\b")
"""Pattern of a level soon after the timestamp."""
_LEADING_LEVEL = compile_lazily(rf"(?:{'|'.join(LEVELS)})(?: *[-:|]|  +-?) ")
"""Pattern of a level in capital letters at the beginning of a line, as mkdocs prints it."""
_ZONE = 12
"""Maximum number of characters of a cell after the seconds of its timestamp."""


def score_log(document: InputDocument) -> float:
    """Return the confidence that most lines begin with a timestamp or continue such lines, or have
    a column of levels.
    """
    lines = read_sample(document)
    stamped = [match for match in map(find_timestamp, lines) if match]
    if len(stamped) >= max(2, len(lines) / 2) and not _is_tabular(lines) and not _are_numbers(stamped):
        early = sum(match.re is TIMESTAMP for match in stamped)
        quoted = len(stamped) < 0.9 * len(lines) and not any(map(find_timestamp, lines[:_FIRST_LINES]))
        return 0.55 + 0.3 * early / len(lines) * (not quoted)
    if _has_stamped_events(lines):
        return 0.6
    if count_matching(_LEADING_LEVEL.match, lines) >= max(2, 0.9 * len(lines)):
        return 0.86
    return 0.55 if _has_level_column(lines) else 0.0


def _has_level_column(lines: Sequence[str]) -> bool:
    """Return whether most lines have a level in the same place."""
    columns = Counter(match.start() for match in map(LEVEL.search, lines) if match and match.start() < 60)
    return len(lines) >= 3 and bool(columns) and columns.most_common(1)[0][1] >= 0.6 * len(lines)


def _has_stamped_events(lines: Sequence[str]) -> bool:
    """Return whether the first line and others have time and level, and begin multi-line events
    such as stack traces.
    """
    stamped_lines = [(line, stamp) for line in lines if (stamp := TIMESTAMP.match(line[:_SEARCHED_CHARACTERS]))]
    if len(stamped_lines) < _EVENTS or stamped_lines[0][0] is not lines[0]:
        return False
    shapes = {mask_words(line[: stamp.end()].translate(MASK)) for line, stamp in stamped_lines}
    return len(shapes) == 1 and all(_NEAR_LEVEL.match(line, stamp.end()) for line, stamp in stamped_lines)


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
    return len(words) > 2 and count_matching(_NUMBER.fullmatch, words) >= 0.7 * len(words)


def _fits_cell(row: str, mark: str) -> bool:
    """Return whether the timestamp fills a cell, with at most a fraction and a zone after it."""
    match = find_timestamp(row)
    if match and "{" in row[: match.end()]:
        return False
    return match is None or match.end() + _ZONE >= (row.find(mark, match.end()) + 1 or len(row))


def _is_json(row: str) -> bool:
    row = row.rstrip().removesuffix(",")
    return (row[:1] == "{" and row[-1:] in "}],") or (row[:1] == "[" and row[-1:] == "]")


def find_timestamp(line: str) -> re.Match[str] | None:
    """Return the match of a timestamp near the beginning of a line, with its group ``stamp``, or None."""
    line = line[:_SEARCHED_CHARACTERS]
    return TIMESTAMP.match(line) or _LATE_TIMESTAMP.match(line)


def drop_timestamp(line: str) -> str:
    """Return a line without the timestamp at its beginning; a line with words before it, or nothing else, stays."""
    match = TIMESTAMP.match(line[:_SEARCHED_CHARACTERS])
    if match is None or any(map(str.isalnum, strip_escapes(line[: match.start("stamp")]))):
        return line
    rest = line[match.end() :]
    after = _AFTER.match(rest)
    return (rest[after.end() :] if after else rest) or line
