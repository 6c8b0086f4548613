"""Output of XCTest and Swift Testing: closing lines and failing tests, each with its line range and message."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReader, FailureReading, NumberedLine
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog
from ctxkit.core.brief.runs.span_parser import parse_spans

NAME = "xctest"
TYPES: Sequence[str] = ("swift-testing",)
CASE = re.compile(r"\s*Test Case '(?:-\[)?(.+?)\]?' (started|passed|failed|skipped)\b.*")
EXECUTED = re.compile(r"\s*Executed \d+ tests?, with (?:\d+ tests? skipped and )?\d+ failures?\b.*")
ENDED = re.compile(r"\*\* TEST (?:EXECUTE )?(?:FAILED|SUCCEEDED) \*\*.*")
SWIFT = re.compile(r"\S+ +Test (\"[^\"]*\"|[\w.]+\([^)]*\)|run with \d+ tests?)(?: in \d+ suites?)? (.*)")
"""Pattern of a Swift Testing line: a symbol, a test by its name or function, and its result."""
PLACE = re.compile(r"(?:(.*\.\w+):\d+: error: )|.{0,500}? recorded an issue .{0,300}?at (\S{1,300}?):\d+:\d+: ")
MARK = re.compile(
    r"\n(?:[ \t]*Test Case '[^\n]*|[ \t]*Executed \d+ tests?,[^\n]*|\*\* TEST [^\n]*|"
    r"[^\s\w] +Test (?:\"|run with |[\w.]+\()[^\n]*)"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
    case = CASE.fullmatch(text)
    if case:
        kinds = {"started": "begin", "failed": "failed"}
        return kinds.get(case[2], "passed"), case[1]
    if EXECUTED.fullmatch(text) or ENDED.fullmatch(text):
        return "verdict", text.strip()
    swift = SWIFT.fullmatch(text)
    return _classify_swift_line(swift[1], swift[2], text) if swift else ("", "")


def _classify_swift_line(name: str, rest: str, text: str) -> tuple[str, str]:
    if name.startswith("run with "):
        return "verdict", text.strip()
    if rest.startswith("recorded an issue"):
        return "issue", name
    return ("named", name) if rest.startswith("failed after") else ("end", name)


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines that report an error with a place, or the first line."""
    return [row for row in body if PLACE.match(row[1].strip())] or list(body[:1])


def _find_place(text: str) -> str:
    match = PLACE.match(text.strip())
    return (match[1] or match[2]) if match else ""


FORMAT = RunnerFormat(
    NAME,
    MARK,
    _classify_line,
    FailureReading(_find_message, _find_place, re.compile(r"/(?:\.build|DerivedData|Xcode)/").search),
)


def _line_score(row: str) -> float:
    if EXECUTED.fullmatch(row):
        return 0.93
    if CASE.fullmatch(row):
        return 0.85
    swift = SWIFT.fullmatch(row)
    if not swift or not re.match(r"(?:started|recorded an issue|(?:passed|failed|skipped))\b", swift[2]):
        return 0.0
    return 0.93 if swift[1].startswith("run with ") else 0.7


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text has the closing lines or cases of XCTest, or lines of Swift Testing."""
    return score_document(document, _line_score)


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Read the blocks whose first line has both the test's name and its error."""
    reader = FailureReader(document.lines, FORMAT.reading)
    for failure in test_log.failures[: document.target // 8]:
        if _find_place(document.lines.at(failure.start)):
            reader.read(failure, begin=failure.start)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the closing lines and failing tests, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, _postprocess, parse_spans)
