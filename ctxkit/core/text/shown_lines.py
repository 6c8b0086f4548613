"""Leave out the first lines of content, because they were printed while its command ran."""

from collections.abc import Iterable, Iterator

from ctxkit.core.text.lines import IndexedLines


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
