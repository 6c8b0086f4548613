"""Output of pytest: its verdict, every failing test with its lines and messages, and what else there is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, groupby

from ctxkit.core.brief.depth import AROUND, deepest, size
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.failures import FIRST, VARIANT, Failure, failures, node_of, nodes, quoted, ranked
from ctxkit.core.brief.outline import Entry, Outline, Section, shown
from ctxkit.core.brief.sessions import START, Run, run_of
from ctxkit.core.brief.signposts import NAMED, OUTCOME, VERDICT, Mark, clean, marks
from ctxkit.core.brief.surroundings import Stretch, surroundings
from ctxkit.core.lines import Lines

NAME = "pytest"
TYPES: Sequence[str] = ()
DEEP = 1 << 20
"""Bytes from the beginning in which a session is looked for, past what CI services print first."""
OWN = re.compile(r"=+ (?:FAILURES|ERRORS|short test summary info|test session starts.*) =+")
PROGRESS = re.compile(r"(?:\S+\.py )?[.FEsxXR]+ *(?:\[ *\d+%\])?|.*\[100%\]|(?:FAILED|ERROR) \S+::.*")
FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
NOTES = 6
"""Notes that are quoted; of more, the first two and the last three."""
END = (3, 10)
"""Lines of the end of a log without a verdict that are quoted: below failures, and with none named."""
FORMS = ("node", "file", "dense")
"""How failing tests are named: each with its path, below it, or many on a line without their ends.

Where not even that fits, they are ``bare``: many on a line, without their paths.
"""
LEAST = 3
"""Messages that enter before the last names, so that it can be seen what went wrong at all."""
WIDTH = 300
"""Characters of a name or a verdict that are quoted."""


def sniff(document: Document) -> float:
    """Claim text with headings or a closing line of pytest that stand outside of any fence."""
    text = _begun(document)
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
    found = marks(document.lines)
    run = run_of(found, document.lines.total) if found else Run()
    if not (run.sections or run.verdicts or run.outcomes or run.notes):
        return None
    broken, left = failures(run.blocks, run.named, document.lines, document.target // 8)
    around = list(surroundings(run, document.lines))
    top = [*_verdicts(run), *_notes(run.notes)]
    named = sorted([*left, *_unnamed(run, broken)], key=lambda mark: mark.number)
    end = [] if run.closed else _end(document.lines, END[not (broken or named)])
    return Report(document, top, broken, named, around, end).outlines()


def _verdicts(run: Run) -> Iterator[Entry]:
    """Yield the closing lines as they stand, or say that the last session has none."""
    yield from (_quote(verdict, 0) for verdict in run.verdicts)
    if not run.closed:
        which = f" after line {run.verdicts[-1].number}" if run.verdicts else ""
        yield Entry(f"no closing summary line in this log{which}")


def _notes(notes: Sequence[Mark]) -> Iterator[Entry]:
    """Yield what pytest says outside of its sections; of a long crash report its beginning and end."""
    if len(notes) <= NOTES:
        yield from (_quote(note, 1) for note in notes)
        return
    yield from (_quote(note, 1) for note in notes[:2])
    yield Entry("lines like the one above", notes[2].number, notes[-4].number, 1)
    yield from (_quote(note, 1) for note in notes[-3:])


def _unnamed(run: Run, broken: Sequence[Failure]) -> Iterator[Mark]:
    """Yield the -v lines of failed tests that neither a block nor the summary names."""
    known = {failure.test.replace("::", ".") for failure in broken}
    for mark in run.named:
        line = NAMED.fullmatch(mark.text)
        known.update(_test(node) for node in nodes(line[2] if line else ""))
    for mark in run.outcomes:
        line = OUTCOME.fullmatch(mark.text)
        if line and _test(line[1] or line[4]) not in known:
            yield mark


def _test(node: str) -> str:
    return node.partition("::")[2].replace("::", ".")


def _quote(mark: Mark, rank: int) -> Entry:
    return Entry(shown(mark.text, WIDTH), mark.number, mark.number, rank, verbatim=True)


def _name(mark: Mark, form: str) -> Entry:
    """Quote a line that names a failing test, no further than the name where room is short."""
    line = NAMED.fullmatch(mark.text)
    if form not in ("dense", "bare") or not line:
        return _quote(mark, 1)
    rest = len(line[2]) - len(node_of(line[2]))
    return _quote(replace(mark, text=mark.text[: len(mark.text) - rest]), 1)


def _end(lines: Lines, most: int) -> list[Entry]:
    """Return the last lines of a log that ends in the middle of things, the very last first."""
    rows = [(number, clean(text)) for number, text in lines.numbered(max(lines.total - 2 * most, 1))]
    while rows and not rows[-1][1]:
        rows.pop()
    last = rows[-most:]
    while last and not last[0][1]:
        last.pop(0)
    ranks = range(len(last) + 1, 1, -1)
    return [replace(quoted(row), rank=rank) for row, rank in zip(last, ranks, strict=True)]


class Report:
    """Lay out what a log of pytest says, for as much room as there is."""

    def __init__(
        self,
        document: Document,
        top: Sequence[Entry],
        broken: Sequence[Failure],
        named: Sequence[Mark],
        around: Sequence[Stretch],
        end: Sequence[Entry],
    ) -> None:
        self._document = document
        self._top = tuple(top)
        self._broken = broken
        self._named = named
        self._around = around
        self._end = tuple(end)
        owners = enumerate(chain((one.details for one in broken), (stretch.details for stretch in around)))
        details = [(d.rank, d.step, at, d) for at, owned in owners for d in owned]
        self._details = [detail for *_, detail in sorted(details, key=lambda item: item[:3])]

    def outlines(self) -> list[Outline]:
        """Return the fullest outline that fits, poorer ones in case it does not, the names alone last."""
        wanted = sum(detail.rank <= VARIANT for detail in self._details)
        depths = {form: self._deepest(form) for form in FORMS}
        form = next((form for form in FORMS if depths[form] >= wanted), "")
        if not form:
            # a poorer form of the names must pay off in messages
            form = "file" if depths["file"] * 5 >= depths["dense"] * 4 > 0 else "dense"
        most = max(depths[form], 0)
        fewer = dict.fromkeys((most, most * 9 // 10, most * 3 // 4, most // 2, most // 4, 0))
        last = self._outline("bare", sum(detail.rank == FIRST for detail in self._details[:LEAST]))
        return [*(self._outline(form, many) for many in fewer), last]

    def _deepest(self, form: str) -> int:
        """Return how many details fit with the names in ``form``, -1 when not even the names do."""
        if size(self._outline(form, 0), self._document) > self._document.target - AROUND:
            return -1
        return deepest(partial(self._outline, form), len(self._details), self._document)

    def _outline(self, form: str, many: int) -> Outline:
        """Return the outline with the names in ``form`` and the first ``many`` details."""
        told = {id(detail) for detail in self._details[:many]}
        around = tuple(stretch.entry(told) for stretch in self._around)
        parts = (
            Section("", self._top, noun="lines"),
            *self._failures(form, told),
            Section("Failing tests without a block", tuple(_name(mark, form) for mark in self._named), noun="failures"),
            Section("What else is where", around, noun="parts"),
            Section("the end", self._end, noun="lines", bare=True),
        )
        example = next(((one.start, min(one.end, one.start + 119)) for one in self._broken), None)
        return Outline(NAME, tuple(part for part in parts if part.entries), example=example)

    def _failures(self, form: str, told: set[int]) -> Iterator[Section]:
        """Yield the failing tests, each with its messages below or, densely, all messages after all names."""
        if form in ("dense", "bare"):
            names = [(one, Entry(one.title, one.start, one.end, 1, dense=True)) for one in self._broken]
            last = self._broken[-1].end if self._broken else 0
            title = f"Failures, each to the line before the next, the last to {last}"
            rows = _by_file(names) if form == "dense" else [entry for _, entry in names]
            yield Section(title, tuple(rows), noun="failures")
            below = [ranked(d) for one in self._broken for d in one.details if id(d) in told]
            if form == "bare":
                below = [replace(entry, rank=0) for entry in below]
            yield Section("Messages", tuple(sorted(below, key=lambda entry: entry.start)), noun="lines")
            return
        shown_at = {one.message for one in self._broken if one.details and id(one.details[0]) in told}
        for title in ("Failures", "Errors"):
            chosen = [one for one in self._broken if one.error == (title == "Errors")]
            entries = [(one, self._failure(one, form, told, shown_at)) for one in chosen]
            below = _by_file(entries) if form == "file" else [entry for _, entry in entries]
            yield Section(title, tuple(below), noun="failures")

    def _failure(self, one: Failure, form: str, told: set[int], shown_at: set[int]) -> Entry:
        """Return a failing test on the lines of its block."""
        name = shown(one.name if form == "node" else one.title, WIDTH)
        if one.like and one.like in shown_at and one.message not in shown_at:
            name += f" (message like line {one.like})"
        below = sorted((ranked(d) for d in one.details if id(d) in told), key=lambda entry: entry.start)
        return Entry(name, one.start, one.end, 1, children=tuple(below))


def _by_file(entries: Sequence[tuple[Failure, Entry]]) -> list[Entry]:
    """Put the entries of failing tests below their files, where that saves more than it costs."""
    files = [(path, list(group)) for path, group in groupby(entries, lambda pair: pair[0].path)]
    if len(files) * 2 > len(entries) or not all(path for path, _ in files):
        return [entry for _, entry in entries]
    below = [(path, tuple(entry for _, entry in group)) for path, group in files]
    return [Entry(path, rows[0].start, rows[-1].end, 1, children=rows) for path, rows in below]
