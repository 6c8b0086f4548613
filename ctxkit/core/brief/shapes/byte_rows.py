"""A reader of dumps of bytes, as xxd, hexdump -C and od print them: runs of equal bytes, and readable text."""

import re
from collections.abc import Iterable

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass

WIDEST = 400
"""Maximum number of characters of a row."""
PATTERNS = (
    compile_lazily(r"([0-9a-fA-F]{6,16}): ((?:[0-9a-fA-F]{2,8} ){1,64}) {0,60}.{0,80}"),
    compile_lazily(r"([0-9a-fA-F]{6,16})  ((?:[0-9a-fA-F]{2} {1,2}){1,64}) {0,60}\|.{0,80}\|"),
    compile_lazily(r"([0-9a-fA-F]{6,16}) ((?:[0-9a-fA-F]{2} ){1,64}) {0,60}>.{0,80}<"),
)
"""Patterns of a row with its offset and its bytes: of xxd, of hexdump -C, and of od -t x1z."""
FOLDED = "*"
"""Line in place of rows that equal the row before."""
OFFSET = compile_lazily(r"[0-9a-fA-F]{6,16}")
"""Pattern of the last line of hexdump and od, which has no bytes."""
PRINTABLE = compile_lazily(rb"[\t -~]{6,}")
WORD = compile_lazily(rb"[A-Za-z]{3}")
LEAST_EQUAL = 4
"""Minimum number of rows of equal bytes that make a region."""
MAX_TEXTS, MAX_REGIONS, MAX_TEXT = 20_000, 20_000, 4_096


@dataclass(slots=True)
class ByteRegion:
    """Hold lines with their offsets; ``value`` is the byte that fills them, or -1, and ``size`` counts their bytes."""

    start: int
    end: int
    offset: str
    value: int = -1
    size: int = 0


@dataclass(frozen=True, slots=True)
class ReadableText:
    """Hold text in the bytes of a dump, with its lines and the offset of its first row."""

    start: int
    end: int
    offset: str
    text: str


def match_row(line: str) -> tuple[str, bytes] | None:
    """Return the offset and the bytes of a row, or None."""
    for pattern in PATTERNS:
        match = pattern.fullmatch(line) if len(line) <= WIDEST else None
        digits = match[2].replace(" ", "") if match else ""
        if match and len(digits) % 2 == 0:
            return match[1], bytes.fromhex(digits)
    return None


class ByteReader:
    """Read the rows of a dump once."""

    def __init__(self) -> None:
        self.rows = self.folded = self.other_count = self.size = 0
        self.regions: list[ByteRegion] = []
        self.texts: list[ReadableText] = []
        self.text_count = 0
        self._data = b""
        self._places: list[tuple[int, int, str]] = []

    def add_lines(self, lines: Iterable[tuple[int, str]]) -> "ByteReader":
        """Read numbered lines."""
        for number, line in lines:
            row = match_row(line.rstrip("\r"))
            if row:
                self._add_row(number, *row)
            elif line == FOLDED:
                self.folded += 1
                self._finish_texts()
            elif line.strip() and not OFFSET.fullmatch(line.strip()):
                self.other_count += 1
        self._finish_texts()
        return self

    def _add_row(self, number: int, offset: str, data: bytes) -> None:
        self.rows += 1
        self.size += len(data)
        value = data[0] if len(set(data)) == 1 else -1
        last = self.regions[-1] if self.regions else None
        if last and last.value == value and last.end >= number - 1:
            last.end, last.size = number, last.size + len(data)
        elif len(self.regions) < MAX_REGIONS:
            self.regions.append(ByteRegion(number, number, offset, value, len(data)))
        if self._places and self._places[-1][1] != number - 1:
            self._finish_texts()
        self._places.append((len(self._data), number, offset))
        self._data += data
        if len(self._data) >= MAX_TEXT or not 32 <= data[-1] < 127:
            self._finish_texts()

    def _finish_texts(self) -> None:
        """Collect the texts in the rows since the last break; a break is a row that does not end in text."""
        for match in PRINTABLE.finditer(self._data):
            if WORD.search(match[0]):
                self.text_count += 1
                if len(self.texts) < MAX_TEXTS:
                    self.texts.append(self._make_text(match))
        self._data, self._places = b"", []

    def _make_text(self, match: "re.Match[bytes]") -> ReadableText:
        rows = [place for place in self._places if place[0] < match.end()]
        first = max(place for place in rows if place[0] <= match.start())
        return ReadableText(first[1], rows[-1][1], first[2], match[0].decode("ascii").strip())


def join_regions(regions: list[ByteRegion]) -> list[ByteRegion]:
    """Return long regions of one byte, and what stands between them as regions of many bytes."""
    joined: list[ByteRegion] = []
    for region in regions:
        same = region.value >= 0 and region.end - region.start + 1 >= LEAST_EQUAL
        last = joined[-1] if joined else None
        if not same and last and last.value == -1:
            last.end, last.size = region.end, last.size + region.size
        else:
            value = region.value if same else -1
            joined.append(ByteRegion(region.start, region.end, region.offset, value, region.size))
    return joined
