"""Output of cargo test: result lines and failing tests, each with its line range and message."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReading, NumberedLine
from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog
from ctxkit.core.brief.runs.stack_paths import FOREIGN, RUST, match_path
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "cargo test"
TYPES: Sequence[str] = ("cargo_test",)
CLUES = Clues(
    ("test result:", " stdout ----", " stderr ----", "... ok", "... FAILED", "... ignored", "... \x1b")
)
TITLE = compile_lazily(r"---- (.*\S) std(?:out|err) ----")
CLOSING = compile_lazily(r"test result: (?:ok|FAILED)\. \d+ passed; .*")
OUTCOME = compile_lazily(r"test (.*?\S)(?: - should panic)? \.\.\. FAILED(?: <[\d.]+s>)?")
HEAD = compile_lazily(r" +(?:Running (?:unittests |tests[/\\])?(\S+) \(.*\)|Doc-tests (\S+))")
NOTE = compile_lazily(r"error(?:\[E\d+\])?: .*")
LIST_LINES = 2_000
"""Maximum number of lines searched above a result line for the list of failed tests."""
PANIC = compile_lazily(r"thread '(?:(?!thread ').)*' (?:\(\d+\) )?panicked at (.*)")
MARK = compile_lazily(
    r"\n(?:---- |test result: |failures:|test .* \.\.\. FAILED| +Running | +Doc-tests |running \d|"
    r"error(?:\[E\d+\])?: )[^\n]*"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
    title = TITLE.fullmatch(text)
    if title:
        return "title", title[1]
    if CLOSING.fullmatch(text):
        return "verdict", text
    head = HEAD.fullmatch(text)
    if head:
        return "group", head[1] or head[2]
    outcome = OUTCOME.fullmatch(text)
    if outcome:
        return "named", outcome[1]
    if text == "failures:" or text.startswith("running "):
        return "end", ""
    return ("note", text) if NOTE.fullmatch(text) else ("", "")


def find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the message of a panic, or the error that the test returned."""
    at = next((at for at, (_, text) in enumerate(body) if PANIC.search(text)), -1)
    if at < 0:
        error_rows = [row for row in body if row[1].startswith("Error: ")]
        return error_rows or list(body[-1:])
    rows = list(body[at + 1 :])
    cut = next(
        (n for n, (_, text) in enumerate(rows) if text.lstrip().startswith(("note: ", "stack backtrace:", "thread '"))),
        len(rows),
    )
    # Before Rust 1.73, the line of the panic contains the message.
    return [body[at], *rows[:cut]] if "panicked at '" in body[at][1] else rows[:cut] or [body[at]]


READING = FailureReading(
    find_message, partial(match_path, RUST), FOREIGN.search, re.compile(r"\s+(?:left|right): ").match
)
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING)


def _read_failed_list(document: InputDocument, verdict: int) -> list[Marker]:
    """Return the names in the list directly above a result line; a log cut at its beginning may have only these."""
    rows = list(document.lines.enumerate_lines(max(verdict - LIST_LINES, 1), verdict - 1))
    marks: list[Marker] = []
    for number, text in reversed(rows):
        if text.startswith("    ") and text.strip():
            marks.append(Marker(number, "named", text.strip()))
        elif text.strip():
            break
    return marks[::-1]


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Keep the results of failed runs if there are any, and add tests that only the final lists name."""
    known = {failure.name for failure in test_log.failures} | {mark.text for mark in test_log.named}
    for verdict in test_log.summaries:
        if verdict.text.startswith("test result: FAILED"):
            test_log.named += [mark for mark in _read_failed_list(document, verdict.number) if mark.text not in known]
    bad = [mark for mark in test_log.summaries if mark.text.startswith("test result: FAILED")]
    test_log.summaries = (
        bad + test_log.summaries[-1:] if bad and test_log.summaries[-1] not in bad else bad or test_log.summaries
    )
    for failure in test_log.failures:
        failure.short_name = failure.name


def _line_score(row: str) -> float:
    if CLOSING.fullmatch(row) or TITLE.fullmatch(row):
        return 0.9
    return 0.6 if re.fullmatch(r"test \S+(?: - .*)? \.\.\. (?:ok|FAILED|ignored)", row) else 0.0


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text contains results as libtest prints them."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the results and failing tests, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, _postprocess)
