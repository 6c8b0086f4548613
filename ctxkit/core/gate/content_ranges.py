"""Read parts of content: a range of bytes or lines, or the lines that match a pattern."""

from collections import deque
from collections.abc import Callable, Iterator
from re import Pattern
from typing import NamedTuple

from ctxkit.core.errors import NotStoredError
from ctxkit.core.text.lines import BLOCK, IndexedLines, Read, trim_partial_character
from ctxkit.core.text.quantity import PositionRange
from ctxkit.core.text.search import find_largest
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.vocabulary import Tokenizer

WHOLE_RANGE = PositionRange(None, None)


def read_bytes(read: Read, size: int, span: PositionRange = WHOLE_RANGE) -> Iterator[bytes]:
    """Yield the bytes of a range, by default the whole content.

    Raise NotStoredError if the range begins beyond the end.
    """
    start, end = (1, size) if span == WHOLE_RANGE else resolve_range(span, size, "bytes")
    return (read(offset, min(16 * BLOCK, end - offset)) for offset in range(start - 1, end, 16 * BLOCK))


def resolve_range(span: PositionRange, total: int, noun: str) -> tuple[int, int]:
    """Return the first and the last position (1-based) of a range.

    Raise NotStoredError if it begins beyond the end.
    """
    start, end = span.resolve(total)
    if start > total:
        are = f"there {'is' if total == 1 else 'are'} {total:,} {noun.removesuffix('s') if total == 1 else noun}"
        raise NotStoredError(f"{noun} from {start:,}: {are}")
    return start, end


def read_rows(lines: IndexedLines, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Yield (number, bytes) of each line of a range, with its newline."""
    left: list[bytes] = []
    for piece in lines.raw(start, end):
        whole = piece.splitlines(keepends=True) if b"\r" not in piece else _split_lines(piece)
        for part in whole:
            left.append(part)
            if part.endswith(b"\n"):
                yield start, b"".join(left)
                left.clear()
                start += 1
    if left:
        yield start, b"".join(left)


def _split_lines(piece: bytes) -> list[bytes]:
    """Split at newlines only; splitlines would split at carriage returns too."""
    parts = piece.split(b"\n")
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])


def add_line_numbers(numbers: Iterator[tuple[int, bytes]]) -> Iterator[bytes]:
    """Yield lines after their numbers, as ``grep -n`` prints them."""
    return (b"%d:%s" % (number, text) for number, text in numbers)


def grep_lines(
    lines: IndexedLines, span: tuple[int, int], pattern: Pattern[str], context: int, *, numbers: bool
) -> Iterator[bytes]:
    """Yield the lines of a span that match, with ``context`` lines around each, formatted as grep does."""
    preceding: deque[tuple[int, bytes]] = deque(maxlen=context)
    last_shown, following = 0, 0
    for number, text in read_rows(lines, *span):
        if pattern.search(text.rstrip(b"\r\n").decode("utf-8", "surrogateescape")):
            first = preceding[0][0] if preceding else number
            if last_shown and context and first > last_shown + 1:
                yield b"--\n"
            for earlier, row in preceding:
                yield b"%d-%s" % (earlier, row) if numbers else row
            preceding.clear()
            yield b"%d:%s" % (number, text) if numbers else text
            last_shown, following = number, context
        elif following:
            yield b"%d-%s" % (number, text) if numbers else text
            last_shown, following = number, following - 1
        else:
            preceding.append((number, text))


ReadCommand = Callable[[str], str]
"""Returns the command that reads a range, given as ``--lines 46:200`` or ``--bytes 1:4096``."""
_MAX_BYTES_PER_TOKEN = 64
"""Maximum mean bytes per token of real text; content with more bytes for each available token never fits."""


class PageTerms(NamedTuple):
    """What counts the tokens of a page, how many it may have, and the command that reads what follows it."""

    count: Tokenizer
    budget: Budget
    read_command: ReadCommand

    def is_within(self, page: bytes, target: int) -> bool:
        """Return whether a page has at most ``target`` tokens."""
        return self.count(page.decode("utf-8", "replace")) <= target


def make_lines_page(lines: IndexedLines, start: int, end: int, terms: PageTerms) -> bytes | None:
    """Return lines ``start`` to ``end`` unchanged if they fit, else as many as fit the target and a read command.

    If the first line alone is too long, return its beginning and the command that reads the rest in bytes. Return None
    if not even that fits.
    """
    first, stop = lines.span(start, end)
    available = terms.budget.available
    if stop - first <= available * _MAX_BYTES_PER_TOKEN:
        whole = b"".join(lines.raw(start, end))
        if terms.is_within(whole, available):
            return whole
    return _fit_lines(lines, start, end, terms) or make_bytes_page(lines.read, first + 1, stop, terms)


def make_bytes_page(read: Read, start: int, end: int, terms: PageTerms) -> bytes | None:
    """Return bytes ``start`` to ``end`` (1-based) unchanged if they fit, else as many as fit and a read command.

    The cut falls between characters. Return None if nothing fits.
    """
    available = terms.budget.available
    data = read(start - 1, min(end - start + 1, available * _MAX_BYTES_PER_TOKEN))
    if len(data) == end - start + 1 and terms.is_within(data, available):
        return data
    while data := trim_partial_character(data):
        following = start + len(data)
        command = terms.read_command(f"--bytes {following}:{end}")
        page = data + f"\n[bytes {following}-{end} follow: {command}]\n".encode()
        if terms.is_within(page, terms.budget.briefing_target()):
            return page
        data = data[: len(data) * 3 // 4]
    return None


def _fit_lines(lines: IndexedLines, start: int, end: int, terms: PageTerms) -> bytes | None:
    """Return as many of lines ``start`` to ``end`` as fit the target, and the command that reads the rest."""
    target = terms.budget.briefing_target()
    raw_rows = [row for _, row in read_rows(lines, start, min(end, start + target))]
    return find_largest(
        1,
        len(raw_rows),
        lambda number: _render_page(raw_rows[:number], start, end, terms.read_command),
        lambda page: terms.is_within(page, target),
    )


def _render_page(raw_rows: list[bytes], start: int, end: int, read_command: ReadCommand) -> bytes:
    following = start + len(raw_rows)
    rest = (
        f"[lines {following}-{end} follow: {read_command(f'--lines {following}:{end}')}]\n" if following <= end else ""
    )
    return b"".join(raw_rows) + rest.encode()


_CHARACTER = 4
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
        end = align_offset(self.read, min(self.end, self.start + budget.available * _MAX_BYTES_PER_TOKEN), self.total)
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
        if stop - first <= budget.available * _MAX_BYTES_PER_TOKEN:
            whole = b"".join(self.text.raw(self.start, self.end))
            if count(whole.decode("utf-8", "replace")) <= budget.available:
                return whole
        page = _fit_lines(self.text, self.start, self.end, PageTerms(count, budget, self._format_call))
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
    begin = max(offset - _CHARACTER + 1, 0)
    data = read(begin, offset - begin + 1)
    for back in range(len(data)):
        byte = data[-1 - back]
        if byte < 0x80:
            return offset
        if byte >= 0xC0:
            width = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return offset - back if back < width else offset
    return offset
