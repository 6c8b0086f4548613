"""Timestamps of log lines, in the forms that programs write."""

import re

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.escapes import strip_escapes

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = "|".join(MONTHS)
_CLOCK = r"(?P<h{0}>\d\d):(?P<m{0}>\d\d):(?P<s{0}>\d\d)"
TIMESTAMP_FORMS = (
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
FIELD = r"\{(?:\"[\w@.]+\": ?\"[^\"]{0,40}\", ?){0,3}\"@?(?:ts|time|timestamp|date)\": ?\"?"
"""Pattern of the beginning of a JSON object with a time among its first fields."""
BEFORE = (
    r"(?:<\d+>(?:\d+ )?|\x1b\[[\d;]*m|[\[(*-] ?|\d{10} |[a-z][\w.-]* +\| |(?:time|ts|timestamp|date|at)=\"?"
    rf"|\[[a-z][\w.-]* |{FIELD})*"
)
"""Pattern of text before a timestamp: a priority, a colour, a bracket, Unix seconds, a container name."""
REQUEST = r"\S+ \S+ [^\n\[]{1,40}\["
"""Pattern of text before the timestamp of an access log: host, identity, user."""
WORDS = r"(?![-dlbcps][-rwxsStT]{9})(?:[^\s(<]\S{0,79} +){1,4}?"
"""Pattern of other text before a timestamp (file, node, component), but not file modes, brackets or tags."""
TIMESTAMP = re.compile(rf"(?:{BEFORE}|{REQUEST})(?P<stamp>{'|'.join(TIMESTAMP_FORMS)})", re.IGNORECASE)
"""Compiled at once: matches are told apart by their pattern."""
LATE_TIMESTAMP = compile_lazily(rf"{WORDS}(?:{BEFORE})(?P<stamp>{'|'.join(TIMESTAMP_FORMS)})", re.IGNORECASE)
_AFTER = compile_lazily(
    r"(?:[.,]\d{1,9})?(?: [12]\d{3}(?=\]))?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)(?![\w:]))?[\])|]?[ \t:|,-]*"
)
"""Pattern of what ends a timestamp: a fraction, a year, a zone, a bracket, and what divides it from the message."""
SEARCHED_CHARACTERS = 400
"""Number of characters of a line that are searched for a timestamp."""


def find_timestamp(line: str) -> re.Match[str] | None:
    """Return the match of a timestamp near the beginning of a line, with its group ``stamp``, or None."""
    line = line[:SEARCHED_CHARACTERS]
    return TIMESTAMP.match(line) or LATE_TIMESTAMP.match(line)


def drop_timestamp(line: str) -> str:
    """Return a line without the timestamp at its beginning; a line with words before it, or nothing else, stays."""
    match = TIMESTAMP.match(line[:SEARCHED_CHARACTERS])
    if match is None or any(map(str.isalnum, strip_escapes(line[: match.start("stamp")]))):
        return line
    rest = line[match.end() :]
    after = _AFTER.match(rest)
    return (rest[after.end() :] if after else rest) or line
