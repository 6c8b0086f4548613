"""Read a stream ahead, and then again from its beginning."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

PIECE_SIZE = 1 << 20
"""Bytes of content in memory that are read at once."""


class PeekableStream:
    """A stream that buffers the bytes read until the caller drains it.

    Iteration reads on and buffers; ``drain`` yields everything once and frees the buffer. ``current`` is the chunk that
    the caller was processing, in case it fails.
    """

    def __init__(self, source: Iterable[bytes]) -> None:
        self._source = iter(source)
        self._buffer: deque[bytes] = deque()
        self.ended = False
        self.size = 0
        self.current = b""

    def peek(self, limit: int) -> bytes:
        """Read until more than ``limit`` bytes are buffered or the stream ends; return the buffer."""
        while self.size <= limit and not self.ended:
            self._read_chunk()
        if len(self._buffer) > 1:
            self._buffer = deque([b"".join(self._buffer)])
        return self._buffer[0] if self._buffer else b""

    def __iter__(self) -> Iterator[bytes]:
        """Yield the buffered chunks, then read and buffer the rest."""
        yield from list(self._buffer)
        while not self.ended:
            chunk_count = len(self._buffer)
            self._read_chunk()
            if len(self._buffer) > chunk_count:
                yield self._buffer[-1]

    def single_line(self, limit: int) -> bytes:  # noqa: ARG002 - a stream is not read for it
        """Return the content if it is in memory and one line of at most ``limit`` bytes, else b""."""
        return b""

    def drain(self) -> Iterator[bytes]:
        """Yield all content from the beginning, and free the buffer."""
        while self._buffer:
            yield self._buffer.popleft()
        for chunk in self._source:
            self.size += len(chunk)
            yield chunk
        self.ended = True

    def _read_chunk(self) -> None:
        chunk = next(self._source, None)
        if chunk is None:
            self.ended = True
        elif chunk:
            self._buffer.append(chunk)
            self.size += len(chunk)


class PeekableBytes(PeekableStream):
    """Content in memory, read in pieces or returned as a whole without a copy."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        super().__init__(self._pieces())

    def peek(self, limit: int) -> bytes:
        """Return all content if it is at most ``limit`` bytes, else more than ``limit`` bytes of it."""
        if len(self._data) > limit:
            return super().peek(limit)
        self._buffer.clear()
        self._source = iter(())
        self.size, self.ended = len(self._data), True
        return self._data

    def __iter__(self) -> Iterator[bytes]:
        """Yield all content from the beginning; ``size`` is at least the bytes read."""
        read = 0
        for piece in self._pieces():
            read += len(piece)
            self.size = max(self.size, read)
            yield piece

    def single_line(self, limit: int) -> bytes:
        """Return the content if it is one line of at most ``limit`` bytes, else b""."""
        size = len(self._data)
        return self._data if size <= limit and self._data.find(b"\n", 0, size - 1) < 0 else b""

    def drain(self) -> Iterator[bytes]:
        """Yield all content from the beginning."""
        self._buffer.clear()
        self.size, self.ended = len(self._data), True
        return self._pieces()

    def _pieces(self) -> Iterator[bytes]:
        view = memoryview(self._data)
        return (view[at : at + PIECE_SIZE].tobytes() for at in range(0, len(view), PIECE_SIZE))


class CountedContent:
    """Iterates over content and counts its bytes and lines; a last line without a newline is a line."""

    def __init__(self, content: Iterable[bytes]) -> None:
        self._content = content
        self._newlines = 0
        self._last = b"\n"
        self.size = 0

    @property
    def lines(self) -> int:
        """Return the number of lines so far."""
        return self._newlines + (self._last != b"\n")

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._content:
            self.size += len(piece)
            self._newlines += piece.count(b"\n")
            self._last = piece[-1:] or self._last
            yield piece
