"""Output of test runners of a common shape: numbered failures or marked results, and a line of counts."""

import re
from functools import partial

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.runs.failures import FOREIGN, FailureReader, FailureReading, match_path, take_until
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import END, FAILURE, NAMED, NOTE, SUMMARY, TestLog, clean_block

SEPARATORS = r"[ \t,;|and./\u2716\u2714\u2713\u2718=-]*"
COUNT = (
    r"(?<![\d,])\d[\d,]*+ (?:[a-z]+ ){0,2}(?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|flaky|skip(?:s|ped)?|pending"
    r"|errors?|errored|undefined|untested|interrupted|did not run|todo|ignored|tests?|runs?|assertions?"
    r"|scenarios?|steps?|success(?:es)?)\b(?: ?\([^()\n]{0,80}\))?"
)
"""Pattern of a number of tests with a result."""
COUNTS = (
    r"(?=.{1,300}(?:\n|\Z))(?=.*(?:pass|fail|error|success|flaky|skip))(?:[A-Z][\w ]{0,24}[:|] ?)?"
    rf"{SEPARATORS}(?:{COUNT}{SEPARATORS})+"
)
"""Pattern of a line of counts: numbers of tests with their results, and perhaps a heading."""
TESTED = re.compile(rf"(?=.*(?<![\d,])\d[\d,]*+ (?!errors?\b))(?=.*{COUNT}(?<!error)(?<!errors)){COUNTS}")
"""Pattern of a line of counts that has not only errors, which compilers, linters and networks count too."""
RESULT = r"(?=[^\n|]{1,200} \| FAIL \|)(\S(?:.*?\S)?) +\| FAIL \|"
"""Pattern of a failing test in a column of results, as in Robot Framework."""
MARKED = (
    r"[ \t]{0,12}[\u2718\u2717\u2716\u00d7\u2715] +(?!\[[A-Z]+\])(?:\d+ +)?"
    r"(\S.*?)(?: \(retry #\d+\))?(?: \([\d.]+ ?m?s\))?"
)
TITLE = r" {0,6}\d+\) (\S(?:.*[^ \u2500\u2501\n-])?)[ \u2500\u2501-]*"
SECTION = r"(?:Fail(?:ing|ed)|Error(?:ed|ing)?) [a-z]+:|Failures:|Errors:"
UNNAMED = re.compile(r"(?:Error|Failure|Failed|Failing|Skipped):?")
END_LINES = 60
"""Number of final lines, one of which must be a line of counts."""
MARK_SCORE, SURE = 0.5, 0.84
"""Confidence from a failing test alone, and from failing tests with a line of counts."""
PLACE = re.compile(r"(?:^|[\s(\[])(?:at )?((?:[\w.@+-]*/)*[\w.@+-]+\.\w{1,8}):\d+")
READING = FailureReading(
    take_until(r"\s*+(?:at |(?:> *+)?\d+ \||from )"),
    partial(match_path, PLACE),
    FOREIGN.search,
    re.compile(r"\s*[-+]\s*\S").match,
)


def _is_suite(line: int, document: InputDocument) -> bool:
    """Return whether a result is that of a suite, with the counts of its tests below, as in Robot Framework."""
    return TESTED.fullmatch(clean_block(document.lines.at(line + 1)).rstrip()) is not None


def _read_names(test_log: TestLog, document: InputDocument) -> None:
    """Leave out suites; take the name of a test from the line below its number if none stands beside it."""
    test_log.failures = [failure for failure in test_log.failures if not _is_suite(failure.start, document)]
    reader = FailureReader(document.lines, READING)
    for failure in test_log.failures[: max(document.target // 4, 8)]:
        if UNNAMED.fullmatch(failure.name) and failure.start < failure.end:
            text = clean_block(document.lines.at(failure.start + 1)).strip()
            failure.name = text.removesuffix(":") or failure.name
            reader.read(failure, begin=failure.start + 2)


RUNNER = Runner(
    name="specs",
    clues=Clues((" passed", " failed", " failures", " failure", " errors", " skipped", " successes")),
    types=("playwright", "minitest", "behave", "cucumber", "robot"),
    rows=(
        (FAILURE, TITLE),
        (FAILURE, RESULT),
        (NAMED, MARKED),
        (NAMED, r" {2,8}((?:Given|When|Then|And|But|\*) .{1,300}) \.\.\. (?:failed|undefined|error)\b.*"),
        (NAMED, r"(?:cucumber|  ) ?(\S{1,200}\.feature:\d+.*)|rails test (\S+:\d+)"),
        (SUMMARY, rf"{SECTION}|(?= {{0,4}}[A-Z\d]){COUNTS}"),
        (NOTE, r" {0,8}(?:ASSERT FAILED: |You can implement |Some tests failed).*"),
        (END, r"[=-]{30,}.*|[^\n|]{1,200} \| (?:PASS|SKIP) \|"),
    ),
    scores=(
        (0.72, rf"(?=.*{COUNT}.*{COUNT}){COUNTS}"),
        (0.55, rf"(?=  .*{COUNT}(?<!error)(?<!errors)){COUNTS}"),
        (MARK_SCORE, rf"{RESULT}|{MARKED}|{SECTION}"),
    ),
    reading=READING,
    finish=_read_names,
)
NAME, TYPES, CLUES, outline = RUNNER.name, RUNNER.types, RUNNER.clues, RUNNER.outline


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text ends in counts of tests, with failures in a common shape."""
    from ctxkit.core.brief.builds.build_evidence import reports_tests

    rows = clean_block(document.tail).split("\n")
    if not any(TESTED.fullmatch(row.rstrip()) for row in rows[-END_LINES:]) or reports_tests(document.head):
        return 0.0
    score = RUNNER.sniff(document)
    has_failures = any(re.fullmatch(TITLE, row) or RUNNER.score_line(row) == MARK_SCORE for row in rows)
    return max(score, SURE) if score and has_failures else score
