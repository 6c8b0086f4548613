"""The skeleton of a log of tests: what the marks of one runner say, for any runner with a table of its marks."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ctxkit.core.brief.runs.failures import Failure, Reading
from ctxkit.core.brief.runs.signposts import CI, Mark
from ctxkit.core.lines import Lines

MOST = 20_000
"""Failing tests that are kept of one log."""
KEPT = 400
"""Verdicts and notes that are kept of each kind, the first and the last of them."""
ESCAPES = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
DRAWN = re.compile(r"(?<![^\n])[^\n]*\r(?=[^\n])")
STAMPS = re.compile(rf"^{CI.pattern}", re.MULTILINE)
"""The time that a CI service puts before every line."""


@dataclass(frozen=True, slots=True)
class Format:
    """Describe the output of a runner.

    ``mark`` matches, from the newline before it, each line that may structure the log; ``sort`` says what it
    is (empty for nothing) and what it names: *group* begins the tests of a file, *title* the block of a failing
    test, *more* a block inside of it, *verdict* and *note* are quoted, *named* names a failing test, *on* and
    *off* begin sections of failures and of others, and are quoted if they name something; *end* ends a block.
    ``strict``: titles count only below an *on*, and *sure* ones anywhere. ``outcomes`` are words on lines that
    ``sort`` has to see too. With ``shared``, titles on neighbouring lines have one block together.
    """

    name: str
    mark: "re.Pattern[str]"
    sort: Callable[[str], tuple[str, str]]
    reading: Reading
    strict: bool = False
    shared: bool = False
    outcomes: Sequence[str] = ()


@dataclass(slots=True)
class Trials:
    """Hold what a log says of its tests, in order; ``left`` counts failing tests past those that are kept."""

    total: int
    verdicts: list[Mark] = field(default_factory=list)
    notes: list[Mark] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    named: list[Mark] = field(default_factory=list)
    left: int = 0
    last: int = 0

    @property
    def empty(self) -> bool:
        """Tell whether nothing was found at all."""
        return not (self.verdicts or self.failures or self.named or self.notes)


def legible(block: str) -> str:
    """Return a block as it was meant to be seen: no colours, the last drawing of each line, no times of a CI service.

    Lines stay where they are.
    """
    if "\r" in block:
        block = block.replace("\r\n", "\n").removesuffix("\r")
        block = DRAWN.sub("", block) if "\r" in block else block
    if "\x1b" in block:
        block = ESCAPES.sub("", block)
        block = DRAWN.sub("", block) if "\r" in block else block
    if CI.match(block):
        block = STAMPS.sub("", block)
    return block


def marks(lines: Lines, form: Format) -> Iterator[Mark]:
    """Yield every line that structures a log, with what it is and what it names; of ends in a row, the first."""
    number, before = 1, ""
    for raw in lines.blocks():
        block = "\n" + legible(raw)
        position = 1
        for start, text in _found(block, form):
            kind, said = form.sort(text)
            if kind and not kind == before == "end":
                before = kind
                number += block.count("\n", position, start)
                position = start
                yield Mark(number, kind, said)
        number += block.count("\n", position) + 1


def _found(block: str, form: Format) -> Sequence[tuple[int, str]]:
    found = [(match.start() + 1, match[0][1:].rstrip()) for match in form.mark.finditer(block)]
    words = [word for word in form.outcomes if word in block]
    return sorted({*found, *(row for word in words for row in _rows(block, word))}) if words else found


def _rows(block: str, word: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that hold a word."""
    at = block.find(word)
    while at >= 0:
        start, stop = block.rfind("\n", 0, at) + 1, block.find("\n", at)
        stop = len(block) if stop < 0 else stop
        yield start, block[start:stop].rstrip()
        at = block.find(word, stop)


class Survey:
    """Put marks where they belong, one after another."""

    def __init__(self, form: Format, total: int) -> None:
        self.trials = Trials(total)
        self._form = form
        self._open: list[Failure] = []
        self._group = ""
        self._on = not form.strict

    def take(self, mark: Mark) -> None:
        """Take the next mark."""
        kind = mark.kind
        if kind == "more" and self._open:
            return
        if kind == "sure" or (kind == "title" and self._on):
            self._title(mark)
            return
        if kind in ("named", "note") and self._open and not self._on:
            self._end(mark.number - 1)
        if kind in ("verdict", "end", "group", "on", "off"):
            self._end(mark.number - 1)
        if kind == "group":
            self._group = mark.text
        elif kind in ("on", "off"):
            self._on = kind == "on" or not self._form.strict
            if mark.text:
                _keep(self.trials.verdicts, mark)
        elif kind == "verdict":
            _keep(self.trials.verdicts, mark)
        elif kind == "note":
            _keep(self.trials.notes, mark)
        elif kind == "named" and len(self.trials.named) < MOST:
            self.trials.named.append(mark)

    def _title(self, mark: Mark) -> None:
        shared = self._form.shared and self._open and self._open[-1].start == mark.number - 1
        if not shared:
            self._end(mark.number - 1)
        if len(self.trials.failures) >= MOST:
            self.trials.left += 1
            self.trials.last = mark.number
            return
        failure = Failure(mark.text, mark.number, mark.number, self._group)
        self._open.append(failure)
        self.trials.failures.append(failure)

    def _end(self, number: int) -> None:
        for failure in self._open:
            failure.end = max(failure.start, number)
        self._open.clear()

    def close(self) -> Trials:
        """Return what was found, the last block ending with the log."""
        self._end(self.trials.total)
        return self.trials


def _keep(kept: list[Mark], mark: Mark) -> None:
    kept.append(mark)
    if len(kept) > KEPT:
        del kept[KEPT // 2]


def survey(lines: Lines, form: Format) -> Trials:
    """Return what a log says of its tests, read once from its beginning to its end."""
    found = Survey(form, lines.total)
    for mark in marks(lines, form):
        found.take(mark)
    return found.close()
