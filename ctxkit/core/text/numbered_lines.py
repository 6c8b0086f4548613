"""Lines of bytes that arrive in pieces, with their numbers."""

from collections.abc import Iterable, Iterator


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
