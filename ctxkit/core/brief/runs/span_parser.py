"""A parser of test logs with a begin line and a failed line around the output of each test."""

from ctxkit.core.brief.runs.failures import FailedTest
from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.runner_log import MAX_FAILURES, MAX_KEPT_MARKERS, RunnerFormat, TestLog, find_markers
from ctxkit.core.text.lines import IndexedLines


class SpanParser:
    """Group the markers of a runner: *begin*, *passed* and *failed* name a test, *verdict* is quoted.

    A test that failed without a beginning is only named, as in summaries.
    """

    def __init__(self, total: int) -> None:
        self.test_log = TestLog(total)
        self._starts: dict[str, int] = {}

    def add_marker(self, marker: Marker) -> None:
        """Process the next marker."""
        if marker.kind == "begin":
            if len(self._starts) < MAX_FAILURES:
                self._starts[marker.text] = marker.number
        elif marker.kind == "passed":
            self._starts.pop(marker.text, 0)
        elif marker.kind == "failed":
            self._add_failed(marker)
        elif marker.kind == "verdict":
            self.test_log.summaries.append(marker)
            if len(self.test_log.summaries) > MAX_KEPT_MARKERS:
                del self.test_log.summaries[MAX_KEPT_MARKERS // 2]

    def _add_failed(self, marker: Marker) -> None:
        begun = self._starts.pop(marker.text, 0)
        if begun and len(self.test_log.failures) < MAX_FAILURES:
            self.test_log.failures.append(FailedTest(marker.text, begun, marker.number))
        elif begun:
            self.test_log.failures_left_out += 1
            self.test_log.last = marker.number
        elif len(self.test_log.named) < MAX_FAILURES:
            self.test_log.named.append(marker)


def parse_spans(lines: IndexedLines, runner_format: RunnerFormat) -> TestLog:
    """Return the tests in a log, read in one pass."""
    parser = SpanParser(lines.total)
    for marker in find_markers(lines, runner_format):
        parser.add_marker(marker)
    return parser.test_log
