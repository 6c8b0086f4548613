"""What a log of tests says of one failure: its name, its lines, its message, where it happened."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ctxkit.core.brief.outline import Entry, clean_line
from ctxkit.core.brief.runs.pytest_markers import strip_decorations
from ctxkit.core.text.lines import IndexedLines

MAX_READ_LINES = 2_000
"""Lines of a block that are read, its last before captured output: where the message stands."""
MAX_DETAIL_LINES = 60
"""Lines of a block that are told when there is room for everything."""
FIRST, VARIANT, FRAME, NEAR, SAME, FAR, REST = range(2, 9)
"""Ranks: messages, those that differ in numbers only, places, what explains them, and what remains."""
MAX_EXPLANATION_LINES = 6
"""Lines that explain a message and enter before the rest of it."""
LONG_BLOCK = 120
"""Lines of a block past which the map names the part of it that holds the message."""
NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
NumberedLine = tuple[int, str]


@dataclass(frozen=True, slots=True)
class FailureDetail:
    """Say something more about a failure; details enter by rank, then by step, failure by failure."""

    rank: int
    step: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class FailurePart:
    """Name lines ``start`` to ``end`` of a block, such as output that was captured."""

    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FailureReading:
    """Know how the blocks of one runner are read.

    ``find_message`` returns the lines of the message, the most telling one first; ``find_path`` the path on a line
    that says where something happened, empty on others; ``match_foreign`` matches paths that are not the
    project's; ``match_key_line`` tells where a message of many lines comes to its point. Lines of source that
    are at fault begin with ``source_mark``.
    """

    find_message: Callable[[Sequence[NumberedLine]], list[NumberedLine]]
    find_path: Callable[[str], str]
    match_foreign: Callable[[str], object]
    match_key_line: Callable[[str], object] = str.isspace
    source_mark: str = ">"


@dataclass(slots=True)
class FailedTest:
    """Hold one failing test: ``name`` in full, ``short_name`` below its ``group`` (a file, a class), its lines.

    ``message`` is the number of the line where the message begins, 0 for none; ``similar_line`` that of an
    earlier failure whose message differs in numbers only, ``is_identical`` tells that it does not even in these.
    ``repeat_lines`` are the first lines of further blocks of the same test. ``is_error`` marks what failed outside of a
    test.
    """

    name: str
    start: int
    end: int
    group: str = ""
    short_name: str = ""
    is_error: bool = False
    message: int = 0
    similar_line: int = 0
    is_identical: bool = False
    repeat_lines: list[int] = field(default_factory=list)
    details: list[FailureDetail] = field(default_factory=list)


class FailureReader:
    """Read blocks one after another, and know which messages were there before."""

    def __init__(self, lines: IndexedLines, reading: FailureReading) -> None:
        self._lines = lines
        self._reading = reading
        self._seen: dict[str, tuple[str, int]] = {}

    def read(self, failure: FailedTest, parts: Sequence[FailurePart] = (), *, begin: int = 0) -> None:
        """Fill in what a block says, from line ``begin`` (after its first by default) to its parts or its end."""
        end = parts[0].start - 1 if parts else failure.end
        rows = self._lines.enumerate_lines(max(begin or failure.start + 1, end - MAX_READ_LINES + 1), end)
        body = [(number, strip_decorations(text)) for number, text in rows]
        self.read_body(failure, [row for row in body if row[1].strip()], parts)

    def read_body(self, failure: FailedTest, body: Sequence[NumberedLine], parts: Sequence[FailurePart] = ()) -> None:
        """Fill in what the lines of a block that are not blank say."""
        details = failure.details
        message = self._reading.find_message(body)
        if message:
            failure.message = message[0][0]
            details.append(FailureDetail(self._rank_message(failure, message[0][1]), 0, quote_row(message[0])))
        taken = {number for number, _ in message}
        own = self._find_own_places(body, taken)
        if own:
            details.append(FailureDetail(FRAME, 0, quote_row(own[-1])))
        near = self._find_explanation(body, message, own)
        details += [FailureDetail(NEAR, step, quote_row(row)) for step, row in enumerate(near)]
        far = [row for row in message[1:MAX_DETAIL_LINES] if row not in near]
        details += [FailureDetail(FAR, step, quote_row(row)) for step, row in enumerate(far)]
        details += [
            FailureDetail(SAME, step, Entry(part.title, part.start, part.end)) for step, part in enumerate(parts)
        ]
        taken.update(number for number, _ in [*near, *own[-1:]])
        rest = [row for row in body if row[0] not in taken and row[1] != "E"]
        details += [
            FailureDetail(REST, step, quote_row(row)) for step, row in enumerate(reversed(rest[-MAX_DETAIL_LINES:]))
        ]

    def _find_own_places(self, body: Sequence[NumberedLine], taken: set[int]) -> list[NumberedLine]:
        """Return the places on the way to the failure, those of the project's own code where there are any."""
        place = self._reading.find_path
        places = [row for row in body if row[0] not in taken and place(row[1])]
        return [row for row in places if not self._reading.match_foreign(place(row[1]))] or places

    def _find_explanation(
        self, body: Sequence[NumberedLine], message: Sequence[NumberedLine], own: Sequence[NumberedLine]
    ) -> list[NumberedLine]:
        """Return what explains a message best: the line of source, what it says next, where it began."""
        taken = {number for number, _ in message}
        source = [row for row in body if row[1].lstrip().startswith(self._reading.source_mark) and row[0] not in taken][
            -1:
        ]
        points = [row for row in message[3:] if self._reading.match_key_line(row[1])]
        near = [*source, *message[1:3], *points, *own[:1]]
        return [row for row in dict.fromkeys(near) if row not in own[-1:] and row not in message[:1]][
            :MAX_EXPLANATION_LINES
        ]

    def _rank_message(self, failure: FailedTest, text: str) -> int:
        """Return how early a message enters: one that says nothing new comes later."""
        masked = NUMBERS.sub("0", text.strip())
        if masked not in self._seen:
            self._seen[masked] = (text, failure.message)
            return FIRST
        first, failure.similar_line = self._seen[masked]
        failure.is_identical = text == first
        return SAME if failure.is_identical else VARIANT


def quote_row(row: NumberedLine) -> Entry:
    """Quote a line with the blanks it begins with."""
    number, text = row
    return Entry(text if len(text) <= 240 else clean_line(text, 240), number, number, verbatim=True)


def rank_entry(detail: FailureDetail) -> Entry:
    """Return the entry of a detail, with its rank."""
    return replace(detail.entry, rank=detail.rank)


def merge_repeated(failures: Sequence[FailedTest]) -> list[FailedTest]:
    """Return every failure once: of blocks with one name, the longest, which knows where the others begin."""
    kept: dict[tuple[str, str], FailedTest] = {}
    for failure in failures:
        key = failure.group, failure.name
        first = kept.get(key)
        if first is None:
            kept[key] = failure
        elif failure.end - failure.start > first.end - first.start:
            failure.repeat_lines = [*first.repeat_lines, first.start]
            kept[key] = failure
        else:
            first.repeat_lines.append(failure.start)
    return sorted(kept.values(), key=lambda failure: failure.start)
