"""A parser of test logs: it assigns the lines to which a runner's table gives roles to the tests of a log."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ctxkit.core.brief.runs.failures import FailedTest
from ctxkit.core.brief.runs.pytest_markers import CI, Marker
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.escapes import ESCAPE
from ctxkit.core.text.lines import IndexedLines

FAILURE, SURE, GROUP, NAMED, CLOSED = "title", "sure", "group", "named", "closed"
"""Roles of lines that name: a failing test above its block, one that counts outside sections too, the file or binary of
the tests below, a failing test that may have no block, and one whose block, if it has one, ends above."""
SUMMARY, NOTE, ON, OFF, END = "verdict", "note", "on", "off", "end"
"""Roles of other lines: results, notes outside tests, the beginning of failures and of other content (quoted if they
have text), and the end of a block."""
BEGIN, PASSED, FAILED = "begin", "passed", "failed"
"""Roles of lines around the output of a test: it began, it passed, it failed."""
Rows = Sequence[tuple[str, str]]
"""The roles of a runner's lines with their patterns. The first that matches a whole line counts; its first group that
took part is the name or text, or else the whole line."""
MAX_FAILURES = 20_000
"""Maximum number of failing tests kept of one log."""
MAX_KEPT_MARKERS = 400
"""Maximum number of results and of notes that are kept: the first and the last ones."""
ESCAPES = compile_lazily(ESCAPE)
REDRAWN = compile_lazily(r"(?<![^\n])[^\n]*\r(?=[^\n])")
STAMPS = compile_lazily(rf"^{CI.pattern}", re.MULTILINE)
"""Pattern of the timestamp that a CI service puts before every line."""


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


def compile_rows(rows: Rows) -> "re.Pattern[str]":
    """Return one pattern of the newline before a line and of the line, with a group named ``r0`` ... for each row."""
    named = "|".join(rf"(?P<r{at}>{pattern})" for at, (_, pattern) in enumerate(rows))
    return re.compile(rf"\n(?:{named})(?=\n|\Z)")


def find_markers(lines: IndexedLines, rows: Rows) -> Iterator[Marker]:
    """Yield the lines of a log that have a role, with their names or texts; of consecutive ends, only the first."""
    pattern = compile_rows(rows)
    starts = [pattern.groupindex[f"r{at}"] for at in range(len(rows))]
    inner = {f"r{at}": range(first + 1, end) for at, (first, end) in enumerate(pairwise([*starts, pattern.groups + 1]))}
    number, before = 1, ""
    for raw in lines.blocks():
        block = "\n" + _strip_lines(clean_block(raw))
        position = 1
        for match in pattern.finditer(block):
            row = match.lastgroup or ""
            role = rows[int(row[1:])][0]
            if role == before == END:
                continue
            before = role
            number += block.count("\n", position, match.start() + 1)
            position = match.start() + 1
            text = next((match[group] for group in inner[row] if match[group] is not None), match[row])
            yield Marker(number, role, text.strip())
        number += block.count("\n", position) + 1


def _strip_lines(block: str) -> str:
    """Return a block without blanks at the ends of its lines."""
    if " \n" in block or "\t\n" in block or block[-1:].isspace():
        return "\n".join(map(str.rstrip, block.split("\n")))
    return block


class TestLogParser:
    """Assign markers to the tests of a log, in order.

    If ``strict``, failures count only below an ``ON``. If ``shared``, failures on consecutive lines share one block.
    """

    def __init__(self, total: int, *, strict: bool = False, shared: bool = False) -> None:
        self.test_log = TestLog(total)
        self._strict, self._shared = strict, shared
        self._open: list[FailedTest] = []
        self._begun: dict[str, int] = {}
        self._group = ""
        self._in_section = not strict

    def add_marker(self, marker: Marker) -> None:
        """Process the next marker."""
        role = marker.kind
        if role == SURE or (role == FAILURE and self._in_section):
            self._begin_failure(marker)
            return
        outside = role in (NAMED, NOTE) and not self._in_section
        if outside or role in (SUMMARY, END, GROUP, ON, OFF, CLOSED):
            self._end_failures(marker.number - 1)
        if role == GROUP:
            self._group = marker.text
        elif role in (ON, OFF):
            self._in_section = role == ON or not self._strict
        self._keep(marker)

    def _keep(self, marker: Marker) -> None:
        """Keep a marker that tells more than where tests begin and end, and the results of tests."""
        role, test_log = marker.kind, self.test_log
        if role == NOTE:
            _keep_marker(test_log.notes, marker)
        elif role in (NAMED, CLOSED) and len(test_log.named) < MAX_FAILURES:
            test_log.named.append(marker)
        elif role == SUMMARY or (role in (ON, OFF) and marker.text):
            _keep_marker(test_log.summaries, marker)
        elif role == BEGIN and len(self._begun) < MAX_FAILURES:
            self._begun[marker.text] = marker.number
        elif role == PASSED:
            self._begun.pop(marker.text, 0)
        elif role == FAILED:
            self._add_ended(marker)

    def _begin_failure(self, marker: Marker) -> None:
        shared = self._shared and self._open and self._open[-1].start == marker.number - 1
        if not shared:
            self._end_failures(marker.number - 1)
        failure = FailedTest(marker.text, marker.number, marker.number, self._group)
        if self._add_failure(failure):
            self._open.append(failure)

    def _add_ended(self, marker: Marker) -> None:
        """Add a test that failed after its beginning, or else only its name, as in summaries."""
        begun = self._begun.pop(marker.text, 0)
        if begun:
            self._add_failure(FailedTest(marker.text, begun, marker.number))
        elif len(self.test_log.named) < MAX_FAILURES:
            self.test_log.named.append(marker)

    def _add_failure(self, failure: FailedTest) -> bool:
        if len(self.test_log.failures) >= MAX_FAILURES:
            self.test_log.failures_left_out += 1
            self.test_log.last = failure.end
            return False
        self.test_log.failures.append(failure)
        return True

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


def parse_test_log(lines: IndexedLines, rows: Rows, *, strict: bool = False, shared: bool = False) -> TestLog:
    """Return the tests in a log, read in one pass."""
    parser = TestLogParser(lines.total, strict=strict, shared=shared)
    for marker in find_markers(lines, rows):
        parser.add_marker(marker)
    return parser.close()
