"""Hold the stdin, stdout and stderr of a call: in memory while they are small, else in files without a name."""

import os
import tempfile
from collections.abc import Iterator

MEMORY_BYTES = 1 << 20
"""Bytes of a body up to which its call is held in memory."""
PIECE = 1 << 18


def make_file(*, is_small: bool) -> int:
    """Return the descriptor of a new file without a name: in memory if it ``is_small``, else on the disk."""
    if is_small and hasattr(os, "memfd_create"):
        return os.memfd_create("ctxkit", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


class CallFiles:
    """The three files of a call; ``close`` frees them.

    Parameters: ``is_small`` is true if the output is about as large as the body.
    """

    def __init__(self, *, is_small: bool) -> None:
        self._is_small = is_small
        self._size = 0
        self.input = make_file(is_small=True)
        self.output = self.messages = -1

    def write_body(self, data: bytes) -> None:
        """Append a piece of the body; move it to the disk once it is large."""
        if self._size <= MEMORY_BYTES < self._size + len(data):
            self._move_to_disk()
        self._size += len(data)
        view = memoryview(data)
        while view:
            view = view[os.write(self.input, view) :]

    @property
    def size(self) -> int:
        """Return the bytes of the body so far."""
        return self._size

    def finish_body(self) -> tuple[int, int, int]:
        """Return the descriptors of stdin, stdout and stderr, ready for the command, also for a second attempt."""
        os.lseek(self.input, 0, os.SEEK_SET)
        for descriptor in (self.output, self.messages):
            if descriptor >= 0:
                os.close(descriptor)
        self.output = self.messages = -1
        is_small = self._is_small and self._size <= MEMORY_BYTES
        self.output, self.messages = make_file(is_small=is_small), make_file(is_small=True)
        return self.input, self.output, self.messages

    def read_messages(self, most: int) -> bytes:
        """Return the beginning of stderr."""
        return os.pread(self.messages, most, 0)

    def measure_output(self) -> int:
        """Return the bytes of stdout."""
        return os.fstat(self.output).st_size

    def read_output(self) -> Iterator[bytes]:
        """Yield stdout in pieces."""
        at = 0
        while piece := os.pread(self.output, PIECE, at):
            at += len(piece)
            yield piece

    def close(self) -> None:
        """Free the files."""
        for descriptor in (self.input, self.output, self.messages):
            if descriptor >= 0:
                os.close(descriptor)
        self.input = self.output = self.messages = -1

    def _move_to_disk(self) -> None:
        on_disk = make_file(is_small=False)
        at = 0
        while piece := os.pread(self.input, PIECE, at):
            at += os.write(on_disk, piece)
        os.close(self.input)
        self.input = on_disk
