"""Output of jest: its summary and the failing tests, each with its line range and message."""

import re
from functools import partial

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.runs.failures import FOREIGN, SCRIPT, FailureReading, match_path, take_until
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import END, FAILURE, GROUP, NAMED, NOTE, SUMMARY, TestLog

FILE = r"++(?:(?!>).)*?(?<!\S)(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?(?: \(.{0,300}\))?"
COUNT = r"(?:\d+ (?:failed|passed|skipped|todo|pending|total|obsolete|written|updated|removed|of \d+ total)(?:, )?)+"
QUIET = r"Console|Deprecation Warning:?|Validation Warning:?|Multiple configurations.*|Cannot log after.*"
"""Titles with the bullet of a failure that do not report a failure."""


def _name_files(test_log: TestLog, document: InputDocument) -> None:
    """Name the files that could not run."""
    del document
    for failure in test_log.failures:
        failure.is_error = failure.name == "Test suite failed to run"
        if failure.group and failure.is_error:
            failure.name = f"{failure.group}: {failure.name}"


RUNNER = Runner(
    name="jest",
    clues=Clues(("Tests:", "FAIL", "PASS", "RUNS", "\u203a")),
    rows=(
        (END, rf"PASS .*|  \u25cf (?:{QUIET})|  console\.\w+(?: .*)?"),
        (FAILURE, r"  \u25cf (.*\S)"),
        (GROUP, rf" ?FAIL {FILE}"),
        (END, rf" ?(?:PASS|RUNS) {FILE}"),
        (SUMMARY, rf"(?:Test Suites|Tests|Snapshots): +{COUNT}|(?:No tests found|Jest: |Test run was interrupted).*"),
        (END, r"(?:Summary of all failing tests|Ran all test suites|Snapshot Summary).*"),
        (NAMED, r"[ \t]+[\u2715\u00d7] (.*?)(?: \([\d.]+ m?s\))?"),
        (
            NOTE,
            r"(?:A worker process has failed to exit|Force exiting Jest|Jest did not exit|Jest has detected|Error: "
            r"|\u25cf Validation Error).*",
        ),
    ),
    scores=(
        (0.9, rf"(?:Test Suites|Tests): +{COUNT}(?<=total)"),
        (0.86, rf" ?(?:FAIL|PASS|RUNS) {FILE}"),
        (0.8, r"  \u25cf .*\u203a.*\S"),
    ),
    reading=FailureReading(
        take_until(r"\s*+(?:(?:>\s*+)?\d+ \||at |\|)"),
        partial(match_path, SCRIPT),
        FOREIGN.search,
        re.compile(r"\s*(?:Expected|Received)\b").match,
    ),
    finish=_name_files,
)
NAME, TYPES, CLUES = RUNNER.name, RUNNER.types, RUNNER.clues
sniff, outline = RUNNER.sniff, RUNNER.outline
