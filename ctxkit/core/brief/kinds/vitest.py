"""Output of vitest: its summary and failing tests, each with its line range and message."""

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

NAME = "vitest"
TYPES: Sequence[str] = ()
CLUES = Clues(("Tests ", "Test Files ", "FAIL", "Snapshots ", "Errors ", "\u23af", "No test files"))
TITLE = compile_lazily(r" ?FAIL +(?:\|[^|]*\| |\S+ )?(\S+\.[cm]?[jt]sx?(?: > .*| \[ .* \])?)")
RULE = compile_lazily(
    r"\u23af+(?: (Failed (?:Tests|Suites|Benchmarks) \d+|Unhandled .*|Uncaught .*) \u23af+|\[\d+/\d+\]\u23af+|\u23af*)"
)
CLOSING = compile_lazily(
    r" *(?:Test Files|Tests|Type Errors|Errors|Snapshots) {2,}(?:\d+ \w+(?: \| )?)+(?: \(\d+\))?|"
    r"No test files found.*| *Tests {2,}no tests"
)
NOTE = compile_lazily(
    r"Vitest caught \d+ unhandled|Error: |(?:Serialized )?Error: .*|\u23af+ (?:Unhandled|Uncaught|Startup)"
)
OUTCOME = compile_lazily(r"\s+[\u00d7\u2717] (.*?)(?: \(retry .*\))?(?: +[\d.]+m?s)?")
FRAMED = compile_lazily(r" \u276f |\s+\d+\|| \u2502")
MARK = compile_lazily(
    r"\n(?: ?FAIL |\u23af{2}| *(?:Test Files|Tests|Type Errors|Errors|Snapshots) {2}|No test files|"
    r"Vitest caught|Error: | +[\u00d7\u2717] )[^\n]*"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
    title = TITLE.fullmatch(text)
    if title:
        return "title", title[1]
    if text.startswith("\u23af\u23af"):
        return ("note", text) if NOTE.match(text) else ("end", "")
    if CLOSING.fullmatch(text):
        return "verdict", text
    outcome = OUTCOME.fullmatch(text)
    if outcome:
        return "named", outcome[1]
    return ("note", text) if NOTE.match(text) else ("", "")


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines before the place and the source."""
    body = [row for row in body if not TITLE.fullmatch(row[1])]
    cut = next((at for at, (_, text) in enumerate(body) if FRAMED.match(text)), len(body))
    return list(body[:cut] or body[:1])


READING = FailureReading(_find_message, partial(match_path, SCRIPT), FOREIGN.search, re.compile(r"\s*[-+] ").match)
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING, shared=True)


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Split the names into file and test, and drop listed tests that a block reports."""
    del document
    for failure in test_log.failures:
        path, arrow, test = failure.name.partition(" > ")
        failure.group, failure.short_name = path, test if arrow else failure.name
        failure.is_error = not arrow
    known = [failure.name for failure in test_log.failures]
    test_log.named = [mark for mark in test_log.named if not any(mark.text in name for name in known)]


def _line_score(row: str) -> float:
    if CLOSING.fullmatch(row):
        return 0.93
    if RULE.fullmatch(row) and ("Failed" in row or "[" in row):
        return 0.9
    return 0.72 if TITLE.fullmatch(row) and " > " in row else 0.0


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text has the summary, rulers or test names of vitest."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the summary and failing tests, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, _postprocess)
