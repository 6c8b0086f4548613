"""Output of RSpec: its summary and failing examples, each with its line range and message."""

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
from ctxkit.core.brief.runs.stack_paths import FOREIGN, RUBY, match_path
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "rspec"
TYPES: Sequence[str] = ()
CLUES = Clues(
    (" examples, ", " example, ", "Failed examples:", "Failures:", "Failure/Error: ", "An error occurred ")
)
CLOSING = compile_lazily(r"\d+ examples?, \d+ failures?(?:, \d+ \w+)*(?:, \d+ errors? occurred outside of examples)?")
TITLE = compile_lazily(r" {2}(\d+(?:\.\d+)?)\) (.*\S)")
LISTED = compile_lazily(r"rspec (\S+?(?::\d+|\[[\d:,]+\])) # (.*)|rspec (\S+)")
OUTCOME = compile_lazily(r"\s++(.*\S) \(FAILED - \d+\)")
OUTSIDE = compile_lazily(r"An error occurred (?:while loading (\S+?)\.?|in an? .*)")
MARK = compile_lazily(
    r"\n(?:Failures:|Pending: |Finished in |\d+ examples?, |Failed examples:|Top \d+ slowest|"
    r"An error occurred |rspec | {2}\d+(?:\.\d+)?\) )[^\n]*"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
    if text == "Failures:":
        return "on", ""
    if text.startswith(("Pending: ", "Failed examples:", "Top ")):
        return "off", ""
    if text.startswith("Finished in "):
        return "off", ""
    if CLOSING.fullmatch(text):
        return "verdict", text
    title = TITLE.fullmatch(text)
    if title:
        return ("title", title[2]) if "." not in title[1] else ("more", "")
    if OUTSIDE.fullmatch(text):
        return "sure", text
    listed, outcome = LISTED.fullmatch(text), OUTCOME.fullmatch(text)
    if listed:
        return "named", listed[2] or listed[3]
    return ("named", outcome[1]) if outcome else ("", "")


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines between the failing code and the stack, or the code if there are none."""
    cut = next((at for at, (_, text) in enumerate(body) if match_path(RUBY, text)), len(body))
    rows = list(body[:cut])
    code = next((at for at, (_, text) in enumerate(rows) if "Failure/Error:" in text), -1)
    message_rows = rows[code + 1 :]
    while (
        message_rows
        and message_rows[0][0] == rows[code][0] + 1
        and code >= 0
        and rows[code][1].rstrip().endswith("Failure/Error:")
    ):
        code, message_rows = code + 1, message_rows[1:]
    if len(message_rows) > 1 and re.fullmatch(
        r"\s*[\w:]+:", message_rows[0][1]
    ):  # the class of an exception, with its message below
        message_rows[:2] = message_rows[1::-1]
    return [*message_rows, rows[code]] if message_rows else rows[code:] or rows[:1]


READING = FailureReading(_find_message, partial(match_path, RUBY), FOREIGN.search, source_mark="Failure/Error:")
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING, strict=True, outcomes=("(FAILED - ",))


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Drop names that blocks already have, and use full names."""
    del document
    names = [failure.name for failure in test_log.failures]
    test_log.named = [mark for mark in test_log.named if not any(name.endswith(mark.text) for name in names)]
    for failure in test_log.failures:
        failure.short_name = failure.name


def _line_score(row: str) -> float:
    if CLOSING.fullmatch(row):
        return 0.92
    if row in ("Failed examples:", "Failures:"):
        return 0.55
    return 0.8 if row.startswith("     Failure/Error: ") or OUTSIDE.fullmatch(row) else 0.0


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text has the summary or the failures of RSpec."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the summary and failing examples, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, _postprocess)
