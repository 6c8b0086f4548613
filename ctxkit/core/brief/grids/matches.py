"""The lines of search results: which file each is of, and which line of that file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ctxkit.core.brief.grids.grid import REACH
from ctxkit.core.brief.outline import plain
from ctxkit.core.lines import Lines

FILES = 20_000
"""Files that are told apart; more are counted together."""
PARTS = 60_000
"""Parts of files, of as many lines as are read in one go, that are told apart."""
QUOTED = 6
"""Matches of a file that are kept as they stand."""
MATCH = re.compile(r"((?:[A-Za-z]:|[\w.@~^{}/-]{1,200}:(?=[^\s:\d]))??[^:\n\0]{1,400}?)[:\0](\d+):(?:\d+:)?")
"""A line that begins with a path and a number; git grep puts the name of a revision and a colon before the path."""
NAMELESS = re.compile(r"(\d+)([:-])")
UNNUMBERED = re.compile(r"((?:[A-Za-z]:)?[^:\n\0]{1,400}):")
JSON = re.compile(r'\{"type":"(match|context)","data":\{"path":\{"text":"((?:[^"\\]|\\.)*)"\}.*?"line_number":(\d+)')
"""A line of ripgrep's --json about a line of a file."""
CONTEXT = re.compile(r"(.{1,400}?)-(\d+)-")


@dataclass(slots=True)
class Part:
    """Place some matches of one file: lines ``start`` to ``end`` here, ``first`` to ``last`` in the file."""

    start: int
    end: int
    first: int
    last: int
    matches: int


@dataclass(slots=True)
class Matched:
    """Hold what was found in one file: where here, how often, and in which lines of it."""

    path: str
    start: int
    end: int
    matches: int = 0
    samples: list[tuple[int, str]] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


class Results:
    """Go through search results once; ``form`` says how a line names its file.

    ``path`` before every line, ``heading`` on a line of its own, ``single`` not at all, ``bare`` without a number,
    ``json`` in an object.
    """

    def __init__(self, form: str) -> None:
        self.form = form
        self.files: list[Matched] = []
        self.more = Matched("", 0, 0)
        self.beyond = 0
        self.others: list[tuple[int, str]] = []
        self.unknown = 0
        self.separators = 0
        self.parts = 0
        self._file: Matched | None = None
        self._prefix = self._context = "\0"
        self._waiting: list[tuple[int, str]] = []
        self._known: dict[str, Matched] = {}

    @property
    def matches(self) -> int:
        """Return the lines that match."""
        return sum(file.matches for file in self.files) + self.more.matches

    def read(self, lines: Lines) -> "Results":
        """Take all lines of a document."""
        take = {"path": self._pathed, "heading": self._headed}
        take |= {"single": self._single, "bare": self._bare, "json": self._json}
        number = 1
        for block in lines.blocks():
            if "\x1b" in block:
                block = "\n".join(map(plain, block.split("\n")))
            rows = block.replace("\r", "").split("\n")
            take[self.form](rows, number)
            number += len(rows)
        self._settle("")
        return self

    def _open(self, path: str, number: int) -> Matched:
        """Return the file that a line is of, made where it is new."""
        if path in self._known:
            self._file = self._known[path]
        elif len(self.files) < FILES:
            self._file = self._known[path] = Matched(path, number, number)
            self.files.append(self._file)
        else:
            if self.more.path != path:
                self.beyond += 1
            self.more.path, self.more.start = path, self.more.start or number
            self._file = self.more
        return self._file

    def _add(self, file: Matched, number: int, line: str, place: int, *, match: bool) -> None:
        """Count a line of a file, the ``place``-th there."""
        file.end = max(file.end, number)
        if match:
            file.matches += 1
            if len(file.samples) < QUOTED:
                file.samples.append((number, line[:400]))
        part = file.parts[-1] if file.parts else None
        if part is None or number - part.start >= REACH:
            if self.parts >= PARTS:
                return
            self.parts += 1
            part = Part(number, number, place, place, 0)
            file.parts.append(part)
        part.end, part.matches = number, part.matches + match
        if place:
            part.first, part.last = min(part.first or place, place), max(part.last, place)

    def _pathed(self, rows: Sequence[str], number: int) -> None:
        for here, line in enumerate(rows, number):
            file = self._file
            if file is not None and line.startswith(self._prefix):
                digits = line[len(self._prefix) :].partition(":")[0]
                if digits.isdecimal():
                    self._add(file, here, line, int(digits), match=True)
                    continue
            elif file is not None and line.startswith(self._context):
                digits = line[len(self._context) :].partition("-")[0]
                if digits.isdecimal():
                    self._add(file, here, line, int(digits), match=False)
                    continue
            if line == "--":
                self.separators += 1
            else:
                self._other(here, line)

    def _other(self, number: int, line: str) -> None:
        """Take a line that is not of the open file: the first of another one, context before it, or neither."""
        found = MATCH.match(line)
        if found is None:
            if CONTEXT.match(line) and len(self._waiting) < 1_000:
                self._waiting.append((number, line))
            else:
                self._lost(number, line)
            return
        path = found[1]
        self._settle(path)
        file = self._open(path, self._waiting[0][0] if self._waiting else number)
        for place, text in self._waiting:
            digits = text[len(path) + 1 :].partition("-")[0]
            self._add(file, place, text, int(digits) if digits.isdecimal() else 0, match=False)
        self._waiting = []
        self._prefix, self._context = f"{path}{line[len(path)]}", f"{path}-"
        self._add(file, number, line, int(found[2]), match=True)

    def _settle(self, path: str) -> None:
        """Give up on context that is not of ``path``."""
        mine = [(n, text) for n, text in self._waiting if path and text.startswith(f"{path}-")]
        for row in self._waiting:
            if row not in mine:
                self._lost(*row)
        self._waiting = mine

    def _lost(self, number: int, line: str) -> None:
        if not line.strip():
            return
        self.unknown += 1
        if len(self.others) < 40:
            self.others.append((number, line))

    def _headed(self, rows: Sequence[str], number: int) -> None:
        for here, line in enumerate(rows, number):
            found = NAMELESS.match(line)
            if found and self._file is not None:
                self._add(self._file, here, line, int(found[1]), match=found[2] == ":")
            elif line == "--":
                self.separators += 1
            elif line.strip():
                self._open(line.strip(), here)

    def _single(self, rows: Sequence[str], number: int) -> None:
        file = self._file or self._open("the file searched", number)
        for here, line in enumerate(rows, number):
            found = NAMELESS.match(line)
            if found:
                self._add(file, here, line, int(found[1]), match=found[2] == ":")
            elif line == "--":
                self.separators += 1
            else:
                self._lost(here, line)

    def _bare(self, rows: Sequence[str], number: int) -> None:
        for here, line in enumerate(rows, number):
            if self._file is not None and line.startswith(self._prefix):
                self._add(self._file, here, line, 0, match=True)
                continue
            found = UNNUMBERED.match(line)
            if found:
                file = self._open(found[1], here)
                self._prefix = f"{found[1]}:"
                self._add(file, here, line, 0, match=True)
            elif line == "--":
                self.separators += 1
            else:
                self._lost(here, line)

    def _json(self, rows: Sequence[str], number: int) -> None:
        for here, line in enumerate(rows, number):
            found = JSON.match(line)
            if found:
                file = self._file if self._prefix == found[2] else self._open(found[2], here)
                self._prefix = found[2]
                if file is not None:
                    self._add(file, here, line, int(found[3]), match=found[1] == "match")
