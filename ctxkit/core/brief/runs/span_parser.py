"""A parser of test logs with a begin line and a failed line around the output of each test."""

from ctxkit.core.brief.runs.failures import FailedTest
from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.runner_log import MAX_FAILURES, MAX_KEPT_MARKERS, RunnerFormat, TestLog, find_markers
from ctxkit.core.text.lines import IndexedLines


class SpanParser:
    """Group the markers of a runner: *begin* and *failed* name a test, *issue* is an error in a test.

    *named* names a failing test again, as in summaries; *verdict* is quoted.
    """

    def __init__(self, total: int) -> None:
        self.test_log = TestLog(total)
        self._starts: dict[str, int] = {}
        self._issue: FailedTest | None = None

    def add_marker(self, marker: Marker) -> None:
        """Process the next marker."""
        if self._issue is not None:
            self._issue.end = max(marker.number - 1, self._issue.start)
            self._issue = None
        if marker.kind == "begin":
            if len(self._starts) < MAX_FAILURES:
                self._starts[marker.text] = marker.number
        elif marker.kind == "passed":
            self._starts.pop(marker.text, 0)
        elif marker.kind == "issue":
            self._issue = self._add_failure(marker, marker.number)
        elif marker.kind == "failed":
            self._add_failed(marker)
        elif marker.kind == "named" and len(self.test_log.named) < MAX_FAILURES:
            self.test_log.named.append(marker)
        elif marker.kind == "verdict":
            self.test_log.summaries.append(marker)
            if len(self.test_log.summaries) > MAX_KEPT_MARKERS:
                del self.test_log.summaries[MAX_KEPT_MARKERS // 2]

    def _add_failed(self, marker: Marker) -> None:
        begun = self._starts.pop(marker.text, 0)
        if begun:
            self._add_failure(marker, begun)
        else:
            self.add_marker(Marker(marker.number, "named", marker.text))

    def _add_failure(self, marker: Marker, start: int) -> FailedTest | None:
        if len(self.test_log.failures) >= MAX_FAILURES:
            self.test_log.failures_left_out += 1
            self.test_log.last = marker.number
            return None
        failure = FailedTest(marker.text, start, marker.number)
        self.test_log.failures.append(failure)
        return failure

    def close(self) -> TestLog:
        """Return the test log; an issue that is still open ends with the log."""
        if self._issue is not None:
            self._issue.end = self.test_log.total
        return self.test_log


def parse_spans(lines: IndexedLines, runner_format: RunnerFormat) -> TestLog:
    """Return the tests in a log, read in one pass."""
    parser = SpanParser(lines.total)
    for marker in find_markers(lines, runner_format):
        parser.add_marker(marker)
    return parser.close()
