"""Output of GoogleTest: its closing lines and failing tests, each with its line range and message."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReading, NumberedLine
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat
from ctxkit.core.brief.runs.span_parser import parse_spans
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "gtest"
TYPES: Sequence[str] = ("googletest",)
CLUES = Clues(("[ RUN ", "[  FAILED ", "[==========]"))
STATUS = compile_lazily(r"\s*\[ *(RUN|OK|FAILED|PASSED|SKIPPED|DISABLED|={10}|-{10}) *\] *(.*)")
TEST = compile_lazily(r"([\w./]+\.[\w./]+)(?:,.*?)?(?: \(\d+ ms\))?")
"""Pattern of a test's name, with its parameter and its time."""
CLOSING = compile_lazily(r"\s*\d+ FAILED TESTS?")
PLACE = compile_lazily(r"(.*\.\w+)(?::\d+|\(\d+\)): (?:Failure|error)\b")
MARK = compile_lazily(
    r"\n[ \t]*(?:\[ *(?:RUN|OK|FAILED|PASSED|SKIPPED|={10}) *\][^\n]*|\d+ FAILED TESTS?[ \t]*(?=\n|$))"
)
KINDS = {"RUN": "begin", "OK": "passed", "SKIPPED": "passed", "FAILED": "failed"}


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
    if CLOSING.fullmatch(text):
        return "verdict", text
    match = STATUS.fullmatch(text)
    if not match:
        return "", ""
    word, rest = match.groups()
    test = TEST.fullmatch(rest)
    if test and word in KINDS:
        return KINDS[word], test[1]
    if word == "PASSED" or " ran. (" in rest or rest.endswith(" ran.") or word == "FAILED":
        return "verdict", text.strip()
    return "", ""


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the message of the first failed expectation, or the line with its place if the message is there."""
    at = next((at for at, (_, text) in enumerate(body) if PLACE.match(text.strip())), -1)
    if at < 0:
        return list(body[:1])
    if not body[at][1].rstrip().endswith("Failure"):
        return [body[at]]
    end = next((end for end in range(at + 1, len(body)) if PLACE.match(body[end][1].strip())), len(body))
    message_rows = [row for row in body[at + 1 : end] if not STATUS.fullmatch(row[1])]
    return message_rows or [body[at]]


def _find_place(text: str) -> str:
    match = PLACE.match(text.strip())
    return match[1] if match else ""


FORMAT = RunnerFormat(
    NAME,
    MARK,
    _classify_line,
    FailureReading(_find_message, _find_place, re.compile(r"/(?:usr|include|gtest)/").search),
)


def _line_score(row: str) -> float:
    match = STATUS.fullmatch(row)
    if not match:
        return 0.0
    word, rest = match.groups()
    if word.startswith("=") and (" tests from " in rest or " test from " in rest):
        return 0.95
    return 0.8 if word in KINDS and TEST.fullmatch(rest) else 0.0


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text has the bracketed markers of GoogleTest."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the closing lines and failing tests, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, parse_log=parse_spans)
