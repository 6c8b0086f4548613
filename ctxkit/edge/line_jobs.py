"""Do work on a line in another process, which may die, and hold lines that have come and output that waits."""

import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from ctxkit.edge import say

PIECE = 1 << 16
"""Bytes of a read."""


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


_WORK_SECONDS, _SECONDS_PER_MB = 60.0, 6.0
"""Seconds that a job may take: a constant, and an amount for each megabyte of its line."""
PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that a process of this one does not handle as it does."""


class Job(NamedTuple):
    """Work on a line in another process, and what this process writes after it.

    ``work`` returns bytes. ``finish`` gets these, None if the process failed, and returns what the client gets.
    """

    work: Callable[[], bytes]
    finish: Callable[[bytes | None], bytes]
    size: int = 0


class JobProcess:
    """A process that does a job, and what it has sent so far."""

    def __init__(self, job: Job, *closed: int) -> None:
        self._job = job
        self._pieces: list[bytes] = []
        self.descriptor, writer = os.pipe()
        self.deadline = monotonic() + _WORK_SECONDS + _SECONDS_PER_MB * job.size / 1e6
        self._pid = os.fork()
        if not self._pid:
            _work(job, writer, (self.descriptor, *closed))
        os.close(writer)

    def read(self) -> bool:
        """Read what has come; return whether it was the last."""
        data = read_available(self.descriptor)
        self._pieces.append(data)
        return not data

    def finish(self) -> bytes:
        """Return what the client gets."""
        os.close(self.descriptor)
        status = os.waitpid(self._pid, 0)[1]
        if os.WIFSIGNALED(status):  # any other failure was reported by the process
            say.warn(f"the process that read a message was killed by signal {os.WTERMSIG(status)}")
        return self._job.finish(b"".join(self._pieces) if status == 0 else None)

    def kill(self) -> None:
        """End the process."""
        with suppress(OSError):
            os.kill(self._pid, signal.SIGKILL)


def _work(job: Job, writer: int, closed: Sequence[int]) -> None:
    """Do a job in a forked process, and end it."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in (*PASSED_ON, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        for descriptor in closed:
            with suppress(OSError):
                os.close(descriptor)
        rest = memoryview(job.work())
        while rest:
            rest = rest[os.write(writer, rest) :]
        status = 0
    finally:
        os._exit(status)


def read_available(descriptor: int) -> bytes:
    """Return bytes that have come, b"" at the end or if nobody can write any more."""
    try:
        return os.read(descriptor, PIECE)
    except OSError:
        return b""
