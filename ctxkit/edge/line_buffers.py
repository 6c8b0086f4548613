"""Hold bytes between a reader and a writer: as lines that have come, and as output that waits."""

import os
from collections import deque

PIECE = 1 << 16
"""Bytes of a read."""


def read_available(descriptor: int) -> bytes:
    """Return bytes that have come, b"" at the end or if nobody can write any more."""
    try:
        return os.read(descriptor, PIECE)
    except OSError:
        return b""


class LineBuffer:
    """Bytes that come in, as lines."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.lines: deque[bytes] = deque()

    def add(self, data: bytes) -> None:
        """Add bytes; none mean the end, which ends the last line."""
        self._pieces.append(data)
        if not data or b"\n" in data:
            *lines, rest = b"".join(self._pieces).split(b"\n")
            self.lines.extend(line + b"\n" for line in lines)
            if rest and not data:
                self.lines.append(rest)
            self._pieces = [rest]


class OutputBuffer:
    """Bytes that wait until a descriptor takes them."""

    def __init__(self, descriptor: int, piece: int) -> None:
        self.descriptor, self._piece = descriptor, piece
        self._waiting: deque[memoryview] = deque()
        self.size = 0
        self.is_open = True

    def add(self, data: bytes) -> None:
        """Add bytes; nobody gets them once the descriptor is closed."""
        if data and self.is_open:
            self._waiting.append(memoryview(data))
            self.size += len(data)

    def write(self) -> None:
        """Write as many bytes as the descriptor takes; drop all of them if nobody reads any more."""
        try:
            written = os.write(self.descriptor, self._waiting[0][: self._piece])
        except BlockingIOError:
            return
        except OSError:
            self.is_open = False
            self._waiting.clear()
            self.size = 0
            return
        self.size -= written
        self._waiting[0] = self._waiting[0][written:]
        if not self._waiting[0]:
            self._waiting.popleft()
