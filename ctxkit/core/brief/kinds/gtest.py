"""Output of GoogleTest: its closing lines, every failing test with its lines and message."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import claim
from ctxkit.core.brief.runs.failures import Numbered, Reading
from ctxkit.core.brief.runs.results import mapped
from ctxkit.core.brief.runs.spans import spans
from ctxkit.core.brief.runs.trials import Format

NAME = "gtest"
TYPES: Sequence[str] = ("googletest",)
STATUS = re.compile(r"\s*\[ *(RUN|OK|FAILED|PASSED|SKIPPED|DISABLED|={10}|-{10}) *\] *(.*)")
TEST = re.compile(r"([\w./]+\.[\w./]+)(?:,.*?)?(?: \(\d+ ms\))?")
"""A test's name, with its parameter and its time."""
CLOSING = re.compile(r"\s*\d+ FAILED TESTS?")
PLACE = re.compile(r"(.*\.\w+)(?::\d+|\(\d+\)): (?:Failure|error)\b")
MARK = re.compile(r"\n[ \t]*(?:\[ *(?:RUN|OK|FAILED|PASSED|SKIPPED|={10}) *\][^\n]*|\d+ FAILED TESTS?[ \t]*(?=\n|$))")
KINDS = {"RUN": "begin", "OK": "passed", "SKIPPED": "passed", "FAILED": "failed"}


def _sort(text: str) -> tuple[str, str]:
    """Return what a line is and what it names."""
    if CLOSING.fullmatch(text):
        return "verdict", text
    found = STATUS.fullmatch(text)
    if not found:
        return "", ""
    word, rest = found.groups()
    test = TEST.fullmatch(rest)
    if test and word in KINDS:
        return KINDS[word], test[1]
    if word == "PASSED" or " ran. (" in rest or rest.endswith(" ran.") or word == "FAILED":
        return "verdict", text.strip()
    return "", ""


def _message(body: Sequence[Numbered]) -> list[Numbered]:
    """Return what the first failed expectation says; the line of its place where it says all there."""
    at = next((at for at, (_, text) in enumerate(body) if PLACE.match(text.strip())), -1)
    if at < 0:
        return list(body[:1])
    if not body[at][1].rstrip().endswith("Failure"):
        return [body[at]]
    end = next((end for end in range(at + 1, len(body)) if PLACE.match(body[end][1].strip())), len(body))
    said = [row for row in body[at + 1 : end] if not STATUS.fullmatch(row[1])]
    return said or [body[at]]


def _place(text: str) -> str:
    found = PLACE.match(text.strip())
    return found[1] if found else ""


FORMAT = Format(NAME, MARK, _sort, Reading(_message, _place, re.compile(r"/(?:usr|include|gtest)/").search))


def _proof(row: str) -> float:
    found = STATUS.fullmatch(row)
    if not found:
        return 0.0
    word, rest = found.groups()
    if word.startswith("=") and (" tests from " in rest or " test from " in rest):
        return 0.95
    return 0.8 if word in KINDS and TEST.fullmatch(rest) else 0.0


def sniff(document: Document) -> float:
    """Claim text with the bracketed marks of GoogleTest."""
    return claim(document, _proof)


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the closing lines, failing tests, and as much of messages as there is room for."""
    return mapped(document, FORMAT, read=spans)
