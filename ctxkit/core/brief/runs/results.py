"""Outlines of test logs: the steps that all runners share once their markers are known."""

from collections.abc import Callable, Sequence, Set
from itertools import islice

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.error_lines import find_error_lines
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.brief.runs.failure_entries import FailureLine
from ctxkit.core.brief.runs.failures import (
    FAR,
    NEAR,
    FailedTest,
    FailureDetail,
    FailureReader,
    merge_repeated,
    quote_row,
)
from ctxkit.core.brief.runs.pytest_markers import strip_decorations
from ctxkit.core.brief.runs.report import LogRange, Report, ReportContent
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog, parse_test_log
from ctxkit.core.brief.runs.summary_lines import END_LINES, quote_ending, quote_notes, quote_summaries
from ctxkit.core.text.lines import IndexedLines

MAX_QUOTED_LINES = 12
"""Maximum number of error lines outside blocks that are quoted."""
MAX_SEARCHED_LINES = 4_000
"""Maximum number of lines before and after the blocks that are searched for error lines."""
TOKENS_PER_FAILURE = 4
"""Minimum number of target tokens for each listed failure: a name and its line."""
Postprocess = Callable[[TestLog, InputDocument], None]
"""Adjust a parsed log for one runner, such as names of several lines or blocks that begin earlier."""
ParseLog = Callable[[IndexedLines, RunnerFormat], TestLog]
"""Build a test log from the markers of a document."""


def outline_test_output(
    document: InputDocument,
    runner_format: RunnerFormat,
    postprocess: Postprocess | None = None,
    parse_log: ParseLog = parse_test_log,
) -> Sequence[Outline] | None:
    """Return outlines of a runner's output, or None if it has no markers.

    ``parse_log`` groups the markers: by default into blocks below a title.
    """
    test_log = parse_log(document.lines, runner_format)
    if postprocess:
        postprocess(test_log, document)
    if test_log.is_empty:
        return None
    test_log.failures = merge_repeated(test_log.failures)
    return outline_test_log(document, runner_format, test_log, closed=_is_complete(test_log))


def _is_complete(test_log: TestLog) -> bool:
    """Return whether a summary precedes or follows all failures."""
    last = max((failure.start for failure in test_log.failures), default=0)
    early = test_log.summaries and test_log.failures and test_log.summaries[0].number < test_log.failures[0].start
    return bool(test_log.summaries) and (test_log.summaries[-1].number > last or bool(early))


def outline_test_log(
    document: InputDocument, runner_format: RunnerFormat, test_log: TestLog, *, closed: bool, read_blocks: bool = True
) -> Sequence[Outline]:
    """Return outlines of a parsed log; failing tests that do not fit are given as one range.

    With ``read_blocks``, blocks without details are read.
    """
    most = max(document.target // TOKENS_PER_FAILURE, 8)
    kept, past = test_log.failures[:most], test_log.failures[most:]
    reader = FailureReader(document.lines, runner_format.reading)
    for failure in kept[: document.target // 8] if read_blocks else ():
        if not failure.details:
            reader.read(failure)
    named = _list_failure_lines(test_log)
    content = ReportContent(
        runner_format.name,
        [*quote_summaries(test_log.summaries, closed=closed), *quote_notes(test_log.notes)],
        kept,
        named[:most],
        _list_ranges(document.lines, test_log),
        [] if closed else quote_ending(document.lines, END_LINES[not (kept or named)]),
        _summarize_remaining(past, named[most:], test_log),
    )
    return Report(document, content).build_outlines()


def _list_failure_lines(test_log: TestLog) -> list[FailureLine]:
    """Return the lines that name failing tests without a block."""
    known = {name for failure in test_log.failures for name in (failure.name, failure.short_name) if name}
    failure_lines: dict[str, FailureLine] = {}
    for marker in test_log.named:
        name = marker.text.strip()
        if name not in known and not any(known_name.endswith(name) for known_name in known):
            failure_lines.setdefault(name, FailureLine(marker.number, name, name))
    return list(failure_lines.values())


def _summarize_remaining(past: Sequence[FailedTest], named: Sequence[FailureLine], test_log: TestLog) -> list[Entry]:
    """Return an entry for the failing tests that are not listed."""
    numbers = [
        *(failure.start for failure in past),
        *(marker.number for marker in named),
        *([test_log.last] if test_log.failures_left_out else []),
    ]
    many = len(past) + len(named) + test_log.failures_left_out
    return [Entry(f"{many:,} more failing tests", min(numbers), max(numbers), 1)] if many else []


def _list_ranges(lines: IndexedLines, test_log: TestLog) -> list[LogRange]:
    """Return the ranges before the first failing test and after the last one, with their error lines."""
    blocks = [(failure.start, failure.end) for failure in test_log.failures]
    blocks += [(marker.number, marker.number) for marker in (*test_log.named, *test_log.summaries)]
    first, last = min(blocks, default=(1, 0))[0], max((end for _, end in blocks), default=lines.total)
    known = {marker.number for marker in (*test_log.notes, *test_log.summaries, *test_log.named)}
    ranges = []
    what = "these failing tests and summaries" if test_log.failures or test_log.named else "the summaries"
    for title, start, end in (("before", 1, first - 1), ("after", last + 1, lines.total)):
        rows = list(islice(lines.enumerate_lines(start, min(end, start + 2)), 3)) if start <= end else []
        if any(text.strip() for _, text in rows):
            details = _quote_details(lines, start, end, rows, known)
            ranges.append(LogRange(f"output {title} {what}", start, end, details))
    return ranges


def _quote_details(
    lines: IndexedLines, start: int, end: int, rows: Sequence[tuple[int, str]], known: Set[int]
) -> list[FailureDetail]:
    """Return the error lines of a range, then its first ``rows``, without lines that are quoted elsewhere."""
    error_rows = islice(find_error_lines(lines, start, min(end, start + MAX_SEARCHED_LINES)), MAX_QUOTED_LINES)
    trouble = [row for row in error_rows if row[0] not in known]
    quoted_lines = {number for number, _ in trouble} | known
    return [
        *(
            FailureDetail(NEAR, step, quote_row((n, strip_decorations(text))))
            for step, (n, text) in enumerate(trouble)
        ),
        *(
            FailureDetail(FAR, step, quote_row((n, strip_decorations(text))))
            for step, (n, text) in enumerate(rows)
            if text.strip() and n not in quoted_lines
        ),
    ]
