"""Evidence for and against a document being build output."""

import re
from functools import lru_cache

from ctxkit.core.brief.builds.build_reader import PREFIX, BuildReader, clean_build_line
from ctxkit.core.brief.builds.finding_parser import LINED, parse_plain
from ctxkit.core.brief.builds.findings import BuildEvent, BuildFinding, parse_finding
from ctxkit.core.brief.builds.wordings import CONTEXT
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass

SUFFIXES = ("", "log", "txt", "out", "output", "err", "stderr", "stdout", "build")
"""Suffixes of files with build output."""
MAX_ROWS = 600
"""Maximum number of lines read from the beginning."""
FENCE = compile_lazily(r"^[^\S\n]*(?:```|~~~)|^#{1,3} \w", re.MULTILINE)
TESTS = (
    *("= FAILURES", "= ERRORS", "= test session starts", "--- Captured", "\ntest result: ", "\nTests: "),
    *("\n--- FAIL", "\n--- RUN", "\n--- PASS", "\n=== FAIL", "\n=== RUN", "\n=== PASS"),
    *("\nFAIL: test", "\nERROR: test"),
)
"""What the output of test runners contains."""
RUNNING = compile_lazily(r"^running \d+ tests?", re.MULTILINE)
SEARCHED = compile_lazily(r"[^\s:]{1,300}[:-]\d+(?:[:-]\d+)?[:-](?:\S|  |\t)|[^\s:]{1,300}[:-]\d+[:-]$")
"""Pattern of a search result: the text of the line follows its number without a blank, or is indented."""
MIN_PLAIN_ROWS = 5
"""Minimum number of lines from which findings may have only a place and a message."""
COMMIT = compile_lazily(r"^(?:diff --git |@@ -\d|commit [0-9a-f]{40})", re.MULTILINE)


@dataclass(slots=True)
class BuildEvidence:
    """Count the lines that indicate build output, at the beginning and the end of a document.

    ``explained`` counts the lines of findings, ``placed`` the findings with a file and ``passed`` the lines of checks
    that passed. ``is_excluded`` means that the document is certainly something else, ``has_prose`` that it has headings
    or code fences.
    """

    lines: int = 0
    explained: int = 0
    placed: int = 0
    passed: int = 0
    closings: int = 0
    steps: int = 0
    is_excluded: bool = False
    has_prose: bool = False


def collect_evidence(document: InputDocument) -> BuildEvidence:
    """Return the evidence that a document is build output."""
    if document.suffix not in SUFFIXES:
        return BuildEvidence(is_excluded=True)
    return _collect_evidence(document.head, document.tail if document.lines.size > len(document.head) else "")


@lru_cache(maxsize=4)
def _collect_evidence(head: str, tail: str) -> BuildEvidence:
    evidence = BuildEvidence(has_prose=FENCE.search(head) is not None)
    evidence.is_excluded = (
        head.startswith("#!") or "\0" in head or COMMIT.search(head) is not None or reports_tests(head)
    )
    if evidence.is_excluded:
        return evidence
    lines = head.split("\n")
    rows = lines[:MAX_ROWS]
    evidence.lines = sum(1 for row in rows if row.strip())
    _read_rows(rows, evidence, counted=True)
    if tail or len(lines) > MAX_ROWS:
        _read_rows((tail or head).split("\n")[1:][-100:], evidence, counted=False)
    evidence.is_excluded = _has_times(head, rows[:200])
    return evidence


def _has_times(head: str, rows: list[str]) -> bool:
    """Return whether most lines begin with a time, but not because a CI service writes it before each line."""
    if "##[group]" in head or "::group::" in head or PREFIX.match(rows[0]):
        return False
    from ctxkit.core.brief.logs.log_detection import find_timestamp

    return sum(find_timestamp(row) is not None for row in rows) * 2 > len(rows)


def reports_tests(head: str) -> bool:
    """Return whether a text contains what only test runners print."""
    text = f"\n{head}"
    return any(words in text for words in TESTS) or ("\nrunning " in text and RUNNING.search(head) is not None)


def has_plain_findings(document: InputDocument) -> bool:
    """Return whether findings have only a place and a message, as in vulture and codespell."""
    return _count_plain_rows(tuple(document.head.split("\n")[:MAX_ROWS])) >= MIN_PLAIN_ROWS


@lru_cache(maxsize=4)
def _count_plain_rows(rows: tuple[str, ...]) -> int:
    """Return the number of lines with only a place and a message, or 0 if most are search results or prose."""
    texts = [clean_build_line(row) for row in rows if row.strip() and row[:2].strip() not in CONTEXT]
    plain = sum(parse_plain(text, 0) is not None and parse_finding(text, 0) is None for text in texts if text)
    searched = sum(SEARCHED.match(text) is not None for text in texts if text)
    return plain if plain >= 20 * searched and plain * 4 >= len(texts) else 0


def _read_rows(rows: list[str], evidence: BuildEvidence, *, counted: bool) -> None:
    def take(item: BuildFinding | BuildEvent) -> None:
        """Count an item of the log."""
        if isinstance(item, BuildFinding):
            evidence.placed += bool(item.path or LINED.match(item.text)) and counted
            evidence.explained += counted * sum(1 for row in rows[item.start - 1 : item.end] if row.strip())
        elif item.kind == "closing":
            evidence.closings += 1
        elif item.kind == "passed":
            evidence.passed += counted
            evidence.explained += counted
        elif item.kind == "step":
            evidence.steps += counted

    reader = BuildReader(take, plain=_count_plain_rows(tuple(rows)) >= MIN_PLAIN_ROWS)
    for number, text in enumerate(rows, 1):
        reader.read_line(number, text)
    reader.finish()
