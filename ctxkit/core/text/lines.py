"""Index and read numbered lines of content that may be too large for memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

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
