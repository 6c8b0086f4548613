"""Index the lines of content that comes in pieces."""

from __future__ import annotations

from collections.abc import Sequence

BLOCK = 65_536
"""Bytes between two entries of a line index: a random access reads one block."""


class LineIndex:
    """Counts newlines of a stream, with one entry per block.

    ``newline_counts[i]`` is the number of newlines before byte ``i * BLOCK``.
    """

    def __init__(self) -> None:
        self.newline_counts = [0]
        self.newlines = 0
        self.size = 0
        self.last = b""

    def update(self, chunk: bytes) -> None:
        """Add the next bytes of the content."""
        if not chunk:
            return
        start = 0
        while start < len(chunk):
            end = min(start + BLOCK - self.size % BLOCK, len(chunk))
            self.newlines += chunk.count(b"\n", start, end)
            self.size += end - start
            if self.size % BLOCK == 0:
                self.newline_counts.append(self.newlines)
            start = end
        self.last = chunk[-1:]

    @property
    def total(self) -> int:
        """Return the number of lines so far; a last line without a newline counts."""
        return self.newlines + (1 if self.last not in (b"", b"\n") else 0)


def pack_counts(counts: Sequence[int]) -> bytes:
    """Return counts as bytes: integers of 64 bits in the byte order of this machine."""
    from array import array  # a shared library, which content of a few blocks does not need

    return array("Q", counts).tobytes()
