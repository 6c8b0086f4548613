"""Read parts of content: a range of bytes or lines, or the lines that match a pattern."""

from collections import deque
from collections.abc import Callable, Iterator
from re import Pattern
from typing import NamedTuple

from ctxkit.core.errors import NotStoredError
from ctxkit.core.text.lines import BLOCK, IndexedLines, Read, find_largest, trim_partial_character
from ctxkit.core.text.quantity import PositionRange
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
MAX_BYTES_PER_TOKEN = 64
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
    if stop - first <= available * MAX_BYTES_PER_TOKEN:
        whole = b"".join(lines.raw(start, end))
        if terms.is_within(whole, available):
            return whole
    return fit_lines(lines, start, end, terms) or make_bytes_page(lines.read, first + 1, stop, terms)


def make_bytes_page(read: Read, start: int, end: int, terms: PageTerms) -> bytes | None:
    """Return bytes ``start`` to ``end`` (1-based) unchanged if they fit, else as many as fit and a read command.

    The cut falls between characters. Return None if nothing fits.
    """
    available = terms.budget.available
    data = read(start - 1, min(end - start + 1, available * MAX_BYTES_PER_TOKEN))
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


def fit_lines(lines: IndexedLines, start: int, end: int, terms: PageTerms) -> bytes | None:
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
