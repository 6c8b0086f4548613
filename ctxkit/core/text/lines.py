"""Index, read and search content that may be too large for memory as numbered lines, in the encoding that it has."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, lookup
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

from ctxkit.core.lazy_pattern import compile_lazily

BLOCK = 65_536
"""Bytes between two entries of a line index: a random access reads one block."""


class LineIndex:
    """Counts newlines of a stream, with one entry per block.

    ``newline_counts[i]`` is the number of newlines before byte ``i * BLOCK``.
    """

    def __init__(self) -> None:
        self.newline_counts = [0]
        self.newlines = 0
        self.size = 0
        self.last = b""

    def update(self, chunk: bytes) -> None:
        """Add the next bytes of the content."""
        if not chunk:
            return
        start = 0
        while start < len(chunk):
            end = min(start + BLOCK - self.size % BLOCK, len(chunk))
            self.newlines += chunk.count(b"\n", start, end)
            self.size += end - start
            if self.size % BLOCK == 0:
                self.newline_counts.append(self.newlines)
            start = end
        self.last = chunk[-1:]

    @property
    def total(self) -> int:
        """Return the number of lines so far; a last line without a newline counts."""
        return self.newlines + (1 if self.last not in (b"", b"\n") else 0)


_CACHED_BLOCKS = 32
"""Number of blocks whose lines are cached."""
LONGEST_LINE = 1 << 20
"""Maximum bytes of a line that are read as text (16 blocks, one read)."""
Read = Callable[[int, int], bytes]
"""Returns ``length`` bytes from ``offset``; fewer only at the end."""


class IndexedLines:
    """Access to any line by its 1-based number, as in ``sed -n``.

    ``read`` reads bytes, ``size`` is their number, ``newline_counts`` comes from a LineIndex.
    """

    def __init__(self, read: Read, size: int, newline_counts: Sequence[int], total: int) -> None:
        self.read = read
        self._newline_counts = newline_counts
        self.size = size
        self.total = total
        self._ends_by_block: dict[int, array[int]] = {}

    def with_read(self, read: Read) -> IndexedLines:
        """Return the same lines, whose bytes another function reads; newlines stay where they are."""
        return IndexedLines(read, self.size, self._newline_counts, self.total)

    def __len__(self) -> int:
        return self.total

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the byte offsets of the start of line ``start`` and the end of line ``end``."""
        return self._offset(start), self._offset(end + 1)

    def raw(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes of lines ``start`` to ``end`` unchanged, in pieces."""
        position, stop = self.span(start, end)
        while position < stop:
            piece = self.read(position, min(16 * BLOCK, stop - position))
            if not piece:
                return
            yield piece
            position += len(piece)

    def enumerate_lines(self, start: int = 1, end: int | None = None) -> Iterator[tuple[int, str]]:
        """Yield (number, text) of each line without its ending; replace undecodable bytes."""
        number = start
        for block in self.blocks(start, end):
            for line in block.split("\n"):
                yield number, line.removesuffix("\r")
                number += 1

    def blocks(self, start: int = 1, end: int | None = None) -> Iterator[str]:
        r"""Yield text in blocks of complete lines joined by ``\n``, without the last newline of each.

        Yield only the beginning of a line longer than ``LONGEST_LINE``.
        """
        left = b""
        for piece in self.raw(start, self.total if end is None else min(end, self.total)):
            if len(left) >= LONGEST_LINE:
                piece = piece[max(piece.find(b"\n"), 0) :]
            cut = piece.rfind(b"\n")
            if cut < 0:
                left = left if len(left) >= LONGEST_LINE else _truncate_line(left + piece)
                continue
            yield (left + piece[:cut]).decode("utf-8", "replace")
            left = piece[cut + 1 :]
        if left:
            yield left.decode("utf-8", "replace")

    def texts(self, start: int = 1, end: int | None = None) -> list[str]:
        """Return the text of lines ``start`` to ``end`` without their endings."""
        return [text for _, text in self.enumerate_lines(start, end)]

    def at(self, number: int) -> str:
        """Return the text of a line."""
        start, end = self.span(number, number)
        if not 0 < end - start < LONGEST_LINE:
            return self.texts(number, number)[0]
        return self.read(start, end - start).removesuffix(b"\n").decode("utf-8", "replace").removesuffix("\r")

    def find_line(self, position: int) -> int:
        """Return the number of the line that contains byte offset ``position``."""
        block = min(position // BLOCK, len(self._newline_counts) - 1)
        ends = self._line_ends(block)
        return self._newline_counts[block] + bisect_right(ends, position - block * BLOCK) + 1

    def _offset(self, number: int) -> int:
        """Return the byte offset at which line ``number`` begins."""
        newline = number - 1
        if newline <= 0:
            return 0
        if number > self.total:
            return self.size
        block = bisect_left(self._newline_counts, newline) - 1
        return block * BLOCK + self._line_ends(block)[newline - self._newline_counts[block] - 1]

    def _line_ends(self, block: int) -> array[int]:
        """Return the ends of a block's lines, cached because callers may read thousands of lines of a block."""
        ends = self._ends_by_block.get(block)
        if ends is None:
            if len(self._ends_by_block) >= _CACHED_BLOCKS:
                self._ends_by_block.clear()
            pieces = self.read(block * BLOCK, BLOCK).split(b"\n")
            ends = self._ends_by_block[block] = array("L", accumulate(len(piece) + 1 for piece in pieces))
        return ends


def lines_from_bytes(data: bytes) -> IndexedLines:
    """Return the lines of bytes in memory."""
    marks = LineIndex()
    marks.update(data)
    return IndexedLines(
        lambda offset, length: data[offset : offset + length], len(data), marks.newline_counts, marks.total
    )


def _truncate_line(line: bytes) -> bytes:
    """Return a line, cut between characters at the maximum that is read as text."""
    return line if len(line) < LONGEST_LINE else trim_partial_character(line[: LONGEST_LINE + 4])


def trim_partial_character(data: bytes) -> bytes:
    """Return the bytes without an incomplete character at their end."""
    for back in range(1, min(4, len(data)) + 1):
        lead = data[-back]
        if lead < 0x80:
            return data
        if lead >= 0xC0:
            needs = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            return data if back >= needs else data[:-back]
    return data


def pack_counts(counts: Sequence[int]) -> bytes:
    """Return counts as bytes: integers of 64 bits in the byte order of this machine."""
    return array("Q", counts).tobytes()


def split_lines(chunks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their 1-based numbers and their newlines; the last one may have none."""
    pending: list[bytes] = []
    number = 1
    for chunk in chunks:
        *complete, rest = chunk.split(b"\n")
        for line in complete:
            joined = b"".join((*pending, line, b"\n"))
            pending.clear()
            if joined.strip():
                yield number, joined
            number += 1
        pending.append(rest)
    if (joined := b"".join(pending)).strip():
        yield number, joined


def skip_lines(chunks: Iterable[bytes], count: int) -> Iterator[bytes]:
    """Yield what follows the first ``count`` newlines."""
    for chunk in chunks:
        if count:
            start = 0
            while count and (end := chunk.find(b"\n", start) + 1):
                start, count = end, count - 1
            chunk = b"" if count else chunk[start:]
        yield chunk


def blank_lines(lines: IndexedLines, count: int) -> IndexedLines:
    """Return lines with the same numbers and offsets, of which the first ``count`` are blank."""
    if not count:
        return lines
    end = lines.span(1, count)[1]

    def read(offset: int, length: int) -> bytes:
        """Return bytes, with spaces in place of what is left out."""
        data = lines.read(offset, length)
        inside = data[: max(end - offset, 0)]
        return b"\n".join(b" " * len(line) for line in inside.split(b"\n")) + data[len(inside) :]

    return lines.with_read(read)


Candidate = TypeVar("Candidate")


def find_largest(
    least: int, most: int, make: Callable[[int], Candidate], fits: Callable[[Candidate], bool]
) -> Candidate | None:
    """Return the result of ``make`` for the largest size that fits, None if no size fits.

    Sizes range from ``least`` to ``most``. The result has been passed to ``fits``.
    """
    best: Candidate | None = None
    while least <= most:
        middle = (least + most) // 2
        candidate = make(middle)
        if fits(candidate):
            least, best = middle + 1, candidate
        else:
            most = middle - 1
    return best


def find_largest_number(least: int, most: int, passes: Callable[[int], bool]) -> int | None:
    """Return the largest number from ``least`` to ``most`` that passes, None if none does.

    If a number passes, each smaller one has to pass.
    """
    return find_largest(least, most, int, passes)


def measure_common_prefix(first: str, second: str) -> int:
    """Return the number of characters that two texts begin with in common, by binary search."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


PIECE = 1 << 20
"""Number of bytes read at a time."""
CONTEXT = 16
"""Number of bytes before a match that a pattern may look at."""


def iterate_matches(
    pattern: re.Pattern[bytes], read: Callable[[int, int], bytes], size: int, longest: int, *, piece: int = PIECE
) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Yield each match in the first ``size`` bytes with the byte offset of the text that it is in.

    A match, with what it looks at after it, is found as a whole if it has at most ``longest`` bytes.
    """
    base = after = start = 0
    data = b""
    while True:
        chunk = read(after, min(piece, size - after)) if after < size else b""
        after += len(chunk)
        data += chunk
        limit = len(data) - longest if chunk and after < size else len(data)
        for match in pattern.finditer(data, start):
            if match.start() > limit:
                break
            start = max(match.end(), start)
            yield base, match
        if limit == len(data):
            return
        start = max(start, limit)
        cut = max(start - CONTEXT, 0)
        base, data, start = base + cut, data[cut:], start - cut


UTF16_SAMPLE = 1_024
"""Bytes at the beginning of content from which UTF-16 is told."""
_FEWEST_NULS = 4
"""Number of NULs that such a beginning has at least."""
_UNWRITTEN, _WHITESPACE = {"Cc", "Cn", "Co"}, set("\t\n\r\f\b\x1b")
"""Categories of characters that are not written, but for these."""
SAMPLE = 1 << 16
"""Bytes of lines, those that are not ASCII, from which an encoding is told."""
SEARCHED_BYTES = 1 << 20
"""Bytes at the beginning of content in which such a line is sought: a part of large content is read in no time."""
_LONGEST_NAME = 4_096
"""Maximum bytes between two NULs of a list: PATH_MAX of Linux."""
LISTED = "list"
"""What takes the place of an encoding for UTF-8 whose entries end with NUL."""
ENCODINGS = (
    *("cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255"),
    *("cp1256", "cp1257", "koi8_r", "cp866", "cp850"),
)
"""Encodings that are told apart.

A newline is a newline in all of them, so that lines are the same, and only ASCII bytes become ASCII: what is masked in
the bytes is masked in the text.
"""
_WESTERN = "cp1252"
"""Preferred among Windows' encodings of the Latin script that fit alike: by far the most frequent of them."""
_FEWEST_BYTES = 8
"""Number of bytes above ASCII by which encodings are told apart; fewer may be anything."""
_DECLARING = 1_024
"""Number of bytes at the beginning of a text in which it may declare its encoding, as HTML, Python and gettext do."""
_DECLARATION = compile_lazily(r"(?i:charset|encoding|coding)[=:][ \t]?[\"']?([A-Za-z][\w.-]{2,30})")
_DECLARED = ("iso8859-", "cp125", "cp850", "cp866", "koi8-", "cp932", "shift_jis", "euc_", "gb", "big5", "cp949")
"""Beginnings of the names of encodings that a text may declare, in which lines and ASCII are those of the bytes."""
CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b\x0e\x0f\0"))
"""Control bytes that terminals and editors do not write into text, without NUL."""


def detect_utf16(start: bytes) -> str:
    """Return the codec of content that begins with ``start`` if it is UTF-16, marked or not, else ""."""
    if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16"
    sample = start[: min(UTF16_SAMPLE, len(start) & ~1)]
    if sample.count(0) < _FEWEST_NULS:
        return ""
    return next((codec for codec in ("utf-16-le", "utf-16-be") if _is_text(sample.decode(codec, "ignore"))), "")


def _is_text(text: str) -> bool:
    """Return whether a tenth of the characters is ASCII, and all are assigned to something that is written."""
    from unicodedata import category

    ascii_size = len(text.encode("ascii", "ignore"))
    unwritten = (category(letter) in _UNWRITTEN for letter in set(text) - _WHITESPACE)
    return ascii_size * 10 >= len(text) > 0 and not any(unwritten)


def has_controls(data: bytes) -> bool:
    """Return whether one in 50 bytes, and more than two, are control bytes that do not occur in text."""
    rare = count_controls(data)
    return rare > 2 and rare * 50 > len(data)


def count_controls(data: bytes) -> int:
    """Return the number of control bytes that do not occur in text, without NULs."""
    return len(data) - len(data.translate(None, CONTROLS))


def identify_encoding(read: Read, size: int) -> str:
    """Return the codec of content that is text but not UTF-8, ``LISTED`` for a list with NULs, else ""."""
    start = read(0, SAMPLE)
    if codec := detect_utf16(start):
        return codec
    if has_controls(start):
        return ""
    if b"\0" in start:
        return LISTED if _is_list(start) else ""
    sample = _sample_lines(read, size)
    text = sample.decode("utf-8", "replace")
    lost = text.count("\N{REPLACEMENT CHARACTER}")
    valid = len(text) - lost - sum(map(text.count, map(chr, range(128)))) if lost else 0
    if lost <= valid or has_controls(sample):
        return ""
    return _find_declared(start[:_DECLARING], sample) or _name_encoding(sample)


def decode(data: bytes, encoding: str) -> str:
    """Return content as text; replace undecodable bytes by U+FFFD, and NULs of a list by newlines."""
    if encoding == LISTED:
        return data.replace(b"\0", b"\n").decode("utf-8", "replace")
    return data.decode(encoding, "replace")


def _is_list(start: bytes) -> bool:
    """Return whether content is entries of UTF-8 that each end with NUL, as ``find -print0`` writes them."""
    entries = start.split(b"\0")
    if len(entries) < 3 or b"\n" in start or not all(entries[:-1]):
        return False
    lost = start.decode("utf-8", "replace").count("\N{REPLACEMENT CHARACTER}")
    return max(map(len, entries)) <= _LONGEST_NAME and lost * 50 < len(start)


def _sample_lines(read: Read, size: int) -> bytes:
    """Return lines that are not ASCII, from the first block of content that has one."""
    for at in range(0, min(size, SEARCHED_BYTES), SAMPLE):
        block = read(at, SAMPLE)
        if not block.isascii():
            block = read(at, 2 * SAMPLE)
            whole = block if at + len(block) >= size else block[: block.rfind(b"\n") + 1] or block
            lines = [line for line in whole.splitlines(keepends=True) if not line.isascii()]
            return b"".join(line for line, end in zip(lines, accumulate(map(len, lines)), strict=True) if end <= SAMPLE)
    return b""


def _find_declared(start: bytes, sample: bytes) -> str:
    """Return the encoding that the beginning of a text declares if the sample is text in it, else ""."""
    declared = _DECLARATION.search(start.decode("latin-1"))
    try:
        name = lookup(declared[1]).name if declared else ""
        text = sample.decode(name, "strict") if name.startswith(_DECLARED) else ""
    except (LookupError, UnicodeError):
        return ""
    return name if text and not any("\x7f" <= letter < "\xa0" for letter in text) else ""


def _name_encoding(sample: bytes) -> str:
    if len(sample.translate(None, bytes(range(128)))) < _FEWEST_BYTES:
        return ""
    from charset_normalizer import from_bytes

    # What the content declares has been tried before.
    matches = from_bytes(sample, cp_isolation=list(ENCODINGS), preemptive_behaviour=False, enable_fallback=False)
    names = [match.encoding for match in matches]
    if names and names[0] in ("cp1250", "cp1254", "cp1257") and _WESTERN in names:
        return _WESTERN
    return names[0] if names else ""
