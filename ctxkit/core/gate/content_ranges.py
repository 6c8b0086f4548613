"""Read parts of content: a range of bytes or lines, or the lines that match a pattern."""

from collections import deque
from collections.abc import Iterator
from re import Pattern

from ctxkit.core.errors import NotStoredError
from ctxkit.core.text.lines import BLOCK, IndexedLines, Read
from ctxkit.core.text.spans import PositionRange

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
