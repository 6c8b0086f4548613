"""Crashes of the Python interpreter inside a test run, as faulthandler prints them."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.runs.failures import (
    FIRST,
    FOREIGN,
    FRAME,
    REST,
    FailedTest,
    FailureDetail,
    NumberedLine,
    quote_row,
)
from ctxkit.core.brief.runs.pytest_markers import strip_decorations
from ctxkit.core.brief.runs.report import LogRange
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.lines import IndexedLines

FATAL = "Fatal Python error: "
BEFORE = compile_lazily(r"(?P<node>\S+\.py(?:::\S.*?)?)(?: [.FEsxXR]*)?\s*")
"""Pattern of the text before the error: the test that runs, or its file and the results so far."""
FRAME_LINE = compile_lazily(r" +File \"(?P<path>[^\"]*)\", line \d+ in .*")
CURRENT = compile_lazily(
    r"(?:Current thread|Thread) 0x[\da-f]+ .*:|Extension modules: .*|  <.*>|  \.\.\.|Garbage-collecting"
)
MAX_CRASHES = 100
"""Maximum number of crashes that are read."""
MAX_CRASH_LINES = 2_000
"""Maximum number of lines of a crash."""
MAX_FRAMES = 12
"""Maximum number of frames that are quoted."""


def find_crashes(lines: IndexedLines) -> list[FailedTest]:
    """Return each crash as a failed test: the test that ran, the error, and its frames in the project."""
    return [_read_crash(lines, number) for number in _find_fatal_lines(lines)]


def _find_fatal_lines(lines: IndexedLines) -> list[int]:
    """Return the numbers of the lines that state a crash."""
    numbers: list[int] = []
    number = 1
    for block in lines.blocks():
        at = block.find(FATAL)
        while at >= 0 and len(numbers) < MAX_CRASHES:
            numbers.append(number + block.count("\n", 0, at))
            at = block.find(FATAL, at + 1)
        number += block.count("\n") + 1
    return list(dict.fromkeys(numbers))


def _read_crash(lines: IndexedLines, number: int) -> FailedTest:
    text = strip_decorations(lines.at(number))
    before = BEFORE.fullmatch(text.partition(FATAL)[0])
    rows = list(_read_stack(lines, number))
    failure = FailedTest(before["node"] if before else "the interpreter", number, rows[-1][0] if rows else number)
    failure.short_name = failure.name
    failure.message = number
    frames = [row for row in rows if FRAME_LINE.fullmatch(row[1])]
    own = [row for row in frames if not _is_foreign(row[1])][:1]
    failure.details = [
        FailureDetail(FIRST, 0, quote_row((number, text))),
        *(FailureDetail(FRAME, 0, quote_row(row)) for row in own),
        *(FailureDetail(REST, step, quote_row(row)) for step, row in enumerate(frames[:MAX_FRAMES]) if row not in own),
    ]
    return failure


def _is_foreign(text: str) -> bool:
    match = FRAME_LINE.fullmatch(text)
    return match is None or FOREIGN.search(match["path"]) is not None


def _read_stack(lines: IndexedLines, number: int) -> Iterator[NumberedLine]:
    """Yield the lines of the threads below a crash."""
    for row, raw in lines.enumerate_lines(number + 1, number + MAX_CRASH_LINES):
        text = strip_decorations(raw)
        if not text.strip():
            continue
        if not (FRAME_LINE.fullmatch(text) or CURRENT.match(text)):
            return
        yield row, text


def cut_ranges(ranges: Sequence[LogRange], crashes: Sequence[FailedTest]) -> list[LogRange]:
    """Return ranges that end before a crash and go on after it."""
    result = list(ranges)
    for crash in crashes:
        result = [part for log_range in result for part in _cut_range(log_range, crash)]
    return result


def _cut_range(log_range: LogRange, crash: FailedTest) -> Iterator[LogRange]:
    if log_range.end < crash.start or log_range.start > crash.end:
        yield log_range
        return
    if log_range.start < crash.start:
        details = [detail for detail in log_range.details if detail.entry.start < crash.start]
        yield replace(log_range, end=crash.start - 1, details=details)
    if crash.end < log_range.end:
        details = [detail for detail in log_range.details if detail.entry.start > crash.end]
        yield replace(log_range, title="after the crash", start=crash.end + 1, details=details)
