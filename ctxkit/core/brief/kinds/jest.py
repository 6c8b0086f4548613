"""Output of jest: its summary and the failing tests, each with its line range and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReading, NumberedLine
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog
from ctxkit.core.brief.runs.stack_paths import FOREIGN, SCRIPT, match_path
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "jest"
TYPES: Sequence[str] = ()
CLUES = Clues(("Tests:", "FAIL", "PASS", "RUNS", "\u203a"))
FILE = compile_lazily(
    r" ?(FAIL|PASS|RUNS) ++(?:(?!>).)*?(?<!\S)(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?(?: \(.{0,300}\))?"
)
TITLE = compile_lazily(r"  \u25cf (.*\S)")
QUIET = compile_lazily(
    r"Console|Deprecation Warning:?|Validation Warning:?|Multiple configurations.*|Cannot log after.*"
)
"""Titles with the bullet of a failure that do not report a failure."""
COUNT = r"(?:\d+ (?:failed|passed|skipped|todo|pending|total|obsolete|written|updated|removed|of \d+ total)(?:, )?)+"
CLOSING = compile_lazily(
    rf"(?:Test Suites|Tests|Snapshots): +{COUNT}|No tests found.*|Jest: .*|Test run was interrupted.*"
)
NOTE = compile_lazily(
    r"(?:A worker process has failed to exit|Force exiting Jest|Jest did not exit|Jest has detected|Error: |"
    r"\u25cf Validation Error)"
)
OUTCOME = compile_lazily(r"\s+[\u2715\u00d7] (.*?)(?: \([\d.]+ m?s\))?")
FRAMED = compile_lazily(r"\s*+(?:(?:>\s*+)?\d+ \||at |\|)")
"""Pattern of the source excerpt or stack that ends a message."""
MARK = compile_lazily(
    r"\n(?: ?(?:FAIL|PASS|RUNS) |  \u25cf |\u25cf |Test Suites: |Tests: |Snapshots: |Snapshot Summary|"
    r"Summary of all failing tests|"
    r"No tests found|Jest|Test run was|A worker process|Force exiting|Ran all test suites|Error: |"
    r"[ \t]+[\u2715\u00d7] )[^\n]*"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
    if text.startswith("PASS "):
        return "end", ""
    title = TITLE.fullmatch(text)
    if title:
        return ("end", "") if QUIET.fullmatch(title[1]) else ("title", title[1])
    file = FILE.fullmatch(text)
    if file:
        return ("group", file[2]) if file[1] == "FAIL" else ("end", "")
    if CLOSING.fullmatch(text):
        return "verdict", text
    if text.startswith(("Summary of all", "Ran all test", "Snapshot Summary")):
        return "end", ""
    outcome = OUTCOME.fullmatch(text)
    if outcome:
        return "named", outcome[1]
    return ("note", text) if NOTE.match(text) else ("", "")


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the paragraphs before the source and the stack."""
    cut = next((at for at, (_, text) in enumerate(body) if FRAMED.match(text)), len(body))
    return list(body[:cut] or body[:1])


READING = FailureReading(
    _find_message, partial(match_path, SCRIPT), FOREIGN.search, re.compile(r"\s*(?:Expected|Received)\b").match
)
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING, outcomes=())


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Name the files that could not run, and list tests by name only if no block reports them."""
    del document
    for failure in test_log.failures:
        failure.short_name = failure.name
        failure.is_error = failure.name == "Test suite failed to run"
        if failure.group and failure.is_error:
            failure.short_name = failure.name = f"{failure.group}: {failure.name}"
    leaves = {failure.name.rpartition(" \u203a ")[2] for failure in test_log.failures}
    test_log.named = [mark for mark in test_log.named if mark.text not in leaves]


def _line_score(row: str) -> float:
    if CLOSING.fullmatch(row):
        return 0.9 if row.startswith(("Test Suites:", "Tests:")) and row.endswith("total") else 0.0
    if FILE.fullmatch(row):
        return 0.86
    return 0.8 if TITLE.fullmatch(row) and "\u203a" in row else 0.0


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text has the summary of jest, or file and test names as jest prints them."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the summary and failing tests, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, _postprocess)
