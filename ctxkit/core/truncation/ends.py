"""The beginning and the end of content that may be too large for memory."""

from collections import deque

from ctxkit.core.truncation.limits import count_lines


class ContentEnds:
    """The first and the last bytes of content, its size and its lines; ``capacity`` is the size of each end.

    ``source_size`` is the size in bytes of the original if the content is its text in UTF-8, otherwise 0.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._head = bytearray()
        self._chunks: deque[bytes] = deque()
        self._chunks_size = 0
        self._newlines, self._last = 0, b""
        self.size = self.source_size = 0

    def add(self, chunk: bytes) -> None:
        """Add the next bytes of the content."""
        if not chunk:
            return
        self.size += len(chunk)
        self._newlines += chunk.count(b"\n")
        self._last = chunk[-1:]
        if len(self._head) < self._capacity:
            self._head += chunk[: self._capacity - len(self._head)]
        self._chunks.append(chunk)
        self._chunks_size += len(chunk)
        while self._chunks_size - len(self._chunks[0]) >= self._capacity:
            self._chunks_size -= len(self._chunks.popleft())

    @property
    def head(self) -> bytes:
        """Return the first bytes."""
        return bytes(self._head)

    @property
    def tail(self) -> bytes:
        """Return the last bytes."""
        data = b"".join(self._chunks)
        return data[max(len(data) - self._capacity, 0) :]

    @property
    def total_lines(self) -> int:
        """Return the number of lines; a last line without a newline counts."""
        return self._newlines + (self._last not in (b"", b"\n"))


class WholeContent:
    """Content in memory: both of its ends are the whole."""

    def __init__(self, data: bytes, source_size: int = 0) -> None:
        self.head = self.tail = data
        self.source_size = source_size
        self.size, self.total_lines = len(data), count_lines(data)


Ends = ContentEnds | WholeContent
