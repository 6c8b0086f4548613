"""Samples spread over a whole document, to check that all of it has the form of its beginning."""

from collections.abc import Iterator

from ctxkit.core.brief.document import HEAD_BYTES, InputDocument

WINDOWS = 8
"""Number of places that are read besides the head."""
WINDOW_BYTES = 8_192
"""Number of bytes read at each place."""


def read_spread_lines(document: InputDocument) -> list[str]:
    """Return complete lines from the head, from places spread over the document, and from its end.

    A document up to twice as long as the head is read completely.
    """
    return [line for window in iter_windows(document) for line in window]


def iter_windows(document: InputDocument) -> Iterator[list[str]]:
    """Yield the complete lines of each sampled place, in order."""
    size = document.lines.size
    if size <= 2 * HEAD_BYTES:
        yield _split_lines(document.read(0, size))
        return
    yield _split_lines(_drop_last_line(document.read(0, HEAD_BYTES)))
    room = size - HEAD_BYTES - WINDOW_BYTES
    for number in range(1, WINDOWS + 1):
        data = document.read(HEAD_BYTES + room * number // WINDOWS, WINDOW_BYTES)
        data = data[data.find(b"\n") + 1 :] if b"\n" in data else b""
        yield _split_lines(data if number == WINDOWS else _drop_last_line(data))


def _drop_last_line(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]


def _split_lines(data: bytes) -> list[str]:
    if not data:
        return []
    text = data.decode("utf-8", "replace").removesuffix("\n")
    return [line.removesuffix("\r") for line in text.split("\n")]
