"""Parts of content that a call reads: a range of bytes or lines, and how to read on."""

from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.gate.content_ranges import MAX_BYTES_PER_TOKEN, PageTerms, fit_lines
from ctxkit.core.text.lines import IndexedLines, Read
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.vocabulary import Tokenizer

CHARACTER = 4
"""Maximum bytes of a character in UTF-8."""
ReadOn = Callable[[int, int], str]
"""Returns the call that reads a range: of bytes, offset (from 0) and end; of lines, first and last (from 1)."""


class BytePart(NamedTuple):
    """Bytes ``start`` to ``end`` (counted from 0, ``end`` is excluded) of ``total``; no character is split."""

    read: Read
    start: int
    end: int
    total: int
    read_on: ReadOn

    @property
    def size(self) -> int:
        """Return the number of bytes."""
        return self.end - self.start

    def make_page(self, count: Tokenizer, budget: Budget) -> bytes | None:
        """Return the part, or as much of it as fits, and the call that reads on; None if nothing fits."""
        end = align_offset(self.read, min(self.end, self.start + budget.available * MAX_BYTES_PER_TOKEN), self.total)
        most = budget.available
        while end > self.start:
            page = self.read(self.start, end - self.start) + self._format_rest(end)
            if count(page.decode("utf-8", "replace")) <= most:
                return page
            most = budget.briefing_target()
            end = align_offset(self.read, self.start + (end - self.start) * 3 // 4, self.total)
        return None

    def _format_rest(self, end: int) -> bytes:
        if end >= self.total:
            return b""
        return f"\n[bytes {end} to {self.total} follow: {self.read_on(end, self.total)}]\n".encode()


class LinePart(NamedTuple):
    """Lines ``start`` to ``end`` (counted from 1, inclusive) of a text; ``read_bytes_on`` reads a very long line."""

    read: Read
    text: IndexedLines
    start: int
    end: int
    read_on: ReadOn
    read_bytes_on: ReadOn

    @property
    def size(self) -> int:
        """Return the number of bytes."""
        first, stop = self.text.span(self.start, self.end)
        return stop - first

    def make_page(self, count: Tokenizer, budget: Budget) -> bytes | None:
        """Return the lines unchanged if they fit, else as many as fit and the call that reads on."""
        first, stop = self.text.span(self.start, self.end)
        if stop - first <= budget.available * MAX_BYTES_PER_TOKEN:
            whole = b"".join(self.text.raw(self.start, self.end))
            if count(whole.decode("utf-8", "replace")) <= budget.available:
                return whole
        page = fit_lines(self.text, self.start, self.end, PageTerms(count, budget, self._format_call))
        return page or BytePart(self.read, first, stop, stop, self.read_bytes_on).make_page(count, budget)

    def _format_call(self, lines: str) -> str:
        first, _, last = lines.removeprefix("--lines ").partition(":")
        return self.read_on(int(first), int(last))


def make_byte_part(read: Read, total: int, offset: int, limit: int, read_on: ReadOn) -> BytePart:
    """Return the part of at most ``limit`` bytes from ``offset``; both ends move back to the start of a character.

    Reading on from ``offset`` + ``limit`` neither loses nor repeats a byte. A part has at least one character.
    """
    start, end = align_offset(read, offset, total), align_offset(read, offset + limit, total)
    width = 1
    while end <= start < total:
        width += 1
        end = align_offset(read, start + width, total)
    return BytePart(read, start, end, total, read_on)


def align_offset(read: Read, offset: int, total: int) -> int:
    """Return the offset at which the character begins that contains the byte at ``offset``; at most ``total``.

    A byte that is not UTF-8 is a character of its own.
    """
    if offset >= total:
        return total
    begin = max(offset - CHARACTER + 1, 0)
    data = read(begin, offset - begin + 1)
    for back in range(len(data)):
        byte = data[-1 - back]
        if byte < 0x80:
            return offset
        if byte >= 0xC0:
            width = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return offset - back if back < width else offset
    return offset
