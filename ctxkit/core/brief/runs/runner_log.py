"""A parser of test logs for any runner that is described by a table of its markers."""

import re
from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.brief.runs.failures import FailedTest, FailureReading
from ctxkit.core.brief.runs.pytest_markers import CI, Marker
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.ansi import ESCAPE
from ctxkit.core.text.lines import IndexedLines

MAX_FAILURES = 20_000
"""Maximum number of failing tests kept of one log."""
MAX_KEPT_MARKERS = 400
"""Maximum number of results and of notes that are kept: the first and the last ones."""
ESCAPES = compile_lazily(ESCAPE)
REDRAWN = compile_lazily(r"(?<![^\n])[^\n]*\r(?=[^\n])")
STAMPS = compile_lazily(rf"^{CI.pattern}", re.MULTILINE)
"""Pattern of the timestamp that a CI service puts before every line."""


@dataclass(frozen=True, slots=True)
class RunnerFormat:
    """Describe the output of a runner.

    ``marker_pattern`` matches, from the newline before it, each line that may structure the log. ``classify`` returns
    its kind (empty for none) and its text.

    The kinds: *group* begins the tests of a file, *title* the block of a failing test, and *more* a block inside it.
    *verdict* and *note* are quoted. *named* names a failing test. *on* and *off* begin sections of failures and of
    other content, and are quoted if they have text. *end* ends a block.

    If ``strict``, titles count only below an *on*, and *sure* titles anywhere. ``outcomes`` are words of further lines
    that ``classify`` must see. If ``shared``, titles on consecutive lines share one block.
    """

    name: str
    marker_pattern: "re.Pattern[str]"
    classify: Callable[[str], tuple[str, str]]
    reading: FailureReading
    strict: bool = False
    shared: bool = False
    outcomes: Sequence[str] = ()


@dataclass(slots=True)
class TestLog:
    """Hold the tests in a log, in order; ``failures_left_out`` is the number of failing tests above the maximum."""

    total: int
    summaries: list[Marker] = field(default_factory=list)
    notes: list[Marker] = field(default_factory=list)
    failures: list[FailedTest] = field(default_factory=list)
    named: list[Marker] = field(default_factory=list)
    failures_left_out: int = 0
    last: int = 0

    @property
    def is_empty(self) -> bool:
        """Return whether the log has no markers."""
        return not (self.summaries or self.failures or self.named or self.notes)


def clean_block(block: str) -> str:
    """Return a block as a terminal would show it: no colours, redrawn text or timestamps of a CI service.

    Line numbers stay the same.
    """
    if "\r" in block:
        block = block.replace("\r\n", "\n").removesuffix("\r")
        block = REDRAWN.sub("", block) if "\r" in block else block
    if "\x1b" in block:
        block = ESCAPES.sub("", block)
        block = REDRAWN.sub("", block) if "\r" in block else block
    if CI.match(block):
        block = STAMPS.sub("", block)
    return block


def find_markers(lines: IndexedLines, runner_format: RunnerFormat) -> Iterator[Marker]:
    """Yield every marker of a log with its kind and text; of consecutive ends, only the first."""
    number, before = 1, ""
    for raw in lines.blocks():
        block = "\n" + clean_block(raw)
        position = 1
        for start, text in _find_rows(block, runner_format):
            kind, content = runner_format.classify(text)
            if kind and not kind == before == "end":
                before = kind
                number += block.count("\n", position, start)
                position = start
                yield Marker(number, kind, content)
        number += block.count("\n", position) + 1


def _find_rows(block: str, runner_format: RunnerFormat) -> Sequence[tuple[int, str]]:
    rows = [(match.start() + 1, match[0][1:].rstrip()) for match in runner_format.marker_pattern.finditer(block)]
    words = [word for word in runner_format.outcomes if word in block]
    return sorted({*rows, *(row for word in words for row in _find_word_rows(block, word))}) if words else rows


def _find_word_rows(block: str, word: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that contain a word."""
    at = block.find(word)
    while at >= 0:
        start, stop = block.rfind("\n", 0, at) + 1, block.find("\n", at)
        stop = len(block) if stop < 0 else stop
        yield start, block[start:stop].rstrip()
        at = block.find(word, stop)


class TestLogParser:
    """Assign markers to the tests of a log, in order."""

    def __init__(self, runner_format: RunnerFormat, total: int) -> None:
        self.test_log = TestLog(total)
        self._form = runner_format
        self._open: list[FailedTest] = []
        self._group = ""
        self._in_section = not runner_format.strict

    def add_marker(self, marker: Marker) -> None:
        """Process the next marker."""
        kind = marker.kind
        if kind == "more" and self._open:
            return
        if kind == "sure" or (kind == "title" and self._in_section):
            self._begin_failure(marker)
            return
        if kind in ("named", "note") and self._open and not self._in_section:
            self._end_failures(marker.number - 1)
        if kind in ("verdict", "end", "group", "on", "off"):
            self._end_failures(marker.number - 1)
        if kind == "group":
            self._group = marker.text
        elif kind in ("on", "off"):
            self._in_section = kind == "on" or not self._form.strict
            if marker.text:
                _keep_marker(self.test_log.summaries, marker)
        elif kind == "verdict":
            _keep_marker(self.test_log.summaries, marker)
        elif kind == "note":
            _keep_marker(self.test_log.notes, marker)
        elif kind == "named" and len(self.test_log.named) < MAX_FAILURES:
            self.test_log.named.append(marker)

    def _begin_failure(self, marker: Marker) -> None:
        shared = self._form.shared and self._open and self._open[-1].start == marker.number - 1
        if not shared:
            self._end_failures(marker.number - 1)
        if len(self.test_log.failures) >= MAX_FAILURES:
            self.test_log.failures_left_out += 1
            self.test_log.last = marker.number
            return
        failure = FailedTest(marker.text, marker.number, marker.number, self._group)
        self._open.append(failure)
        self.test_log.failures.append(failure)

    def _end_failures(self, number: int) -> None:
        for failure in self._open:
            failure.end = max(failure.start, number)
        self._open.clear()

    def close(self) -> TestLog:
        """Return the test log; the last block ends with the log."""
        self._end_failures(self.test_log.total)
        return self.test_log


def _keep_marker(kept: list[Marker], marker: Marker) -> None:
    kept.append(marker)
    if len(kept) > MAX_KEPT_MARKERS:
        del kept[MAX_KEPT_MARKERS // 2]


def parse_test_log(lines: IndexedLines, runner_format: RunnerFormat) -> TestLog:
    """Return the tests in a log, read in one pass."""
    parser = TestLogParser(runner_format, lines.total)
    for marker in find_markers(lines, runner_format):
        parser.add_marker(marker)
    return parser.close()
