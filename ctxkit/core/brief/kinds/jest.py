"""Output of jest: its summary, every failing test with its lines and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import claim
from ctxkit.core.brief.runs.failures import Numbered, Reading
from ctxkit.core.brief.runs.places import FOREIGN, SCRIPT, path_on
from ctxkit.core.brief.runs.results import mapped
from ctxkit.core.brief.runs.trials import Format, Trials

NAME = "jest"
TYPES: Sequence[str] = ()
FILE = re.compile(r" ?(FAIL|PASS|RUNS) ++(?:(?!>).)*?(?<!\S)(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?(?: \(.{0,300}\))?")
TITLE = re.compile(r"  \u25cf (.*\S)")
QUIET = re.compile(r"Console|Deprecation Warning:?|Validation Warning:?|Multiple configurations.*|Cannot log after.*")
"""What has the bullet of a failure and is none."""
COUNT = r"(?:\d+ (?:failed|passed|skipped|todo|pending|total|obsolete|written|updated|removed|of \d+ total)(?:, )?)+"
CLOSING = re.compile(rf"(?:Test Suites|Tests|Snapshots): +{COUNT}|No tests found.*|Jest: .*|Test run was interrupted.*")
NOTE = re.compile(
    r"(?:A worker process has failed to exit|Force exiting Jest|Jest did not exit|Jest has detected|Error: |"
    r"\u25cf Validation Error)"
)
OUTCOME = re.compile(r"\s+[\u2715\u00d7] (.*?)(?: \([\d.]+ m?s\))?")
FRAMED = re.compile(r"\s*+(?:(?:>\s*+)?\d+ \||at |\|)")
"""Where the message ends: the source around it, or the stack."""
MARK = re.compile(
    r"\n(?: ?(?:FAIL|PASS|RUNS) |  \u25cf |\u25cf |Test Suites: |Tests: |Snapshots: |Snapshot Summary|"
    r"Summary of all failing tests|"
    r"No tests found|Jest|Test run was|A worker process|Force exiting|Ran all test suites|Error: |"
    r"[ \t]+[\u2715\u00d7] )[^\n]*"
)


def _sort(text: str) -> tuple[str, str]:
    """Return what a line is and what it names."""
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


def _message(body: Sequence[Numbered]) -> list[Numbered]:
    """Return the paragraphs before the source and the stack."""
    cut = next((at for at, (_, text) in enumerate(body) if FRAMED.match(text)), len(body))
    return list(body[:cut] or body[:1])


READING = Reading(_message, partial(path_on, SCRIPT), FOREIGN.search, re.compile(r"\s*(?:Expected|Received)\b").match)
FORMAT = Format(NAME, MARK, _sort, READING, outcomes=())


def _amend(trials: Trials, document: Document) -> None:
    """Name files that could not run; below a file, a name does without it."""
    del document
    for failure in trials.failures:
        failure.short = failure.name
        failure.error = failure.name == "Test suite failed to run"
        if failure.group and failure.error:
            failure.short = failure.name = f"{failure.group}: {failure.name}"
    leaves = {failure.name.rpartition(" \u203a ")[2] for failure in trials.failures}
    trials.named = [mark for mark in trials.named if mark.text not in leaves]


def _proof(row: str) -> float:
    if CLOSING.fullmatch(row):
        return 0.9 if row.startswith(("Test Suites:", "Tests:")) and row.endswith("total") else 0.0
    if FILE.fullmatch(row):
        return 0.86
    return 0.8 if TITLE.fullmatch(row) and "\u203a" in row else 0.0


def sniff(document: Document) -> float:
    """Claim text with the summary of jest, or files and tests as it names them."""
    return claim(document, _proof)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the summary, failing tests, and as much of messages as there is room for."""
    return mapped(document, FORMAT, _amend)
