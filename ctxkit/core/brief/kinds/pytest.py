"""Output of pytest: its result, failing tests with line ranges and messages, and its other sections."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.brief.runs.failures import FailedTest
from ctxkit.core.brief.runs.pytest_markers import (
    NAMED_TEST,
    OUTCOME,
    SUMMARY_LINE,
    Marker,
    find_markers,
    strip_decorations,
)
from ctxkit.core.brief.runs.pytest_run import (
    START_HEADING,
    PytestRun,
    build_run,
    find_node_id,
    list_node_ids,
    list_surroundings,
    read_failures,
    split_title,
)
from ctxkit.core.brief.runs.python_crash import cut_ranges, find_crashes
from ctxkit.core.brief.runs.report import (
    END_LINES,
    FailureLine,
    Report,
    ReportContent,
    quote_ending,
    quote_notes,
    quote_summaries,
)
from ctxkit.core.brief.runs.runner import SOURCE_SUFFIXES
from ctxkit.core.lazy_pattern import compile_lazily

NAME = "pytest"
TYPES: Sequence[str] = ()
CLUES = Clues(("===", "passed", "failed", "skipped", "error in", "errors in", "no tests ran", "deselected"))
SEARCHED_BYTES = 1 << 20
"""Number of bytes searched for the beginning of a session after the preamble of a CI service."""
MIN_ENDING_LINES, MAX_ENDING_LINES = 8, 24
"""Number of lines after the last result from which the end is quoted, and how many lines of it."""
PYTEST_HEADING = compile_lazily(r"=+ (?:FAILURES|ERRORS|short test summary info|test session starts.*) =+")
OTHER_CLOSING = compile_lazily(r"=+ \d+ [a-z]+ in \d[\d.]*s =+")
"""Pattern of a closing line; one whose outcome pytest does not know is that of another runner with its headings."""
PROGRESS = compile_lazily(r"(?:\S+\.py )?[.FEsxXR]+ *(?:\[ *\d+%\])?|.*\[100%\]|(?:FAILED|ERROR) \S+::.*")
FENCE = compile_lazily(r"^[^\S\n]*(?:```|~~~)", re.MULTILINE)


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text has headings or a closing line of pytest outside code fences."""
    text = _read_beginning(document)
    if document.suffix in SOURCE_SUFFIXES or _is_quoted(text):
        return 0.0
    rows = [strip_decorations(row) for row in [*text.split("\n"), *document.tail.split("\n")]]
    closing = [row for row in rows if SUMMARY_LINE.fullmatch(row)]
    if not closing and any(map(OTHER_CLOSING.fullmatch, rows)):
        return 0.0
    if any(map(PYTEST_HEADING.fullmatch, rows)):
        return 0.95
    if any(row[0] == "=" for row in closing):
        return 0.9
    return 0.8 if closing and any(map(PROGRESS.fullmatch, rows)) else 0.0


def _is_quoted(text: str) -> bool:
    """Return whether the first session begins within a code fence."""
    match = re.search(rf"^.*= {START_HEADING}", text, re.MULTILINE)
    return match is not None and len(FENCE.findall(text[: match.start()])) % 2 == 1


def _read_beginning(document: InputDocument) -> str:
    """Return the head, or the text up to a session header further down."""
    if START_HEADING in document.head:
        return document.head
    data = document.read(0, SEARCHED_BYTES)
    at = data.find(f"= {START_HEADING}".encode())
    return data[: at + 2_000].decode("utf-8", "replace") if at >= 0 else document.head


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the result, failing tests and other sections, or None if no session is present."""
    markers, past = find_markers(document.lines)
    run = build_run(markers, document.lines.total)
    if not (run.sections or run.summaries or run.outcomes or run.notes):
        return None
    broken, others = read_failures(run.blocks, run.named, document.lines, document.target // 8)
    around = list(islice(list_surroundings(run, document.lines), document.target))  # each takes more than a token
    crashes = find_crashes(document.lines)
    if crashes:
        broken = sorted([*crashes, *broken], key=lambda failure: failure.start)
        around = cut_ranges(around, crashes)
    top = [*quote_summaries(run.summaries, closed=run.is_closed), *quote_notes(run.notes)]
    named = sorted([*others, *_find_unnamed(run, broken)], key=lambda mark: mark.number)
    most = _count_ending_lines(run, document.lines.total) if run.is_closed else END_LINES[not (broken or named)]
    end = quote_ending(document.lines, most) if most else []
    left = [Entry(f"failing tests past the first {len(broken):,}", past.start, past.stop - 1, 1)] if past else []
    findings = ReportContent(NAME, top, broken, [_make_failure_line(mark) for mark in named], around, end, left)
    return Report(document, findings).build_outlines()


def _count_ending_lines(run: PytestRun, total: int) -> int:
    """Return how many lines to quote of what another command printed after the run, or 0 if it is little."""
    after = total - run.summaries[-1].number if run.summaries else 0
    return min(after - 1, MAX_ENDING_LINES) if after >= MIN_ENDING_LINES else 0


def _find_unnamed(run: PytestRun, broken: Sequence[FailedTest]) -> Iterator[Marker]:
    """Yield the -v lines of failed tests that neither a block nor the summary names."""
    known = {split_title(failure.short_name)[1].replace("::", ".") for failure in broken}
    for mark in run.named:
        line = NAMED_TEST.fullmatch(mark.text)
        known.update(_read_test_name(node) for node in list_node_ids(line[3] if line else ""))
    for mark in run.outcomes:
        line = OUTCOME.fullmatch(mark.text)
        if line and _read_test_name(line[1] or line[4]) not in known:
            yield mark


def _read_test_name(node: str) -> str:
    return node.partition("::")[2].replace("::", ".")


def _make_failure_line(mark: Marker) -> FailureLine:
    """Return a line that names a failing test, and the part of it that is the name."""
    outcome = OUTCOME.fullmatch(mark.text)
    if outcome:
        return FailureLine(mark.number, mark.text, outcome[1] or outcome[4])
    line = NAMED_TEST.fullmatch(mark.text)
    rest = len(line[3]) - len(find_node_id(line[3])) if line else 0
    return FailureLine(mark.number, mark.text, mark.text[: len(mark.text) - rest])
