"""Ranges of a pytest log outside the failure blocks, so that every line is in a named range."""

from collections.abc import Iterator
from itertools import islice

from ctxkit.core.brief.runs.failures import FAR, FIRST, NEAR, REST, SAME, FailureDetail, NumberedLine, quote_row
from ctxkit.core.brief.runs.node_ids import PLACE
from ctxkit.core.brief.runs.pytest_markers import strip_decorations
from ctxkit.core.brief.runs.report import LogRange
from ctxkit.core.brief.runs.sessions import (
    BLOCK_HEADINGS,
    FAILURE_HEADINGS,
    START_HEADING,
    SUMMARY_HEADING,
    PytestRun,
    SessionPart,
)
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.severity import find_error_lines

MAX_READ_LINES = 200
"""Maximum number of lines of a range that are read for quotations."""
MAX_FAILURE_LINES = 5_000
"""Maximum number of lines of --tb=line that are read."""
MAX_QUOTED_LINES = 15
"""Maximum number of lines quoted from a range."""
HEADER = compile_lazily(r"collect(?:ed|ing) .*|scheduling tests.*|gw\d+ .*|created: .*|\d+ workers? \[.*")
"""Pattern of the last line of a session's header."""
MAX_PROGRESS_WIDTH = 1_000
"""Maximum number of characters read from a line of progress."""
SHORT_REST = 3
"""Number of lines after the progress that are not worth a range of their own."""
PROGRESS = compile_lazily(
    r"^(?:\S+(?: <- \S+)? )?[.FEsxXRurpSP,]+(?: *\[ *(?:\d+%|\d+/\d+)\])?$|\[ *\d+%\]|::"
    r"|\b(?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)\b"
)
"""Pattern of a line that pytest prints while it runs: characters for tests, a percentage, or a test and its outcome."""
TOTAL = compile_lazily(r"TOTAL\s.*|Required test coverage.*|FAIL Required.*|Coverage failure.*")


def list_surroundings(run: PytestRun, lines: IndexedLines) -> Iterator[LogRange]:
    """Yield the ranges around the failure blocks, in order."""
    after = 1
    for section in run.sections:
        if section.start > after:
            yield from _list_outside_ranges(run, lines, after, section.start - 1)
        after = section.end + 1
        if START_HEADING in section.title:
            yield from _list_session_ranges(run, lines, section)
        elif section.title in FAILURE_HEADINGS and not section.parts:
            yield _make_failure_range(lines, section)
        elif section.title not in FAILURE_HEADINGS:
            yield _make_section_range(lines, section)
    if after <= lines.total:
        yield from _list_outside_ranges(run, lines, after, lines.total)


def _list_outside_ranges(run: PytestRun, lines: IndexedLines, start: int, end: int) -> Iterator[LogRange]:
    """Yield ranges outside all sections: before a session, after its result, or everything with -q."""
    noted = {note.number for note in run.notes}
    verdicts = [verdict.number for verdict in run.summaries if start <= verdict.number <= end]
    for number in verdicts:
        if start < number:
            yield from _list_other_output(lines, noted, "before the closing line", start, number - 1)
        start = number + 1
    if start <= end:
        title = "after the closing line" if verdicts else "progress and other output"
        yield from _list_other_output(lines, noted, title, start, end)


def _list_other_output(lines: IndexedLines, noted: set[int], title: str, start: int, end: int) -> Iterator[LogRange]:
    """Yield a range of lines that pytest may not have written, unless all are blank or already quoted."""
    first = islice(lines.enumerate_lines(start, end), MAX_READ_LINES)
    if not any(text.strip() and number not in noted for number, text in first):
        return
    log_range = LogRange(title, start, end)
    trouble = [row for row in islice(find_error_lines(lines, start, end), MAX_QUOTED_LINES) if row[0] not in noted]
    log_range.details = [
        FailureDetail(NEAR, step, quote_row((n, strip_decorations(text)))) for step, (n, text) in enumerate(trouble)
    ]
    taken = {number for number, _ in trouble} | noted
    last = [(n, strip_decorations(text)) for n, text in lines.enumerate_lines(max(start, end - 4), end)]
    rows = [row for row in last if row[1].strip() and row[0] not in taken]
    log_range.details += [FailureDetail(FAR, step, quote_row(row)) for step, row in enumerate(reversed(rows))]
    yield log_range


def _list_session_ranges(run: PytestRun, lines: IndexedLines, section: SessionPart) -> Iterator[LogRange]:
    """Yield the header of a session, its progress, and what else was printed after it, such as a crash."""
    rows = _read_section(lines, section)
    cut = next((number for number, text in rows if HEADER.fullmatch(text)), 0)
    header = LogRange("session header", section.start, cut or min(section.end, section.start + 4))
    for step, (number, text) in enumerate(rows):
        if number <= header.end:
            header.details.append(FailureDetail(SAME if number == cut else REST, step, quote_row((number, text))))
    yield header
    end = _find_progress_end(lines, header.end + 1, section.end)
    if header.end < end:
        yield LogRange("progress, a character or a line for each test", header.end + 1, end)
    if max(header.end, end) < section.end:
        noted = {note.number for note in run.notes}
        yield from _list_other_output(lines, noted, "other output", max(header.end, end) + 1, section.end)


def _find_progress_end(lines: IndexedLines, start: int, end: int) -> int:
    """Return the last line of progress, or 0 if most lines up to it are something else."""
    last = progress = others = 0
    kept = (0, 0)
    for number, text in lines.enumerate_lines(start, end):
        bare = strip_decorations(text[:MAX_PROGRESS_WIDTH])
        if PROGRESS.search(bare):
            progress += 1
            last = number
            kept = (progress, others)
        elif bare.strip():
            others += 1
    if not last or end - last <= SHORT_REST:
        last, kept = end, (progress, others)
    return last if kept[0] >= kept[1] else 0


def _make_section_range(lines: IndexedLines, section: SessionPart) -> LogRange:
    """Return the range of another section with its first lines as details; blocks that pass have no details."""
    log_range = LogRange(section.title, section.start, section.end)
    if section.title in BLOCK_HEADINGS:
        return log_range
    rank = REST if SUMMARY_HEADING in section.title else FAR
    for step, row in enumerate(_read_section(lines, section)[:MAX_QUOTED_LINES]):
        log_range.details.append(FailureDetail(rank, step, quote_row(row)))
    if "coverage" in section.title:
        _move_totals_first(lines, log_range)
    return log_range


def _move_totals_first(lines: IndexedLines, log_range: LogRange) -> None:
    """Rank the totals of a coverage report before its rows."""
    rows = [
        (n, strip_decorations(text))
        for n, text in lines.enumerate_lines(max(log_range.end - MAX_READ_LINES, log_range.start + 1), log_range.end)
    ]
    totals = {number: text for number, text in rows if TOTAL.fullmatch(text)}
    log_range.details = [detail for detail in log_range.details if detail.entry.start not in totals]
    log_range.details += [FailureDetail(NEAR, step, quote_row(row)) for step, row in enumerate(totals.items())]


def _make_failure_range(lines: IndexedLines, section: SessionPart) -> LogRange:
    """Return the range of a failure section without blocks, as --tb=line prints it."""
    log_range = LogRange("lines for each failure", section.start, section.end)
    for step, row in enumerate(_read_section(lines, section, MAX_FAILURE_LINES)):
        log_range.details.append(FailureDetail(FIRST if PLACE.fullmatch(row[1]) else FAR, step, quote_row(row)))
    return log_range


def _read_section(lines: IndexedLines, section: SessionPart, most: int = MAX_READ_LINES) -> list[NumberedLine]:
    """Return the first lines below a section's heading that are not blank."""
    end = min(section.end, section.start + most)
    rows = ((number, strip_decorations(text)) for number, text in lines.enumerate_lines(section.start + 1, end))
    return [row for row in rows if row[1].strip()]
