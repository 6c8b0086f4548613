"""Output of go test, as text or JSON events: failed packages, and failing tests with their messages."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import Clues, InputDocument, count_matching
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.failures import (
    FOREIGN,
    GO,
    FailedTest,
    FailureReader,
    FailureReading,
    NumberedLine,
    match_path,
)
from ctxkit.core.brief.runs.go_output import GoTestOutput, collect_failures, make_benchmark_sections, unescape
from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.runner import Runner, outline_test_log
from ctxkit.core.brief.runs.runner_log import END, FAILURE, MAX_FAILURES, NOTE, SUMMARY, TestLog, clean_block
from ctxkit.core.quick_dataclass import replace

SWITCH = re.compile(r"=== (RUN|CONT|NAME|PAUSE) +(\S.*)")
PASSED = re.compile(r"^[ \t]*--- (?:PASS|SKIP): ", re.MULTILINE)
"""Pattern of the results that only verbose output has."""
RESULT = re.compile(r"\s*--- (?:PASS|FAIL|SKIP): (\S+)")
BUILD = re.compile(r"# (\S+)(?: \[\S+\.test\])?")
"""Pattern of the heading above the compiler errors of a package."""
BUILD_ERROR = re.compile(r"\S+\.go:\d+:|ld: |link: |\S+: ")
"""Pattern of the beginning of a compiler or linker error."""
PACKAGE = re.compile(r"FAIL\t(\S+)\t")
"""Pattern of the result of a package, which stands below its tests."""
REPORT = re.compile(r"\s+\S+\.go:\d+: ")
EVENT = re.compile(r'\{"(?:Time":"[^"]*","|ImportPath":"[^"]*",")*Action":"[a-z-]+"[,}]')
SAMPLE = 200
"""Number of lines read to detect a log of JSON events."""


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines from the first report with a place, or else from the panic."""
    panic = next(
        (at for at, (_, text) in enumerate(body) if text.lstrip().startswith(("panic: ", "fatal error: "))), None
    )
    at = next((at for at, (_, text) in enumerate(body) if REPORT.match(text)), panic)
    if at is None:
        return list(body[:1])
    rows = list(body[at:])
    claims = [row for row in rows[1:] if row[1].lstrip().startswith(("Error:", "Error Trace"))]
    if claims and rows[0][1].rstrip().endswith(":"):  # testify prints only the place on this line and a table below it
        return [claims[-1], *(row for row in rows if row != claims[-1])]
    return rows


READING = FailureReading(
    _find_message,
    partial(match_path, GO),
    FOREIGN.search,
    re.compile(r"\s*(?:Error:|expected|actual|got|want)\b", re.IGNORECASE).match,
)


def _place_blocks(test_log: TestLog, document: InputDocument) -> None:
    """In verbose output, move blocks to the lines where their tests run; in a log without an end, add open tests."""
    if not test_log.summaries:
        test_log.failures += _find_unfinished(document)
    test_log.failures = [failure for failure in test_log.failures if _is_failure(failure, document)]
    packages = [(mark.number, match[1]) for mark in test_log.summaries if (match := PACKAGE.match(mark.text))]
    names = {failure.name for failure in test_log.failures}
    segments = _find_segments(document, names) if "=== RUN" in document.head else {}
    unmarked = _has_no_beginnings(document)
    reader = FailureReader(document.lines, READING)
    for failure in test_log.failures[: max(document.target // 4, 8)]:
        _find_package(failure, packages)
        start, end = segments.get(failure.name, (0, 0))
        reports = _reports_place(failure, document)
        if start and not reports:
            failure.start, failure.end = start, end
        elif unmarked and reports:
            # Verbose output stands before its result, and without the lines that begin tests, below is another test's.
            failure.end = failure.start
        reader.read(failure)


def _has_no_beginnings(document: InputDocument) -> bool:
    """Return whether verbose output lacks the lines that begin tests."""
    begun = "=== RUN" in document.head or "=== FAIL" in document.head
    return not begun and PASSED.search(document.head) is not None


def _reports_place(failure: FailedTest, document: InputDocument) -> bool:
    """Return whether a failure states a place on the first lines below its result."""
    rows = document.lines.enumerate_lines(failure.start + 1, min(failure.end, failure.start + 3))
    return any(REPORT.match(row) for _, row in rows)


def _find_package(failure: FailedTest, packages: Sequence[tuple[int, str]]) -> None:
    """Split the package off the name of a test, or take the one whose result stands next below the test."""
    if failure.name.endswith("]"):
        failure.group, failure.short_name = "", failure.name
    else:
        failure.group, _, failure.short_name = failure.name.rpartition(" ")
    if not (failure.group or failure.is_error):
        failure.group = next((name for number, name in packages if number > failure.start), "")


def _find_unfinished(document: InputDocument) -> list[FailedTest]:
    """Return the tests that report a place but have no result, because the end of the log is missing."""
    failures: dict[str, FailedTest] = {}
    done: set[str] = set()
    number, name, start = 0, "", 0
    for block in document.lines.blocks():
        for row in clean_block(block).split("\n"):
            number += 1
            if row.startswith("=== "):
                switch = SWITCH.fullmatch(row.rstrip())
                name, start = (switch[2], number) if switch and switch[1] != "PAUSE" else ("", 0)
            elif result := RESULT.match(row):
                done.add(result[1])
                name = ""
            elif name and len(failures) < MAX_FAILURES and REPORT.match(row):
                failures.setdefault(name, FailedTest(f"{name} [no result in this log]", start, number)).end = number
    return [failure for test, failure in failures.items() if test not in done]


def _is_failure(failure: FailedTest, document: InputDocument) -> bool:
    """Return whether a block belongs to a test or to a package that did not compile; mark the latter as an error."""
    build = BUILD.fullmatch(failure.name)
    if not build:
        return True
    if failure.end == failure.start or not BUILD_ERROR.match(document.lines.at(failure.start + 1)):
        return False
    failure.name, failure.is_error = f"{build[1]} [build failed]", True
    return True


def _find_segments(document: InputDocument, test_names: set[str]) -> dict[str, tuple[int, int]]:
    """Return the longest run of lines that each test wrote, as ``(first, last)`` by name."""
    best: dict[str, tuple[int, int]] = {}
    number, name, start = 1, "", 0
    for block in document.lines.blocks():
        for row in clean_block(block).split("\n"):
            if row.startswith("=== ") or "--- " in row[:40]:
                if (
                    name
                    and number - start > 1
                    and number - start > best.get(name, (1, 1))[1] - best.get(name, (1, 1))[0]
                ):
                    best[name] = start, number - 1
                match = SWITCH.fullmatch(row.rstrip())
                name, start = (
                    (match[2], number) if match and match[2] in test_names and match[1] != "PAUSE" else ("", 0)
                )
            number += 1
    return best


def _outline_events(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of a log of JSON events, or None if it has no results."""
    failed, ended, strays = collect_failures(document.lines)
    test_log = TestLog(document.lines.total, notes=strays)
    bad = [event for event in ended if event.action == "fail"]
    rows = document.lines
    test_log.summaries = [Marker(e.number, "verdict", rows.at(e.number)) for e in (bad[:200] or ended[-1:])]
    reader = FailureReader(rows, READING)
    with_tests = {package for package, test in failed if test}
    for (package, test), output in sorted(failed.items(), key=lambda item: item[1].start):
        if test or package not in with_tests:
            test_log.failures.append(
                _make_failure(reader, package, test, output, len(test_log.failures) < document.target // 4)
            )
    if not (test_log.failures or test_log.summaries):
        return None
    closed = bool(ended) and with_tests <= {event.package for event in ended}
    return outline_test_log(document, NAME, test_log, closed=closed)


def _make_failure(
    reader: FailureReader, package: str, test: str, output: GoTestOutput, with_output: bool
) -> FailedTest:
    """Return a failing test with its output, quoted from the events."""
    failure = FailedTest(
        f"{package} {unescape(test)}".strip(), output.start, max(output.end, output.start), package, unescape(test)
    )
    if with_output and output.lines:
        failure.start = output.lines[0][0]
        failure.end = max(output.lines[-1][0], failure.start)
        reader.read_body(failure, output.lines)
    return failure


def _has_events(document: InputDocument) -> bool:
    """Return whether most of the first lines are events."""
    rows = [row for row in document.head.split("\n", SAMPLE + 1)[:SAMPLE] if row.strip()]
    return bool(rows) and count_matching(EVENT.match, rows) * 2 > len(rows)


RUNNER = Runner(
    name="go test",
    clues=Clues(("FAIL", "ok  \t", "--- PASS", "--- SKIP", "=== RUN", '"Action"')),
    types=("go_test",),
    rows=(
        (END, r"(?:=== (?:RUN|CONT|NAME|PAUSE)|(?: {4})?--- PASS).*"),
        (FAILURE, r"[ \t]*--- FAIL: (\S.*?) \([\d.]+s\)|=== (?:FAIL|Failed): (\S+ \S.*?)(?: \([\d.]+s\))?"),
        (SUMMARY, r"FAIL\t\S+.*|ok {2}\t\S+\t.*|DONE \d+ tests.*|FAIL \S+ \[.*\]"),
        (FAILURE, r"(# \S+(?: \[\S+\.test\])?)"),
        (NOTE, r"(?:panic|fatal error|signal): .*|testing: warning: no tests to run"),
        (END, r"(?:[ \t]*--- (?:FAIL|PASS|SKIP|BENCH)|=== |FAIL|ok  \t|DONE \d|# \S|testing: warning|\?   \t|PASS).*"),
    ),
    scores=(
        (0.92, r"(?:FAIL|ok {2})\t\S+\t(?:[\d.]+s|\(cached\)).*|FAIL\t\S+ \[(?:build|setup) failed\]"),
        (0.9, r"\s*--- (?:FAIL|PASS|SKIP): \S+ \([\d.]+s\)"),
        (0.7, r"=== RUN   \S+"),
    ),
    reading=READING,
    bad="(?!ok )",
    finish=_place_blocks,
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text contains results of go test or its JSON events."""
    if _has_events(document):
        return 0.97
    return RUNNER.sniff(document)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the failed packages and tests, from the most detailed to the shortest."""
    if _has_events(document):
        return _outline_events(document)
    outlines = RUNNER.outline(document)
    if not outlines or "\nBenchmark" not in document.head:
        return outlines
    benchmarks = [section for section in make_benchmark_sections(document.lines) if section.entries]
    return [replace(o, sections=(*o.sections[:1], *benchmarks, *o.sections[1:])) for o in outlines]
