"""Timestamps of log lines, in the forms that programs write."""

import re
from datetime import date

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
_UNITS = ("y", "mo", "d", "h", "m", "s")


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


def to_seconds(match: re.Match[str]) -> float | None:
    """Return a timestamp in seconds, comparable with those that state the same units, or None for an invalid date."""
    form = _find_form(match)
    groups = match.groupdict()
    year, month, day, hour, minute, second = (groups.get(f"{unit}{form}") or "" for unit in _UNITS)
    number = MONTHS.index(month.lower()) + 1 if month.lower() in MONTHS else int(month or 1)
    try:
        # The year 2000 has every day that a timestamp without a year may have.
        days = date(int(year or 2000) or 2000, number, int(day or 1)).toordinal()
    except ValueError:
        return None
    return days * 86_400.0 + int(hour or 0) * 3_600 + int(minute or 0) * 60 + int(second)


def _find_form(match: re.Match[str]) -> int:
    return next(number for number in range(len(TIMESTAMP_FORMS)) if match[f"s{number}"] is not None)


def _read_units(match: re.Match[str]) -> tuple[bool, ...]:
    """Return which units a timestamp states: two that state other units count from other times."""
    form = _find_form(match)
    groups = match.groupdict()
    return tuple(bool(groups.get(f"{unit}{form}")) for unit in _UNITS)


class TimestampTracker:
    """Track the timestamps of a log: the first, the last, and the longest gap.

    Only lines that begin another minute are parsed, so gaps within a minute are not found.
    """

    def __init__(self, sample: str) -> None:
        self.first: tuple[int, str] | None = None
        self.last: tuple[int, str] | None = None
        self.gap = 0.0
        self.gap_lines = (0, 0)
        match = find_timestamp(sample)
        # The text before the seconds identifies the minute.
        self._slice = slice(match.start("stamp"), match.end(f"s{_find_form(match)}") - 3) if match else slice(0, 0)
        self._minute = ""
        self._before: tuple[int, str] | None = None

    def add_lines(self, lines: list[str], number: int) -> None:
        """Read the next lines of the log; ``number`` is the number of the first line."""
        part, minute, before = self._slice, self._minute, self._before
        for here, line in enumerate(lines, number):
            if line[part] != minute:
                match = find_timestamp(line)
                if match is None:
                    continue
                minute = line[part]
                self._compare_timestamps(before, here, match)
            before = (here, line)
        self._minute, self._before = minute, before
        if before and find_timestamp(before[1]):
            self.last = (before[0], before[1][:SEARCHED_CHARACTERS])

    def _compare_timestamps(self, before: tuple[int, str] | None, number: int, match: re.Match[str]) -> None:
        """Compare the timestamp of a line with the previous timestamp."""
        if self.first is None:
            self.first = (number, match.string)
        past = find_timestamp(before[1]) if before else None
        if before is None or past is None or _read_units(past) != _read_units(match):
            return
        then, now = to_seconds(past), to_seconds(match)
        if then is not None and now is not None and now - then > self.gap:
            self.gap, self.gap_lines = now - then, (before[0], number)


def format_duration(span: float) -> str:
    """Return a time span in words: ``2d 03h``, ``1h 05m``, ``3m 20s``."""
    minutes, rest = divmod(int(span), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}d {hours:02}h"
    return f"{hours}h {minutes:02}m" if hours else f"{minutes}m {rest:02}s"
