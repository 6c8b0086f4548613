"""What a run of compilers and linters comes to: findings by code and by file, closing lines, steps, the rest."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ctxkit.core.brief.builds.compilations import Event
from ctxkit.core.brief.builds.findings import ERROR, QUOTED, Finding
from ctxkit.core.brief.signs import means_trouble

REACH = 120
"""Lines that a reader is sent to at once."""
GROUPS = 2_000
"""Codes that are told apart; later ones count as one."""
CHUNKS = 20_000
"""Ranges that are kept apart; later ones join the last."""
PATHS = 400
"""Files that are named in one range."""
KEPT = 1_000
"""Findings whose lines are kept to be quoted."""
WIDEST = 600
"""Characters of a line that are kept."""
PARTS = ("rror", "ail", "atal", "xcept", "ERR", "FAIL", "FATAL", "EXCEPT", "anic", "bort", "raceback", "ritical")
"""What is in every word of trouble, however it begins."""
FORMS = 60
"""Closing lines that are told apart by their words."""


@dataclass(slots=True)
class Group:
    """Count the findings of one code, or of one message where there is none, with the first of them."""

    severity: str
    code: str
    form: str
    first: Finding
    count: int = 1


@dataclass(slots=True)
class Chunk:
    """Hold lines ``start`` to ``end`` with the findings in them, by file and by code."""

    start: int
    end: int
    paths: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    errors: int = 0

    def add(self, found: Finding) -> None:
        """Count one more finding."""
        # of a finding longer than one look, such as one that quotes a whole file, the beginning is pointed at
        self.start = min(self.start, found.start)
        self.end = max(self.end, min(found.end, max(found.number, found.start + REACH - 1)))
        if found.path in self.paths or len(self.paths) < PATHS:
            self.paths[found.path] += 1
        if found.code in self.codes or len(self.codes) < PATHS:
            self.codes[found.code] += 1
        self.errors += found.severity == ERROR

    def takes(self, found: Finding) -> bool:
        """Tell whether a finding is near enough for one look."""
        return min(found.end, found.start + REACH - 1) - self.start < REACH


@dataclass(slots=True)
class Stretch:
    """Name lines that hold no finding, or those of a step; ``rows`` are worth a quotation."""

    title: str
    start: int
    end: int
    lines: int = 1
    rows: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Closing:
    """Count closing lines of the same words: the first and the last of them."""

    first: Event
    last: Event
    count: int = 1


class Tally:
    """Take findings and events in order and keep what a map may say of them, in bounded memory."""

    def __init__(self) -> None:
        self.groups: dict[tuple[str, str], Group] = {}
        self.files: dict[str, list[Chunk]] = {}
        self.windows: list[Chunk] = []
        self.kept: list[Finding] = []
        self.closings: dict[str, Closing] = {}
        self.steps: list[Stretch] = []
        self.others: list[Stretch] = []
        self.errors = 0
        self.warnings = 0
        self.first: Finding | None = None
        self._chunks = 0
        self._open: Stretch | None = None

    def take(self, found: Finding | Event) -> None:
        """Count what was read next."""
        if isinstance(found, Finding):
            self._open = None
            self._finding(found)
            return
        if self.steps and found.what != "step":
            self.steps[-1].end = found.number
        if found.what == "step":
            self._open = None
            self._step(found)
        elif found.what == "closing":
            self._closing(found)
            self._other(found)
            if found.text.startswith("Plan: ") and self.steps:
                self._step(Event("step", found.number, "the plan's last line and what follows it"))
        else:
            self._other(found)

    def skip(self, number: int, rows: Sequence[str]) -> None:
        """Count lines that belong to nothing, the first of them line ``number``."""
        if self.steps:
            self.steps[-1].end = number + len(rows) - 1
        at = 0
        while at < len(rows):
            stretch = self._stretch(number + at)
            room = stretch.start + REACH - number - at if len(self.others) < CHUNKS else len(rows)
            part = rows[at : at + room]
            stretch.end, stretch.lines = number + at + len(part) - 1, stretch.lines + len(part)
            if len(stretch.rows) < 3:
                _remember(stretch, number + at, part)
            at += len(part)

    def _finding(self, found: Finding) -> None:
        found.text = found.text[:WIDEST]
        if found.severity == ERROR:
            self.errors += 1
            self.first = self.first or found
        else:
            self.warnings += 1
        self._group(found)
        if self.steps:
            self.steps[-1].end = max(self.steps[-1].end, found.end)
        if len(self.kept) < KEPT:
            self.kept.append(found)
        if not (self.windows and (self.windows[-1].takes(found) or len(self.windows) >= CHUNKS)):
            self.windows.append(Chunk(found.start, found.start))
        self.windows[-1].add(found)
        self._file(found)

    def _group(self, found: Finding) -> None:
        key = (found.severity, found.code or found.form)
        group = self.groups.get(key)
        if group is None and len(self.groups) >= GROUPS:
            key = (found.severity, "\0")
            group = self.groups.get(key)
        if group is None:
            rest = key[1] == "\0"
            self.groups[key] = Group(
                found.severity, "" if rest else found.code, "others" if rest else found.form, found
            )
        else:
            group.count += 1

    def _file(self, found: Finding) -> None:
        path = found.path if found.path in self.files or len(self.files) < CHUNKS else ""
        chunks = self.files.setdefault(path, [])
        if not (chunks and (chunks[-1].takes(found) or self._chunks >= CHUNKS)):
            chunks.append(Chunk(found.start, found.start))
            self._chunks += 1
        chunks[-1].add(found)

    def _closing(self, event: Event) -> None:
        form = QUOTED.sub("\u2026", event.text[:200])
        form = form if form in self.closings or len(self.closings) < FORMS else "\0"
        kept = self.closings.get(form)
        event.text = event.text[:WIDEST]
        if kept is None:
            self.closings[form] = Closing(event, event)
        else:
            kept.last, kept.count = event, kept.count + 1

    def _step(self, event: Event) -> None:
        if len(self.steps) < CHUNKS:
            self.steps.append(Stretch(event.text[:200], event.number, event.number))
        else:
            self.steps[-1].end = event.number

    def _stretch(self, number: int) -> Stretch:
        """Return the stretch that a line without a finding is of, a new one where the last is long enough."""
        stretch = self._open
        if stretch is None or (len(self.others) < CHUNKS and number - stretch.start >= REACH):
            stretch = self._open = Stretch("", number, number, 0)
            if len(self.others) < CHUNKS:
                self.others.append(stretch)
        return stretch

    def _other(self, event: Event) -> None:
        """Count a line that belongs to no finding; neighbours make a stretch."""
        stretch = self._stretch(event.number)
        stretch.end, stretch.lines = event.number, stretch.lines + 1
        if event.what == "other" and len(stretch.rows) < 3 and (not stretch.rows or _troubled(event.text)):
            stretch.rows.append((event.number, event.text[:WIDEST]))


def _remember(stretch: Stretch, number: int, rows: Sequence[str]) -> None:
    """Keep the first line of a stretch and the first ones that mean trouble, 3 in all."""
    text = "\n".join(rows)
    if stretch.rows and not any(part in text for part in PARTS):
        return
    for here, row in enumerate(rows, number):
        if len(stretch.rows) < 3 and (not stretch.rows or _troubled(row)):
            stretch.rows.append((here, row[:WIDEST]))


def _troubled(text: str) -> bool:
    """Tell whether a line means trouble; most lines hold no part of its words, and that is quick to see."""
    for part in PARTS:
        if part in text:
            return means_trouble(text[:WIDEST])
    return False
