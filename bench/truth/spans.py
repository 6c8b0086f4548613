"""Statements about the ends, the times and the blocks of an input, computed again with rules of their own."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime

from bench.claims import Claims
from bench.truth.source_text import SourceText
from bench.truth.statements import Statement

END, BEGINNING = "verbatim (the end)", "verbatim (the beginning)"
SILENCE = re.compile(r"^the longest silence, (?:(?P<days>\d+)d (?P<hours>\d+)h|.*)$")
BLOCK = re.compile(r"the last block is lines (?P<first>\d[\d,]*) to (?P<last>\d[\d,]*)")
NO_LEVEL = re.compile(r"^lines by the level they state: .*\bnone (?P<n>\d[\d,]*)")
STATED_LEVEL = re.compile(
    r"\[[\w.]+:(?:emerg|alert|crit|error|warn|notice|info|debug|trace\d?)\]|\blevel=\w|\"level\": ?\"\w", re.IGNORECASE
)
"""A level that stands behind the name of a module in brackets, or behind its key."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DATE = re.compile(
    r"(?P<y>\d{4})[-/](?P<m>\d\d)[-/](?P<d>\d\d)\b"
    rf"|(?P<d2>\d\d?)[-/ ](?P<m2>{'|'.join(MONTHS)})[-/ ](?P<y2>\d{{4}})"
    rf"|(?P<m3>{'|'.join(MONTHS)}) +(?P<d3>\d\d?),? (?:[\d:.]+ )?(?P<y3>\d{{4}})"
    r"|^(?P<epoch>1\d{9})\b",
    re.IGNORECASE,
)


def check_ends(claims: Claims, source: SourceText) -> Iterator[tuple[str, str]]:
    """Yield each heading that calls lines the beginning or the end although others stand before or behind them."""
    full = [number for number, line in enumerate(source.visible_lines, start=1) if line.strip()]
    for start, end, row in claims.ranges:
        if row.endswith(END) and full and end < full[-1]:
            yield row, f"line {full[-1]} stands behind"
        if row.endswith(BEGINNING) and full and start > full[0]:
            yield row, f"line {full[0]} stands before"


def check_spans(statement: Statement, source: SourceText) -> Iterator[str]:
    """Yield what is not so of the silences, blocks and levels that a statement names."""
    silence, block = SILENCE.match(statement.text), BLOCK.search(statement.text)
    if silence and statement.start:
        yield from _check_silence(int(silence["days"] or 0), statement, source)
    if block:
        first, last = (int(block[name].replace(",", "")) for name in ("first", "last"))
        header = source.visible_lines[first - 1]
        if header in source.visible_lines[first:last]:
            yield f"line {first} stands again before line {last}"
    level = NO_LEVEL.match(statement.text)
    if level:
        most = sum(STATED_LEVEL.search(line) is None for line in source.visible_lines)
        number = int(level["n"].replace(",", ""))
        if number > most:
            yield f"{number} lines without a level, but {most}"


def _check_silence(days: int, statement: Statement, source: SourceText) -> Iterator[str]:
    """Yield why a silence is not so of the dates on its lines; without dates, it is shorter than a year."""
    dates = [_read_date(source.visible_lines[number - 1]) for number in (statement.start, statement.end)]
    if dates[0] is None or dates[1] is None:
        if days > 366:
            yield f"no dates are {days} days apart"
    elif abs((dates[1] - dates[0]).days - days) > 1:
        yield f"the dates are {(dates[1] - dates[0]).days} days apart"


def _read_date(line: str) -> date | None:
    """Return the first date with a year on a line, or of its seconds since 1970, None without one."""
    match = DATE.search(line)
    if match is None:
        return None
    if match["epoch"]:
        return datetime.fromtimestamp(int(match["epoch"]), UTC).date()
    for mark in ("", "2", "3"):
        if match[f"y{mark}"]:
            month = match[f"m{mark}"]
            number = MONTHS.index(month.lower()) + 1 if month.isalpha() else int(month)
            try:
                return date(int(match[f"y{mark}"]), number, int(match[f"d{mark}"]))
            except ValueError:
                return None
    return None
