"""Stacks of many threads, and reports of sanitizers and memory checkers: in groups, the rare ones first."""

from collections.abc import Sequence

from ctxkit.core.brief.builds.build_evidence import FENCE, SUFFIXES, reports_tests
from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline
from ctxkit.core.brief.stacks.stack_collection import read_stacks
from ctxkit.core.brief.stacks.stack_outline import build_stack_outline
from ctxkit.core.brief.stacks.stack_reader import Stack, StackReader

NAME = "stacks"
TYPES: Sequence[str] = ("threads", "sanitizer", "valgrind")
CLUES = Clues(
    (
        *("Sanitizer", "hread ", "hread #", "goroutine ", "DATA RACE", "runtime error", "Invalid ", " tid="),
        *(" lost in ", "TID ", "all Trace", "all trace", "uninit"),
    ),
    unless_log=True,
)
ROWS = 1_500
"""Number of lines read from the beginning."""
RUNNERS = ("[ RUN ", "[==========]", "Test project ", "=== RUN", "\n$ ", "TAP version")
"""Text of the logs of test runners, whose own kinds state which test crashed."""
CRASHES = ("Fatal Python error", "received signal", "Program terminated with signal", "all goroutines are asleep")
CHECKERS = (", a memory error detector", ", a thread error detector")
"""Text beside the stacks of a crash."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text is stacks of threads, or has reports of sanitizers."""
    head = document.head
    if document.suffix not in SUFFIXES or "\0" in head or head.startswith(("#!", "{", "[{", "<")):
        return 0.0
    if reports_tests(head) or any(word in head for word in RUNNERS):
        return 0.0
    rows = head.split("\n")[:ROWS]
    early = _find_stacks(rows)
    late = _find_stacks(document.tail.split("\n")[1:]) if document.lines.size > len(head) else []
    if FENCE.search(head) and not early:
        return 0.0
    return max(_score_stacks(early, rows, document), _score_stacks(late, document.tail.split("\n"), document))


def _score_stacks(stacks: list[Stack], rows: list[str], document: InputDocument) -> float:
    """Return the confidence by the share of lines that stacks take."""
    threads = [stack for stack in stacks if stack.kind == "thread" and stack.frames]
    reports = [stack for stack in stacks if stack.kind == "report" and stack.frames]
    covered = sum(stack.end - stack.start + 1 for stack in (*threads, *reports))
    share = covered / max(sum(1 for row in rows if row.strip()), 1)
    crash = any(word in document.head or word in document.tail for word in CRASHES)
    if any("Sanitizer" in stack.title or "DATA RACE" in stack.title for stack in reports) and share >= 0.1:
        return 0.9
    if len(threads) + len(reports) >= 3 and share >= 0.4:
        return 0.9
    if (len(reports) >= 2 or len(threads) >= 2) and share >= 0.3:
        return 0.85
    checker = any(word in document.head for word in CHECKERS)
    has_stacks = bool(reports) if checker else crash and len(threads) >= 2
    return 0.8 if has_stacks and share >= 0.1 else 0.0


def _find_stacks(rows: list[str]) -> list[Stack]:
    stacks: list[Stack] = []
    reader = StackReader(stacks.append)
    for number, row in enumerate(rows, 1):
        reader.read_line(number, row)
    reader.finish()
    return stacks


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of the stacks in groups, with what happened and the end."""
    stacks = read_stacks(document)
    return [build_stack_outline(NAME, document, stacks)] if stacks.groups else None
