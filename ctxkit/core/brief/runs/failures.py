"""What a log of tests says of one failure: its name, its lines, its message, where it happened."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ctxkit.core.brief.outline import Entry, shown
from ctxkit.core.brief.runs.signposts import clean
from ctxkit.core.lines import Lines

READ = 2_000
"""Lines of a block that are read, its last before captured output: where the message stands."""
WHOLE = 60
"""Lines of a block that are told when there is room for everything."""
FIRST, VARIANT, FRAME, NEAR, SAME, FAR, REST = range(2, 9)
"""Ranks: messages, those that differ in numbers only, places, what explains them, and what remains."""
NEAREST = 6
"""Lines that explain a message and enter before the rest of it."""
LONG = 120
"""Lines of a block past which the map names the part of it that holds the message."""
NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
Numbered = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Detail:
    """Say something more about a failure; details enter by rank, then by step, failure by failure."""

    rank: int
    step: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Part:
    """Name lines ``start`` to ``end`` of a block, such as output that was captured."""

    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """Know how the blocks of one runner are read.

    ``message`` returns the lines of the message, the most telling one first; ``place`` the path on a line
    that says where something happened, empty on others; ``foreign`` matches paths that are not the
    project's; ``claim`` tells where a message of many lines comes to its point. Lines of source that
    are at fault begin with ``source``.
    """

    message: Callable[[Sequence[Numbered]], list[Numbered]]
    place: Callable[[str], str]
    foreign: Callable[[str], object]
    claim: Callable[[str], object] = str.isspace
    source: str = ">"


@dataclass(slots=True)
class Failure:
    """Hold one failing test: ``name`` in full, ``short`` below its ``group`` (a file, a class), its lines.

    ``message`` is the number of the line where the message begins, 0 for none; ``like`` that of an
    earlier failure whose message differs in numbers only, ``same`` tells that it does not even in these.
    ``again`` are the first lines of further blocks of the same test. ``error`` marks what failed outside of a test.
    """

    name: str
    start: int
    end: int
    group: str = ""
    short: str = ""
    error: bool = False
    message: int = 0
    like: int = 0
    same: bool = False
    again: list[int] = field(default_factory=list)
    details: list[Detail] = field(default_factory=list)


class Reader:
    """Read blocks one after another, and know which messages were there before."""

    def __init__(self, lines: Lines, reading: Reading) -> None:
        self._lines = lines
        self._reading = reading
        self._seen: dict[str, tuple[str, int]] = {}

    def read(self, failure: Failure, parts: Sequence[Part] = (), *, begin: int = 0) -> None:
        """Fill in what a block says, from line ``begin`` (after its first by default) to its parts or its end."""
        end = parts[0].start - 1 if parts else failure.end
        rows = self._lines.numbered(max(begin or failure.start + 1, end - READ + 1), end)
        body = [(number, clean(text)) for number, text in rows]
        self.take(failure, [row for row in body if row[1].strip()], parts)

    def take(self, failure: Failure, body: Sequence[Numbered], parts: Sequence[Part] = ()) -> None:
        """Fill in what the lines of a block that are not blank say."""
        say = failure.details
        message = self._reading.message(body)
        if message:
            failure.message = message[0][0]
            say.append(Detail(self._weigh(failure, message[0][1]), 0, quoted(message[0])))
        taken = {number for number, _ in message}
        own = self._own(body, taken)
        if own:
            say.append(Detail(FRAME, 0, quoted(own[-1])))
        near = self._near(body, message, own)
        say += [Detail(NEAR, step, quoted(row)) for step, row in enumerate(near)]
        far = [row for row in message[1:WHOLE] if row not in near]
        say += [Detail(FAR, step, quoted(row)) for step, row in enumerate(far)]
        say += [Detail(SAME, step, Entry(part.title, part.start, part.end)) for step, part in enumerate(parts)]
        taken.update(number for number, _ in [*near, *own[-1:]])
        rest = [row for row in body if row[0] not in taken and row[1] != "E"]
        say += [Detail(REST, step, quoted(row)) for step, row in enumerate(reversed(rest[-WHOLE:]))]

    def _own(self, body: Sequence[Numbered], taken: set[int]) -> list[Numbered]:
        """Return the places on the way to the failure, those of the project's own code where there are any."""
        place = self._reading.place
        places = [row for row in body if row[0] not in taken and place(row[1])]
        return [row for row in places if not self._reading.foreign(place(row[1]))] or places

    def _near(self, body: Sequence[Numbered], message: Sequence[Numbered], own: Sequence[Numbered]) -> list[Numbered]:
        """Return what explains a message best: the line of source, what it says next, where it began."""
        taken = {number for number, _ in message}
        source = [row for row in body if row[1].lstrip().startswith(self._reading.source) and row[0] not in taken][-1:]
        points = [row for row in message[3:] if self._reading.claim(row[1])]
        near = [*source, *message[1:3], *points, *own[:1]]
        return [row for row in dict.fromkeys(near) if row not in own[-1:] and row not in message[:1]][:NEAREST]

    def _weigh(self, failure: Failure, text: str) -> int:
        """Return how early a message enters: one that says nothing new comes later."""
        masked = NUMBERS.sub("0", text.strip())
        if masked not in self._seen:
            self._seen[masked] = (text, failure.message)
            return FIRST
        first, failure.like = self._seen[masked]
        failure.same = text == first
        return SAME if failure.same else VARIANT


def quoted(row: Numbered) -> Entry:
    """Quote a line with the blanks it begins with."""
    number, text = row
    return Entry(text if len(text) <= 240 else shown(text, 240), number, number, verbatim=True)


def ranked(detail: Detail) -> Entry:
    """Return the entry of a detail, with its rank."""
    return replace(detail.entry, rank=detail.rank)


def once(failures: Sequence[Failure]) -> list[Failure]:
    """Return every failure once: of blocks with one name, the longest, which knows where the others begin."""
    kept: dict[tuple[str, str], Failure] = {}
    for failure in failures:
        key = failure.group, failure.name
        first = kept.get(key)
        if first is None:
            kept[key] = failure
        elif failure.end - failure.start > first.end - first.start:
            failure.again = [*first.again, first.start]
            kept[key] = failure
        else:
            first.again.append(failure.start)
    return sorted(kept.values(), key=lambda failure: failure.start)
