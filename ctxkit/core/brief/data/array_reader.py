"""A reader of one long JSON array in windows: the shape of its elements and their places."""

from array import array
from codecs import getincrementaldecoder
from collections.abc import Sequence

from ctxkit.core.brief.data.anomalies import Anomaly, find_anomalies
from ctxkit.core.brief.data.dataset import PartsIndex, build_data_outlines
from ctxkit.core.brief.data.literals import format_step
from ctxkit.core.brief.data.shape import DataShape
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.measure import format_size, pluralize
from ctxkit.core.text.positions import SCAN, InvalidJsonError, JsonTooDeepError, decode_value, read_members, skip_blanks

WINDOW = 2 << 20
"""Number of bytes read at a time."""
MAX_ELEMENT_LENGTH = 8 << 20
"""Maximum number of characters of an element; reading ends at a longer element."""
MAX_BYTES = 64 << 20
"""Maximum number of bytes read in total."""
BATCH = 4_000
"""Number of elements whose shape is learned at a time."""
LEVELS = 3
"""Maximum number of objects around the array."""
SHARE = 10
"""Inverse of the minimum share of the document that the array must take."""
LONG_LINES = 2_000
"""Average line length in bytes above which places are given in bytes instead of lines."""


class ArrayReader:
    """Read the array that extends beyond the first window, at the top level or inside a few objects."""

    def __init__(self, document: InputDocument) -> None:
        self.document = document
        self.shape = DataShape(True)
        self.starts = array("Q")
        self.ends = array("Q")
        self.lines = array("Q")
        self.path = ""
        self.end_reason = ""
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")
        self._text = ""
        self._offset = 0
        self._base = 0
        self._line = 1
        self._counted = 0
        self._values: list[JsonValue] = []

    def read(self) -> bool:
        """Read all readable elements; return whether there is an array."""
        self._read_window()
        at = self._find_array(skip_blanks(self._text, 1 if self._text.startswith("\ufeff") else 0), LEVELS)
        if at < 0:
            return False
        at += 1
        while not self.end_reason:
            at = self._read_element(at)
        self._learn_shape()
        self.starts.append(self._find_byte(at))
        self.ends.append(self.document.lines.size)
        self.lines.append(self._find_line(at))
        return len(self.starts) > 1

    def _read_window(self) -> bool:
        """Read another window; return whether it has data."""
        size = min(self.document.lines.size, MAX_BYTES)
        data = self.document.read(self._offset, min(WINDOW, size - self._offset)) if self._offset < size else b""
        self._offset += len(data)
        self._text += self._decoder.decode(data, not data)
        return bool(data)

    def _find_array(self, at: int, levels: int) -> int:
        """Return the offset of the array that the window cuts, or -1."""
        if self._text.startswith("[", at):
            return at
        if not levels or not self._text.startswith("{", at):
            return -1
        try:
            for _ in read_members(self._text, at):
                pass
        except InvalidJsonError as error:
            if error.inside < 0 or error.key is None:
                return -1
            self.path += format_step(error.key)
            return self._find_array(error.inside, levels - 1)
        except JsonTooDeepError:
            return -1
        return -1

    def _read_element(self, at: int) -> int:
        """Read one element and the comma after it; return the offset of the next element."""
        text = self._text
        start = skip_blanks(text, at)
        if text.startswith("]", start):
            self.end_reason = "whole"
            return start
        try:
            value, end = SCAN(text, start)
        except (ValueError, StopIteration, RecursionError):
            value, end = ..., len(text)
        after = skip_blanks(text, end)
        if value is ... or after >= len(text):
            return self._extend_window(start)
        self._values.append(value)
        self.starts.append(self._find_byte(start))
        self.ends.append(self._find_byte(end))
        self.lines.append(self._find_line(start))
        if len(self._values) >= BATCH:
            self._learn_shape()
        if text.startswith("]", after):
            self.end_reason = "whole"
            return after
        if not text.startswith(",", after):
            self.end_reason = "a comma was expected"
            return after
        return after + 1

    def _extend_window(self, start: int) -> int:
        """Continue with the text from ``start`` and another window, or set the reason for the end."""
        base, line = self._find_byte(start), self._find_line(start)
        self._text, self._base, self._line, self._counted = self._text[start:], base, line, 0
        if len(self._text) > MAX_ELEMENT_LENGTH or not self._read_window():
            self.end_reason = self._explain_end()
        return 0

    def _explain_end(self) -> str:
        if len(self._text) > MAX_ELEMENT_LENGTH:
            return "an element is longer than is read"
        if self._offset < self.document.lines.size:
            return "what comes after is not read"
        try:
            decode_value(self._text, 0)
        except InvalidJsonError as error:
            return error.reason
        except JsonTooDeepError:
            return "it is nested too deep"
        return "it ends too early"

    def _find_byte(self, at: int) -> int:
        """Return the 0-based byte offset of a character in the window."""
        text = self._text
        return self._base + (at if text.isascii() else len(text[:at].encode("utf-8", "surrogateescape")))

    def _find_line(self, at: int) -> int:
        """Return the line of a character in the window; calls must be in increasing order."""
        self._line += self._text.count("\n", self._counted, at)
        self._counted = at
        return self._line

    def _learn_shape(self) -> None:
        if self._values:
            first = len(self.starts) - len(self._values)
            self.shape.add(self._values, range(first, len(self.starts)))
            self._values = []


def build_array_outlines(document: InputDocument, kind: str) -> list[Outline] | None:
    """Return outlines of the elements' shape and places, or None if there is no long array."""
    reader = ArrayReader(document)
    if not reader.read() or (reader.starts[-1] - reader.starts[0]) * SHARE < document.lines.size:
        return None
    return _ArrayOutliner(reader, kind).build_outlines()


class _ArrayOutliner:
    """Build outlines of the elements, placed by lines or by bytes."""

    def __init__(self, reader: ArrayReader, kind: str) -> None:
        self.reader = reader
        self.kind = kind
        self.document = reader.document
        self.count = len(reader.starts) - 1
        self.by_bytes = self.document.lines.size > LONG_LINES * max(self.document.lines.total, 1)

    def build_outlines(self) -> list[Outline]:
        """Return outlines with fewer and fewer entries."""
        target = self.document.target
        anomalies = [
            self._make_anomaly_entry(anomaly) for anomaly in find_anomalies(self.reader.shape)[: max(target // 20, 8)]
        ]
        path = f"{self.reader.path}[0:20]" if self.by_bytes else ""
        parts = PartsIndex("Where", "parts", self._list_runs)
        variants = build_data_outlines(self.kind, self._summarize(), anomalies, self.reader.shape, parts, target)
        return [Outline(variant.kind, variant.sections, path=path) for variant in variants]

    def _summarize(self) -> list[Entry]:
        where = f"the array {self.reader.path}" if self.reader.path else "one array"
        entries = [
            Entry(f"{where} of {pluralize(self.count, 'element')}, the rows; paths are those inside one of them")
        ]
        if self.by_bytes:
            entries.append(Entry("The JSON is on few long lines; bytes are counted from 1"))
        if self.reader.end_reason != "whole":
            entries.append(
                self._make_entry(
                    self.count, self.count, f"BROKEN: {self.reader.end_reason}; nothing after it is in this map", 0
                )
            )
        else:
            rest = self.document.lines.size - self.reader.starts[-1] - 1
            if rest > 2_000:
                entries.append(Entry(f"what comes after the array, {format_size(rest)}, is not in this map"))
        return entries

    def _make_entry(self, first: int, last: int, text: str, rank: int) -> Entry:
        """Return an entry about elements ``first`` to ``last``."""
        after = min(last + 1, self.count)
        total = self.document.lines.total
        if self.by_bytes:
            start = min(self.reader.starts[first] + 1, self.document.lines.size)
            return Entry(text, start, max(self.reader.ends[last], start), rank, in_bytes=True)
        start = min(self.reader.lines[first], total)
        shared = self.reader.lines[after] > start
        return Entry(text, start, max(min(self.reader.lines[after] - shared, total), start), rank)

    def _make_anomaly_entry(self, anomaly: Anomaly) -> Entry:
        before = "" if anomaly.earlier is None else f", first in [{anomaly.earlier}]"
        text = f"{anomaly.node.path or 'the element'} {anomaly.text} (here {self.reader.path}[{anomaly.row}]{before})"
        return self._make_entry(anomaly.row, anomaly.row, text, 10)

    def _list_runs(self, most: int) -> Sequence[Entry]:
        """Return at most ``most`` runs of elements."""
        size = -(-self.count // max(most, 1))
        ends = [(at, min(at + size, self.count) - 1) for at in range(0, self.count, size)]
        return [self._make_entry(at, last, f"{self.reader.path}[{at}] to [{last}]", 30) for at, last in ends]
