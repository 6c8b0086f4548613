"""TAP (Test Anything Protocol), as written by node, tape, prove, bats and others."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.brief.runs.failures import FailureReading, NumberedLine
from ctxkit.core.brief.runs.results import outline_test_output
from ctxkit.core.brief.runs.runner_log import RunnerFormat, TestLog
from ctxkit.core.brief.runs.stack_paths import COMPILED, FOREIGN, SCRIPT, match_path
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "tap"
TYPES: Sequence[str] = ()
CLUES = Clues(("TAP version", "ok ", "# tests", "# pass", "# fail"))
POINT = compile_lazily(r"(\s*)(not )?ok\b(?: +(\d+))?(?: +- +| +)?(.*)")
EXCUSED = compile_lazily(r"(?<!\\)# ?(?:TODO|SKIP)\b", re.IGNORECASE)
COUNTS = compile_lazily(
    r"# (?:tests|pass|fail|ok|cancelled|failed \d+ of .*|Looks like you .*)(?: +\d+)?|Result: \w+|"
    r"Failed \d+/\d+ .*|Files=\d+, .*|\d+ tests?, \d+ failures?(?:, .*)?"
)
BAIL = compile_lazily(
    r"\s*Bail out!.*|Dubious, test returned .*|\s*Parse errors?: .*"
    r"|(?:syntax error|Can't|Undefined|Global symbol|BEGIN|Compilation failed|Died|Execution of)\b.* line \d+.*"
)
"""Pattern of a file of tests that broke off, with Perl's errors."""
KEY = compile_lazily(r"\s*(message|error|found|got|wanted|expected|actual|operator|diag): ?(.*)")
AT = compile_lazily(r"\s*(?:at|location|at line|file|stack): ")
MARK = compile_lazily(
    r"\n(?:[ \t]*(?:not )?ok\b|1\.\.\d|# (?:tests|pass|fail|ok|cancelled|Looks like|Subtest)|[ \t]+# Subtest|"
    r"Result: |Failed \d+/|Files=\d|\d+ tests?, \d+ failure|"
    r"[ \t]*Bail out!|Dubious|TAP version|[ \t]*Parse errors?: "
    r"|syntax error|Can't|Undefined|Global symbol|BEGIN|Compilation failed|Died|Execution of)[^\n]*"
)


def _classify_line(text: str) -> tuple[str, str]:
    """Return the class of a line and the name or text in it."""
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
    """Return the error lines of the YAML block, or else the comments below the test point."""
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
    """Return the path on a stack line, or on a line with a key such as ``location``."""
    if AT.match(text):
        match = re.search(r"(?<![^\s'\"(])([^\s'\"(]+):\d+(?::\d+)?", text)
        return match[1] if match else ""
    return match_path(SCRIPT, text) or (match_path(COMPILED, text) if text.lstrip()[:1] != "#" else "")


READING = FailureReading(_find_message, _find_place, FOREIGN.search)
FORMAT = RunnerFormat(NAME, MARK, _classify_line, READING)


def _postprocess(test_log: TestLog, document: InputDocument) -> None:
    """Remove directives such as TODO from the names of the failed test points."""
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
    """Return the confidence that the text has a TAP version line or test points."""
    return score_document(document, _line_score)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the counts and failing test points, from the most detailed to the shortest."""
    return outline_test_output(document, FORMAT, _postprocess)
