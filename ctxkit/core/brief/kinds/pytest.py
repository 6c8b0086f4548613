"""Output of pytest: its verdict, every failing test with its lines and messages, and what else there is."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.brief.runs.evidence import SOURCES
from ctxkit.core.brief.runs.failures import Failure
from ctxkit.core.brief.runs.nodes import failures, node_of, nodes, split
from ctxkit.core.brief.runs.report import Findings, Named, Report
from ctxkit.core.brief.runs.sessions import START, Run, run_of
from ctxkit.core.brief.runs.signposts import NAMED, OUTCOME, VERDICT, Mark, clean, marks
from ctxkit.core.brief.runs.surroundings import surroundings
from ctxkit.core.brief.runs.verdicts import END, ending, notes, verdicts

NAME = "pytest"
TYPES: Sequence[str] = ()
DEEP = 1 << 20
"""Bytes from the beginning in which a session is looked for, past what CI services print first."""
OWN = re.compile(r"=+ (?:FAILURES|ERRORS|short test summary info|test session starts.*) =+")
PROGRESS = re.compile(r"(?:\S+\.py )?[.FEsxXR]+ *(?:\[ *\d+%\])?|.*\[100%\]|(?:FAILED|ERROR) \S+::.*")
FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)", re.MULTILINE)


def sniff(document: Document) -> float:
    """Claim text with headings or a closing line of pytest that stand outside of any fence."""
    text = _begun(document)
    if document.suffix in SOURCES:
        return 0.0
    found = re.search(rf"^.*= {START}", text, re.MULTILINE)
    if found and len(FENCE.findall(text[: found.start()])) % 2:
        return 0.0
    rows = [clean(row) for row in [*text.split("\n"), *document.tail.split("\n")]]
    if any(OWN.fullmatch(row) for row in rows):
        return 0.95
    closing = [row for row in rows if VERDICT.fullmatch(row)]
    if any(row[0] == "=" for row in closing):
        return 0.9
    return 0.8 if closing and any(PROGRESS.fullmatch(row) for row in rows if row) else 0.0


def _begun(document: Document) -> str:
    """Return the head, or all up to where a session begins further down."""
    if START in document.head:
        return document.head
    data = document.read(0, DEEP)
    at = data.find(f"= {START}".encode())
    return data[: at + 2_000].decode("utf-8", "replace") if at >= 0 else document.head


def outline(document: Document) -> Sequence[Outline] | None:
    """Return verdict, failing tests, and as much of messages and of the rest as there is room for."""
    found, past = marks(document.lines)
    run = run_of(found, document.lines.total)
    if not (run.sections or run.verdicts or run.outcomes or run.notes):
        return None
    broken, others = failures(run.blocks, run.named, document.lines, document.target // 8)
    around = list(islice(surroundings(run, document.lines), document.target))  # each takes more than a token
    top = [*verdicts(run.verdicts, closed=run.closed), *notes(run.notes)]
    named = sorted([*others, *_unnamed(run, broken)], key=lambda mark: mark.number)
    end = [] if run.closed else ending(document.lines, END[not (broken or named)])
    left = [Entry(f"failing tests past the first {len(broken):,}", past.start, past.stop - 1, 1)] if past else []
    findings = Findings(NAME, top, broken, [_named(mark) for mark in named], around, end, left)
    return Report(document, findings).outlines()


def _unnamed(run: Run, broken: Sequence[Failure]) -> Iterator[Mark]:
    """Yield the -v lines of failed tests that neither a block nor the summary names."""
    known = {split(failure.short)[1].replace("::", ".") for failure in broken}
    for mark in run.named:
        line = NAMED.fullmatch(mark.text)
        known.update(_test(node) for node in nodes(line[2] if line else ""))
    for mark in run.outcomes:
        line = OUTCOME.fullmatch(mark.text)
        if line and _test(line[1] or line[4]) not in known:
            yield mark


def _test(node: str) -> str:
    return node.partition("::")[2].replace("::", ".")


def _named(mark: Mark) -> Named:
    """Return a line that names a failing test, and how much of it is the name."""
    outcome = OUTCOME.fullmatch(mark.text)
    if outcome:
        return Named(mark.number, mark.text, outcome[1] or outcome[4])
    line = NAMED.fullmatch(mark.text)
    rest = len(line[2]) - len(node_of(line[2])) if line else 0
    return Named(mark.number, mark.text, mark.text[: len(mark.text) - rest])
