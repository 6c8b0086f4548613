"""The elements of one long JSON array, read window by window: their shape, and where each begins."""

from array import array
from codecs import getincrementaldecoder
from collections.abc import Sequence
from typing import Any

from ctxkit.core.brief.data.dataset import Parts, outlines
from ctxkit.core.brief.data.literals import step_of
from ctxkit.core.brief.data.oddities import Oddity, oddities
from ctxkit.core.brief.data.shape import Shape
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.measure import plural, size_of
from ctxkit.core.positions import SCAN, Broken, TooDeep, blank, decode, members

WINDOW = 2 << 20
"""Bytes that are read at a time."""
LONGEST = 8 << 20
"""Characters of an element past which the reading ends."""
MOST = 64 << 20
"""Bytes that are read at all."""
BATCH = 4_000
"""Elements whose shape is learned at a time."""
LEVELS = 3
"""Objects that may stand around the array."""
SHARE = 10
"""Of so many parts of the document, an array has to take one to stand for it."""
LONG_LINES = 2_000
"""Bytes of a line, on average, from which on bytes say more than lines."""


class Elements:
    """Read the array that does not end in the first window, at the top or a few objects inside."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.shape = Shape(True)
        self.starts = array("Q")
        self.ends = array("Q")
        self.lines = array("Q")
        self.path = ""
        self.end = ""
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")
        self._text = ""
        self._offset = 0
        self._base = 0
        self._line = 1
        self._counted = 0
        self._values: list[Any] = []

    def read(self) -> bool:
        """Read every element that can be read; tell whether there was an array at all."""
        self._fill()
        at = self._array(blank(self._text, 1 if self._text.startswith("\ufeff") else 0), LEVELS)
        if at < 0:
            return False
        at += 1
        while not self.end:
            at = self._element(at)
        self._learn()
        self.starts.append(self._bytes(at))
        self.ends.append(self.document.lines.size)
        self.lines.append(self._line_of(at))
        return len(self.starts) > 1

    def _fill(self) -> bool:
        """Read one more window; tell whether there was something."""
        size = min(self.document.lines.size, MOST)
        data = self.document.read(self._offset, min(WINDOW, size - self._offset)) if self._offset < size else b""
        self._offset += len(data)
        self._text += self._decoder.decode(data, not data)
        return bool(data)

    def _array(self, at: int, levels: int) -> int:
        """Return where the array begins that the window cuts, -1 for none."""
        if self._text.startswith("[", at):
            return at
        if not levels or not self._text.startswith("{", at):
            return -1
        try:
            for _ in members(self._text, at):
                pass
        except Broken as error:
            if error.inside < 0 or error.key is None:
                return -1
            self.path += step_of(error.key)
            return self._array(error.inside, levels - 1)
        except TooDeep:
            return -1
        return -1

    def _element(self, at: int) -> int:
        """Read one element with the comma after it; return where the next begins."""
        text = self._text
        start = blank(text, at)
        if text.startswith("]", start):
            self.end = "whole"
            return start
        try:
            value, end = SCAN(text, start)
        except (ValueError, StopIteration, RecursionError):
            value, end = ..., len(text)
        after = blank(text, end)
        if value is ... or after >= len(text):
            return self._more(start)
        self._values.append(value)
        self.starts.append(self._bytes(start))
        self.ends.append(self._bytes(end))
        self.lines.append(self._line_of(start))
        if len(self._values) >= BATCH:
            self._learn()
        if text.startswith("]", after):
            self.end = "whole"
            return after
        if not text.startswith(",", after):
            self.end = "a comma was expected"
            return after
        return after + 1

    def _more(self, start: int) -> int:
        """Go on with the text from ``start`` and one more window; find out why when there is none."""
        base, line = self._bytes(start), self._line_of(start)
        self._text, self._base, self._line, self._counted = self._text[start:], base, line, 0
        if len(self._text) > LONGEST or not self._fill():
            self.end = self._reason()
        return 0

    def _reason(self) -> str:
        if len(self._text) > LONGEST:
            return "an element is longer than is read"
        if self._offset < self.document.lines.size:
            return "what comes after is not read"
        try:
            decode(self._text, 0)
        except Broken as error:
            return error.reason
        except TooDeep:
            return "it is nested too deep"
        return "it ends too early"

    def _bytes(self, at: int) -> int:
        """Return the byte at which a character of the window stands, 0-based."""
        text = self._text
        return self._base + (at if text.isascii() else len(text[:at].encode("utf-8", "surrogateescape")))

    def _line_of(self, at: int) -> int:
        """Return the line that a character of the window stands on; later ones have to be asked for later."""
        self._line += self._text.count("\n", self._counted, at)
        self._counted = at
        return self._line

    def _learn(self) -> None:
        if self._values:
            first = len(self.starts) - len(self._values)
            self.shape.add(self._values, range(first, len(self.starts)))
            self._values = []


def outline(document: Document, kind: str) -> list[Outline] | None:
    """Return the shape of the elements and where they are, or None where no long array begins."""
    made = Elements(document)
    if not made.read() or (made.starts[-1] - made.starts[0]) * SHARE < document.lines.size:
        return None
    return _Map(made, kind).outlines()


class _Map:
    """Say what the elements are, in lines or in bytes."""

    def __init__(self, made: Elements, kind: str) -> None:
        self.made = made
        self.kind = kind
        self.document = made.document
        self.count = len(made.starts) - 1
        self.by_bytes = self.document.lines.size > LONG_LINES * max(self.document.lines.total, 1)

    def outlines(self) -> list[Outline]:
        """Return maps of fewer and fewer entries."""
        target = self.document.target
        odd = [self._odd(one) for one in oddities(self.made.shape)[: max(target // 20, 8)]]
        path = f"{self.made.path}[0:20]" if self.by_bytes else ""
        parts = Parts("Where", "parts", self._where)
        found = outlines(self.kind, self._summary(), odd, self.made.shape, parts, target)
        return [Outline(one.kind, one.sections, path=path) for one in found]

    def _summary(self) -> list[Entry]:
        where = f"the array {self.made.path}" if self.made.path else "one array"
        said = [Entry(f"{where} of {plural(self.count, 'element')}, the rows; paths are those inside one of them")]
        if self.by_bytes:
            said.append(Entry("The JSON is on few long lines; bytes are counted from 1"))
        if self.made.end != "whole":
            said.append(
                self._placed(self.count, self.count, f"BROKEN: {self.made.end}; nothing after it is in this map", 0)
            )
        else:
            rest = self.document.lines.size - self.made.starts[-1] - 1
            if rest > 2_000:
                said.append(Entry(f"what comes after the array, {size_of(rest)}, is not in this map"))
        return said

    def _placed(self, first: int, last: int, text: str, rank: int) -> Entry:
        """Return an entry about elements ``first`` to ``last``."""
        after = min(last + 1, self.count)
        total = self.document.lines.total
        if self.by_bytes:
            start = min(self.made.starts[first] + 1, self.document.lines.size)
            return Entry(text, start, max(self.made.ends[last], start), rank, octets=True)
        start = min(self.made.lines[first], total)
        shared = self.made.lines[after] > start
        return Entry(text, start, max(min(self.made.lines[after] - shared, total), start), rank)

    def _odd(self, oddity: Oddity) -> Entry:
        before = "" if oddity.earlier is None else f", first in [{oddity.earlier}]"
        text = f"{oddity.spot.path or 'the element'} {oddity.text} (here {self.made.path}[{oddity.row}]{before})"
        return self._placed(oddity.row, oddity.row, text, 10)

    def _where(self, most: int) -> Sequence[Entry]:
        """Return at most so many runs of elements."""
        size = -(-self.count // max(most, 1))
        ends = [(at, min(at + size, self.count) - 1) for at in range(0, self.count, size)]
        return [self._placed(at, last, f"{self.made.path}[{at}] to [{last}]", 30) for at, last in ends]
