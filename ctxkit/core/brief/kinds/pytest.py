"""Output of pytest: its verdict, every failing test with its lines, messages, places, and what else there is."""

import re
from collections.abc import Sequence
from functools import partial

from ctxkit.core.brief.depth import deepest, size
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.failures import Detail, Failure, failures, ranked
from ctxkit.core.brief.outline import Outline, Section
from ctxkit.core.brief.sections import loose, sections
from ctxkit.core.brief.sessions import (
    START,
    VERDICT,
    Run,
    clean,
    marks,
    run_of,
)

NAME = "pytest"
TYPES: Sequence[str] = ()
DEEP = 1 << 20
"""Bytes from the beginning in which a session is looked for, past what CI services print first."""
OWN = re.compile(r"=+ (?:FAILURES|ERRORS|short test summary info|test session starts.*) =+")
PROGRESS = re.compile(r"(?:\S+\.py )?[.FEsxXR]+ *(?:\[ *\d+%\])?|.*\[100%\]|(?:FAILED|ERROR) \S+::.*")
FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
END = 10
"""Lines of the end of a log without a verdict that are quoted."""
NAMES = 300
"""Characters of a name or a verdict that are quoted."""


def sniff(document: Document) -> float:
    """Claim text with headings or a closing line of pytest that stand outside of any fence."""
    text = _begun(document)
    found = re.search(rf"^.*= {START}", text, re.MULTILINE)
    if found and len(FENCE.findall(text[: found.start()])) % 2:
        return 0.0
    rows = [clean(row) for row in [*text.split("\n"), *document.tail.split("\n")]]
    owned = any(OWN.fullmatch(row) for row in rows)
    closing = any(VERDICT.fullmatch(row) for row in rows[-60:])
    if owned:
        return 0.95
    if any(VERDICT.fullmatch(row) and row[0] == "=" for row in rows):
        return 0.9
    return 0.8 if closing and any(PROGRESS.fullmatch(row) for row in rows if row) else 0.0


def _begun(document: Document) -> str:
    """Return the head, or what stands where a session begins further down."""
    if START in document.head:
        return document.head
    data = document.read(0, DEEP)
    at = data.find(f"= {START}".encode())
    return data[: at + 2_000].decode("utf-8", "replace") if at >= 0 else document.head


def outline(document: Document) -> Sequence[Outline] | None:
    """Return verdict, failing tests and messages, as much of the rest as there is room for."""
    found = marks(document.lines)
    run = run_of(found, document.lines.total) if found else Run()
    if not (run.sections or run.verdicts or run.named or run.outcomes or run.notes):
        return None
    broken, named = failures(run.blocks, run.named, document.lines, document.target // 8)
    report = Report(document, run, broken, [(mark.number, mark.text) for mark in named])
    return report.outlines()


class Report:
    """Lay out what a log of pytest says, for as much room as there is."""

    def __init__(self, document: Document, run: Run, broken: list[Failure], named: list[tuple[int, str]]) -> None:
        self._document = document
        self._run = run
        self._broken = broken
        self._named = named + self._unnamed()
        self._top = tuple(self._first())
        self._rest = list(sections(run, document.lines))
        self._end = tuple(self._last())
        details = [(d.rank, d.step, at, d) for at, failure in enumerate(broken) for d in failure.details]
        details += [(rank, step, -1, Detail(rank, step, entry)) for rank, step, entry in loose(run, document.lines)]
        details += [(rank, step, -1, Detail(rank, step, entry)) for part in self._rest for rank, step, entry in part.more]
        self._details = [detail for *_, detail in sorted(details, key=lambda item: item[:3])]

    def outlines(self) -> list[Outline]:
        """Return this report, the fullest form that fits first and the names alone last."""
        room = self._document.target * 2 // 3
        for form in ("node", "title"):
            if size(self._outline(form, 0), self._document) <= room:
                break
        else:
            form = "dense"
        build = partial(self._outline, form)
        most = deepest(build, len(self._details), self._document)
        fewer = dict.fromkeys((most, most * 9 // 10, most * 3 // 4, most // 2, most // 4, 0))
        return [*map(build, fewer), self._outline("title" if form == "node" else "dense", 0)]

    def _outline(self, form: str, many: int) -> Outline:
        told = {id(detail) for detail in self._details[:many]}
        parts = [Section("", self._top, noun="lines"), *self._failures(form, told)]
        lines = [ranked(detail) for detail in self._details[:many] if id(detail) in self._loose]
        parts.append(Section("Failures, a line each", tuple(lines), noun="lines"))
        rest = tuple(part.entry(told) for part in self._rest)
        parts += [Section("What else is where", rest, noun="parts"), Section("", self._end, noun="lines", bare=True)]
        blocks = self._broken
        example = (blocks[0].start, min(blocks[0].end, blocks[0].start + 119)) if blocks else None
        return Outline(NAME, tuple(part for part in parts if part.entries), example=example)
