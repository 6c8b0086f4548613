"""Parts of content: a range of bytes or lines, the lines that match."""

from collections import deque
from collections.abc import Iterator
from re import Pattern

from ctxkit.core.lines import BLOCK, Lines, Read
from ctxkit.core.span import Span
from ctxkit.core.trouble import NotHeld

ALL = Span(None, None)


def octets(read: Read, size: int, span: Span = ALL) -> Iterator[bytes]:
    """Yield the bytes of a range, all of them by default; raises NotHeld beyond the end."""
    start, end = (1, size) if span == ALL else within(span, size, "bytes")
    return (read(offset, min(16 * BLOCK, end - offset)) for offset in range(start - 1, end, 16 * BLOCK))


def within(span: Span, total: int, noun: str) -> tuple[int, int]:
    """Return first and last position of a range; raises NotHeld when it begins beyond the end."""
    start, end = span.within(total)
    if start > total:
        are = f"there {'is' if total == 1 else 'are'} {total:,} {noun.removesuffix('s') if total == 1 else noun}"
        raise NotHeld(f"{noun} from {start:,}: {are}")
    return start, end


def rows(lines: Lines, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Yield (number, bytes) of each line of a range, its newline kept."""
    left: list[bytes] = []
    for piece in lines.raw(start, end):
        whole = piece.splitlines(keepends=True) if b"\r" not in piece else _split(piece)
        for part in whole:
            left.append(part)
            if part.endswith(b"\n"):
                yield start, b"".join(left)
                left.clear()
                start += 1
    if left:
        yield start, b"".join(left)


def _split(piece: bytes) -> list[bytes]:
    """Split at newlines alone; splitlines would split at carriage returns too."""
    parts = piece.split(b"\n")
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])


def numbered(numbers: Iterator[tuple[int, bytes]]) -> Iterator[bytes]:
    """Yield lines with their numbers before them, as ``grep -n`` writes them."""
    return (b"%d:%s" % (number, text) for number, text in numbers)


def matching(
    lines: Lines, start: int, end: int, pattern: Pattern[str], context: int, *, numbers: bool
) -> Iterator[bytes]:
    """Yield the lines that match, with ``context`` lines around each, laid out as grep does."""
    before: deque[tuple[int, bytes]] = deque(maxlen=context)
    shown, after = 0, 0
    for number, text in rows(lines, start, end):
        if pattern.search(text.rstrip(b"\r\n").decode("utf-8", "surrogateescape")):
            first = before[0][0] if before else number
            if shown and context and first > shown + 1:
                yield b"--\n"
            for earlier, row in before:
                yield b"%d-%s" % (earlier, row) if numbers else row
            before.clear()
            yield b"%d:%s" % (number, text) if numbers else text
            shown, after = number, context
        elif after:
            yield b"%d-%s" % (number, text) if numbers else text
            shown, after = number, after - 1
        else:
            before.append((number, text))
