"""TAP, the Test Anything Protocol, as node, tape, prove, bats and others write it."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReading, NumberedLine
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog
from ctxkit.core.brief.runs.stack_paths import COMPILED, FOREIGN, SCRIPT, match_path

NAME = "tap"
TYPES: Sequence[str] = ()
POINT = re.compile(r"(\s*)(not )?ok\b(?: +(\d+))?(?: +- +| +)?(.*)")
EXCUSED = re.compile(r"(?<!\\)# ?(?:TODO|SKIP)\b", re.IGNORECASE)
COUNTS = re.compile(
    r"# (?:tests|pass|fail|ok|cancelled|failed \d+ of .*|Looks like you .*)(?: +\d+)?|Result: \w+|"
    r"Failed \d+/\d+ .*|Files=\d+, .*"
)
BAIL = re.compile(r"\s*Bail out!.*|Dubious, test returned .*")
KEY = re.compile(r"\s*(message|error|found|got|wanted|expected|actual|operator|diag): ?(.*)")
AT = re.compile(r"\s*(?:at|location|at line|file|stack): ")
MARK = re.compile(
    r"\n(?:[ \t]*(?:not )?ok\b|1\.\.\d|# (?:tests|pass|fail|ok|cancelled|Looks like|Subtest)|[ \t]+# Subtest|"
    r"Result: |Failed \d+/|Files=\d|"
    r"[ \t]*Bail out!|Dubious|TAP version)[^\n]*"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return what a line is and what it names."""
    if text.lstrip().startswith("ok"):
        return "end", ""
    point = POINT.fullmatch(text)
    if point:
        bad = point[2] and not EXCUSED.search(point[4])
        return ("title", point[4] or f"test {point[3] or ''}".strip()) if bad else ("end", "")
    if COUNTS.fullmatch(text):
        return "verdict", text
    if BAIL.fullmatch(text):
        return "note", text
    return "end", ""


def _find_message(body: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return what the YAML block says went wrong, else the comments below the point."""
    rows: list[NumberedLine] = []
    for at, (number, text) in enumerate(body):
        match = KEY.match(text)
        if match and match[2] in ("|-", "|", ">-", ">"):
            rows.extend(body[at + 1 : at + 5])
        elif match:
            rows.append((number, text))
    order = ("message:", "error:", "found:", "got:", "wanted:", "expected:", "actual:")
    if rows and KEY.match(rows[0][1]):
        rows.sort(key=lambda row: next((n for n, word in enumerate(order) if row[1].lstrip().startswith(word)), 0))
    rows = list(dict.fromkeys(rows))
    return rows or [row for row in body if row[1].lstrip().startswith("#")][1:6] or list(body[:1])


def _find_place(text: str) -> str:
    """Return the path on a line of a stack, or under a key that says where."""
    if AT.match(text):
        match = re.search(r"(?<![^\s'\"(])([^\s'\"(]+):\d+(?::\d+)?", text)
        return match[1] if match else ""
    return match_path(SCRIPT, text) or (match_path(COMPILED, text) if text.lstrip()[:1] != "#" else "")


READING = FailureReading(_find_message, _find_place, FOREIGN.search)
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING)


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Let points above others, which fail because these do, come after them."""
    del document
    for failure in test_log.failures:
        failure.name = EXCUSED.split(failure.name)[0].strip() or failure.name
        failure.short_name = failure.name


def _line_score(row: str) -> float:
    if re.fullmatch(r"TAP version 1[34]", row):
        return 0.95
    if re.fullmatch(r"\s*(?:not )?ok \d+(?: +- .*| .*)?", row):
        return 0.87
    return 0.6 if re.fullmatch(r"# (?:tests|pass|fail) +\d+", row) else 0.0


def sniff(document: InputDocument) -> float:
    """Claim text that begins as TAP does, or has its points."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return the counts, failing points, and as much of what they say as there is room for."""
    return outline_test_output(document, FORMAT, _postprocess)
