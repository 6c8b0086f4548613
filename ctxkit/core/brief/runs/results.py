"""Outlines of test logs: the steps that all runners share once their tests are known."""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import islice

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.brief.runs.failure_entries import FailureLine
from ctxkit.core.brief.runs.failures import (
    FAR,
    NEAR,
    FailedTest,
    FailureDetail,
    FailureReader,
    FailureReading,
    quote_row,
)
from ctxkit.core.brief.runs.folded_names import choose_failures
from ctxkit.core.brief.runs.pytest_markers import Marker, strip_decorations
from ctxkit.core.brief.runs.report import LogRange, Report, ReportContent
from ctxkit.core.brief.runs.runner_log import TestLog
from ctxkit.core.brief.runs.summary_lines import END_LINES, quote_ending, quote_notes, quote_summaries
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.severity import find_error_lines

MAX_QUOTED_LINES = 12
"""Maximum number of error lines outside blocks that are quoted."""
MAX_SEARCHED_LINES = 4_000
"""Maximum number of lines before and after the blocks that are searched for error lines."""
LEVEL, WORD = re.compile(r" \u203a | > |::"), re.compile(r" \u203a | > |::| ")
"""Patterns of what stands between the parts of a test's full name, and between these or its words."""
MAX_LEVELS = 8
MANY = 12
"""Number of failures from which their files stand before them."""
FILE_OR_MODULE = re.compile(r"\w[./\\]\w")


def outline_test_log(
    document: InputDocument,
    name: str,
    reading: FailureReading,
    test_log: TestLog,
    *,
    closed: bool,
    read_blocks: bool = True,
) -> Sequence[Outline]:
    """Return outlines of a parsed log.

    With ``read_blocks``, blocks without details are read.
    """
    if read_blocks:
        reader = FailureReader(document.lines, reading)
        unread = [failure for failure in test_log.failures if not failure.details]
        read, compared = choose_failures(unread, document.target // 8)
        for failure in read:
            reader.read(failure)
        for failure in compared:
            reader.compare(failure)
        _group_by_file(test_log.failures)
    test_log.named = _drop_reported(test_log)
    named = [FailureLine(marker.number, marker.text, marker.text) for marker in test_log.named]
    left = test_log.failures_left_out
    content = ReportContent(
        name,
        [*quote_summaries(test_log.summaries, closed=closed), *quote_notes(test_log.notes)],
        test_log.failures,
        named,
        _list_ranges(document.lines, test_log),
        [] if closed else quote_ending(document.lines, END_LINES[not (test_log.failures or named)]),
        [Entry(f"{left:,} more failing tests", test_log.last, test_log.last, 1)] if left else [],
    )
    return Report(document, content).build_outlines()


def _group_by_file(failures: Sequence[FailedTest]) -> None:
    """Put the file that their blocks name before the suites of many failures, if all blocks name one and no suite does.

    Of few failures, the map quotes the place of each.
    """
    if len(failures) >= MANY and all(failure.path and not FILE_OR_MODULE.search(failure.group) for failure in failures):
        for failure in failures:
            failure.group = ": ".join(filter(None, (failure.path, failure.group)))


def _drop_reported(test_log: TestLog) -> list[Marker]:
    """Return the first line that names each failing test without a block."""
    reported = {name for failure in test_log.failures for name in _list_name_parts(failure)}
    markers: dict[str, Marker] = {}
    for marker in test_log.named:
        if marker.text not in reported:
            markers.setdefault(marker.text, marker)
    return list(markers.values())


def _list_name_parts(failure: FailedTest) -> Iterator[str]:
    """Yield what a line may call a failing test: its name without some of its first or last parts."""
    yield from (failure.name, failure.short_name)
    ends = [match.start() for match in LEVEL.finditer(failure.name)][:MAX_LEVELS]
    for match in WORD.finditer(failure.name):
        yield failure.name[match.end() :]
        yield from (failure.name[match.end() : end] for end in ends if end > match.end())
    yield from (failure.name[:end] for end in ends)
    test, _, parameters = failure.name.rpartition(") (")
    if test and parameters.endswith(")"):
        yield f"{test})"  # the test of a subtest of unittest: ``test_a (m.T.test_a) (i=1)``


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
