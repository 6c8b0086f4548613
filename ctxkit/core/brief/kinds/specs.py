"""Output of test runners of a common shape: numbered failures or marked results, and a line of counts."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReader, FailureReading, NumberedLine
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog, clean_block
from ctxkit.core.brief.runs.stack_paths import FOREIGN, match_path
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "specs"
TYPES: Sequence[str] = ("playwright", "minitest", "behave", "cucumber", "robot")
CLUES = Clues((" passed", " failed", " failures", " failure", " errors", " skipped", " successes"))
COUNT = compile_lazily(
    r"(?<![\d,])\d[\d,]*+ (?:[a-z]+ ){0,2}(?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|flaky|skip(?:s|ped)?|pending"
    r"|errors?|errored|undefined|untested|interrupted|did not run|todo|ignored|tests?|runs?|assertions?"
    r"|scenarios?|steps?|success(?:es)?)\b(?: ?\([^()\n]{0,80}\))?"
)
"""Pattern of a number of tests with a result."""
OUTCOMES = compile_lazily(r"pass|fail|error|success|flaky|skip")
TESTED = compile_lazily(r"(?<![\d,])\d[\d,]*+ (?!errors?\b)")
"""Pattern of a number in a line of counts that is not one of errors: compilers and linters count these too."""
HEADED = compile_lazily(r"(?:[A-Z][\w ]{0,24}[:|] ?)?[\s,;|and./\u2716\u2714\u2713\u2718=-]*")
"""Pattern of what is left of a line of counts without the counts: a heading and separators."""
TITLE = compile_lazily(r" {0,6}\d+\) (?P<name>\S.*?)[ \u2500\u2501-]*")
RESULT = compile_lazily(r"(?P<name>\S(?:.*?\S)?) +\| FAIL \|")
"""Pattern of a failing test in a column of results, as in Robot Framework."""
MARKED = compile_lazily(
    r"^\s*[\u2718\u2717\u2716\u00d7\u2715] +(?!\[[A-Z]+\])(?:\d+ +)?"
    r"(?P<name>\S.*?)(?: \(retry #\d+\))?(?: \([\d.]+ ?m?s\))?"
)
STEP = compile_lazily(r"^\s+(?P<name>(?:Given|When|Then|And|But|\*) .*) \.\.\. (?:failed|undefined|error)\b.*")
LISTED = compile_lazily(r"^(?:cucumber|  ) ?(?P<name>\S+\.feature:\d+.*)|^rails test (?P<file>\S+:\d+)")
SOURCE_OR_STACK = compile_lazily(r"\s*+(?:at |(?:> *+)?\d+ \||from )")
"""Pattern of the first line below a message: a frame, or a numbered line of source."""
SECTION = compile_lazily(r"(?:Fail(?:ing|ed)|Error(?:ed|ing)?) [a-z]+:|Failures:|Errors:")
NOTE = compile_lazily(r"\s*(?:ASSERT FAILED: .*|You can implement .*|Some tests failed.*)")
UNNAMED = compile_lazily(r"(?:Error|Failure|Failed|Failing|Skipped):?")
MARK = compile_lazily(
    r"\n(?: {0,6}\d+\) [^\n]*| {0,4}(?:[A-Z][\w ]{0,24}[:|] ?)?\d[\d,]* [a-z][^\n]*"
    r"|[^\n|]{1,200} \| (?:FAIL|PASS|SKIP) \|"
    r"|[^\S\n]{0,12}[\u2718\u2717\u2716\u00d7\u2715] [^\n]*|(?:cucumber |  )\S{1,200}\.feature:\d+[^\n]*"
    r"|rails test [^\n]*"
    r"|(?:Fail|Error)[a-z]{0,4}[a-z ]{0,20}:|[ ]{0,8}(?:ASSERT FAILED: |You can implement |Some tests failed)[^\n]*"
    r"|[=-]{30,}|[ ]{2,8}(?:Given|When|Then|And|But|\*) [^\n]{1,300} \.\.\. (?:failed|undefined|error)[^\n]*)"
)
END_LINES = 60
"""Number of final lines, one of which must be a line of counts."""
MARK_SCORE, SURE = 0.5, 0.84
"""Confidence from a failing test alone, and from failing tests with a line of counts."""
PLACE = compile_lazily(r"(?:^|[\s(\[])(?:at )?((?:[\w.@+-]*/)*[\w.@+-]+\.\w{1,8}):\d+")


def is_count_line(text: str) -> bool:
    """Return whether a line consists of numbers of tests with their results."""
    if len(text) > 300 or not COUNT.search(text):
        return False
    return OUTCOMES.search(text) is not None and HEADED.fullmatch(COUNT.sub("", text)) is not None


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
    title = TITLE.fullmatch(text)
    if title:
        return "title", title["name"]
    result = RESULT.fullmatch(text) if text.endswith("| FAIL |") else None
    if result:
        return "title", result["name"].rstrip()
    for pattern in (MARKED, STEP, LISTED):
        match = pattern.fullmatch(text)
        if match:
            return "named", match["name"] or match["file"]
    if SECTION.fullmatch(text):
        return "verdict", text
    if is_count_line(text):
        return "verdict", text
    if NOTE.fullmatch(text):
        return "note", text
    return ("end", "") if text[:1] in "=-" or text.endswith(" |") else ("", "")


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines before the quoted source and the stack."""
    cut = next((at for at, (_, text) in enumerate(body) if SOURCE_OR_STACK.match(text)), len(body))
    return list(body[:cut] or body[:1])


def _foreign(path: str) -> object:
    return FOREIGN.search(path)


READING = FailureReading(_find_message, partial(match_path, PLACE), _foreign, re.compile(r"\s*[-+]\s*\S").match)
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING)


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Take the name of a test from the line below its number if none stands beside it."""
    reader = FailureReader(document.lines, READING)
    for failure in test_log.failures[: max(document.target // 4, 8)]:
        if UNNAMED.fullmatch(failure.name) and failure.start < failure.end:
            text = clean_block(document.lines.at(failure.start + 1)).strip()
            failure.name = text.removesuffix(":") or failure.name
            reader.read(failure, begin=failure.start + 2)
        failure.short_name = failure.name
    names = [failure.name for failure in test_log.failures]
    test_log.named = [mark for mark in test_log.named if not any(mark.text in name for name in names)]


def _counts_tests(row: str) -> bool:
    """Return whether a line of counts has a number of something else than errors, which networks count too."""
    return any(not count.endswith(("error", "errors")) for count in COUNT.findall(row))


def _line_score(row: str) -> float:
    """Return how much a line shows that the text is a test run: most of all a line of counts."""
    if is_count_line(row) and len(COUNT.findall(row)) >= 2:
        return 0.72
    if is_count_line(row) and row.startswith("  ") and _counts_tests(row):
        return 0.55
    return MARK_SCORE if RESULT.fullmatch(row) or MARKED.fullmatch(row) or SECTION.fullmatch(row) else 0.0


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text ends in counts of tests, with failures in a common shape."""
    from ctxkit.core.brief.builds.build_evidence import reports_tests

    rows = clean_block(document.tail).split("\n")
    last = [row.rstrip() for row in rows[-END_LINES:]]
    counted = any(TESTED.search(row) and is_count_line(row) and _counts_tests(row) for row in last)
    if not counted or reports_tests(document.head):
        return 0.0
    score = score_document(document, _line_score)
    has_failures = any(TITLE.fullmatch(row) or _line_score(row) == MARK_SCORE for row in rows)
    return max(score, SURE) if score and has_failures else score


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the counts and failing tests, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, _postprocess)
