"""Read what comes through a pipe until the command that writes to it has ended."""

import os
import select
from collections.abc import Callable, Iterator
from time import monotonic

from ctxkit.edge.source import CHUNK

GRACE_SECONDS = 0.3
"""Seconds without output after the command's end until reading stops, if a grandchild keeps the pipe open."""
LINGER_SECONDS = 1.0
"""Maximum seconds after the command's end in which a grandchild's output is read."""
FULL_PIPE = 1 << 20
"""Maximum bytes in a pipe: this much output after the command's end includes all that it wrote itself."""

KILL_MOMENT = 0.05
"""Seconds within which a killed process closes its pipes."""


class OutputPipe:
    """The reading end of a pipe; ``is_open`` until all writers have closed theirs."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.is_open = True
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN | select.POLLHUP)

    def read(self, has_ended: Callable[[], bool], wait_seconds: Callable[[], float], *, ticks: bool) -> Iterator[bytes]:
        """Yield what comes until the command has ended and everything it wrote is read.

        Do not wait for later output of a grandchild, nor read it without end. ``has_ended`` is called at least after
        ``wait_seconds``. With ``ticks``, also yield b"" while nothing comes.
        """
        end_time, last_output, bytes_after_end = 0.0, monotonic(), 0
        while not end_time or (bytes_after_end < FULL_PIPE and _lingers(end_time, last_output)):
            if self._is_readable(wait_seconds()):
                piece = os.read(self.descriptor, CHUNK)
                if not piece:
                    self.close()
                    return
                last_output, bytes_after_end = monotonic(), bytes_after_end + len(piece) if end_time else 0
                yield piece
            elif ticks:
                yield b""
            if has_ended() and not end_time:
                end_time = last_output = monotonic()
        yield from self._read_rest(FULL_PIPE - bytes_after_end)

    def has_writers(self) -> bool:
        """Return whether a process may still write to the pipe; one that was killed just now may need a moment."""
        events = self._poll.poll(KILL_MOMENT * 1000) if self.is_open else []
        return self.is_open and not any(event & select.POLLHUP and not event & select.POLLIN for _, event in events)

    def _read_rest(self, most: int) -> Iterator[bytes]:
        """Yield what is in the pipe already, until there were ``most`` bytes."""
        while most > 0 and self._is_readable(0):
            piece = os.read(self.descriptor, CHUNK)
            if not piece:
                self.close()
                return
            most -= len(piece)
            yield piece

    def read_all(self) -> Iterator[bytes]:
        """Yield what comes until all writers have closed the pipe."""
        while piece := os.read(self.descriptor, CHUNK):
            yield piece

    def close(self) -> None:
        """Close the reading end."""
        if self.is_open:
            self.is_open = False
            os.close(self.descriptor)

    def _is_readable(self, wait: float) -> bool:
        return bool(self._poll.poll(wait * 1000))


def _lingers(end_time: float, last_output: float) -> bool:
    """Return whether more output may come of a command that has ended: there was some just now, and not for long."""
    return monotonic() - last_output < GRACE_SECONDS and monotonic() - end_time < LINGER_SECONDS
