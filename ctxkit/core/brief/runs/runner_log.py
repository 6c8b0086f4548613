"""The skeleton of a log of tests: what the marks of one runner say, for any runner with a table of its marks."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ctxkit.core.brief.runs.failures import FailedTest, FailureReading
from ctxkit.core.brief.runs.pytest_markers import CI, Marker
from ctxkit.core.text.lines import IndexedLines

MAX_FAILURES = 20_000
"""Failing tests that are kept of one log."""
MAX_KEPT_MARKERS = 400
"""Verdicts and notes that are kept of each kind, the first and the last of them."""
ESCAPES = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
REDRAWN = re.compile(r"(?<![^\n])[^\n]*\r(?=[^\n])")
STAMPS = re.compile(rf"^{CI.pattern}", re.MULTILINE)
"""The time that a CI service puts before every line."""


@dataclass(frozen=True, slots=True)
class RunnerFormat:
    """Describe the output of a runner.

    ``marker_pattern`` matches, from the newline before it, each line that may structure the log; ``classify`` says what
    it is (empty for nothing) and what it names: *group* begins the tests of a file, *title* the block of a failing
    test, *more* a block inside of it, *verdict* and *note* are quoted, *named* names a failing test, *on* and
    *off* begin sections of failures and of others, and are quoted if they name something; *end* ends a block.
    ``strict``: titles count only below an *on*, and *sure* ones anywhere. ``outcomes`` are words on lines that
    ``classify`` has to see too. With ``shared``, titles on neighbouring lines have one block together.
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
    """Hold what a log says of its tests, in order; ``failures_left_out`` counts the failing tests past those kept."""

    total: int
    summaries: list[Marker] = field(default_factory=list)
    notes: list[Marker] = field(default_factory=list)
    failures: list[FailedTest] = field(default_factory=list)
    named: list[Marker] = field(default_factory=list)
    failures_left_out: int = 0
    last: int = 0

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing was found at all."""
        return not (self.summaries or self.failures or self.named or self.notes)


def clean_block(block: str) -> str:
    """Return a block as it was meant to be seen: no colours, the last drawing of each line, no times of a CI service.

    Lines stay where they are.
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
    """Yield every line that structures a log, with what it is and what it names; of ends in a row, the first."""
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
    """Yield the lines that hold a word."""
    at = block.find(word)
    while at >= 0:
        start, stop = block.rfind("\n", 0, at) + 1, block.find("\n", at)
        stop = len(block) if stop < 0 else stop
        yield start, block[start:stop].rstrip()
        at = block.find(word, stop)


class TestLogParser:
    """Put marks where they belong, one after another."""

    def __init__(self, runner_format: RunnerFormat, total: int) -> None:
        self.test_log = TestLog(total)
        self._form = runner_format
        self._open: list[FailedTest] = []
        self._group = ""
        self._in_section = not runner_format.strict

    def add_marker(self, marker: Marker) -> None:
        """Take the next mark."""
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
        """Return what was found, the last block ending with the log."""
        self._end_failures(self.test_log.total)
        return self.test_log


def _keep_marker(kept: list[Marker], marker: Marker) -> None:
    kept.append(marker)
    if len(kept) > MAX_KEPT_MARKERS:
        del kept[MAX_KEPT_MARKERS // 2]


def parse_test_log(lines: IndexedLines, runner_format: RunnerFormat) -> TestLog:
    """Return what a log says of its tests, read once from its beginning to its end."""
    parser = TestLogParser(runner_format, lines.total)
    for marker in find_markers(lines, runner_format):
        parser.add_marker(marker)
    return parser.close()
