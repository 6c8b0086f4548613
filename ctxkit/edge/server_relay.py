"""Relay lines between this process and a server that it starts; other processes, which may die, answer some."""

import os
import select
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import NamedTuple, Protocol

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
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
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


_SAFE_PIECE = 4096
"""Bytes that a pipe takes without blocking once it is writable (PIPE_BUF): stdout belongs to the client as well, and so
it stays as the client has set it."""
_MOST_WAITING = 1 << 20
"""Bytes that wait for a reader before the other side is read no further."""
_MOST_JOBS = 8
"""Lines that wait for their job before the server is read no further."""
_LAST_SECONDS = 0.3
"""Seconds of silence after the end of the server that end its output, which another process may hold open."""
_PR_SET_PDEATHSIG = 1
"""The operation of prctl(2) that names the signal after the death of the parent."""


class LineHandler(Protocol):
    """Decides on lines, which end with a newline unless they are the last ones."""

    def take_client_line(self, line: bytes) -> tuple[bytes, Job | None]:
        """Return what the server gets of a line of the client, and a job that answers the rest."""

    def take_server_line(self, line: bytes) -> Job | None:
        """Return the job that changes a line of the server, None if it passes."""


class ServerRelay:
    """Starts a server, and relays lines until it has ended; raise OSError if it cannot start.

    Jobs are done one after another, and lines without one pass meanwhile: a reply names its request, whenever it comes.
    The server gets the bytes ``first`` before the lines of the client.
    """

    def __init__(self, argv: Sequence[str], handler: LineHandler, first: bytes = b"") -> None:
        if not argv[0]:
            raise FileNotFoundError
        _open_closed_descriptors()
        self._handler, self._source, self._sink = handler, 0, OutputBuffer(1, _SAFE_PIECE)
        self._wakeup, wakeup = os.pipe()
        for descriptor in (self._wakeup, wakeup):
            os.set_blocking(descriptor, False)
        # In the process group of this process: what a host sends to the group reaches the server as well.
        self._server = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            close_fds=False,
            preexec_fn=_end_with_parent if sys.platform == "linux" else None,
        )
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        os.set_blocking(self._server.stdin.fileno(), False)
        self._to_server = OutputBuffer(self._server.stdin.fileno(), PIECE)
        self._to_server.add(first)
        self._server_output: int | None = self._server.stdout.fileno()
        self._client_lines, self._server_lines = LineBuffer(), LineBuffer()
        self._client_ended = False
        self._jobs: deque[Job] = deque()
        self._worker: JobProcess | None = None
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in _PASSED_ON:
            signal.signal(number, self._pass_signal)

    def run(self) -> int:
        """Relay until the server has ended, and return its status as a shell does: 128 + n after signal n."""
        last_output = monotonic()
        while True:
            self._take_lines()
            has_ended = self._server.poll() is not None
            is_done = has_ended and self._is_idle()
            if is_done and self._server_output is None:
                code = self._server.returncode
                return 128 - code if code < 0 else code
            if is_done and monotonic() - last_output >= _LAST_SECONDS:
                self._end_output()
            elif self._wait(_LAST_SECONDS if has_ended else None):
                last_output = monotonic()

    def _take_lines(self) -> None:
        """Hand out the lines that are complete, as far as their readers keep up."""
        self._take_client_lines()
        self._take_server_lines()
        if self._worker is None and self._jobs:
            self._worker = self._start(self._jobs.popleft())

    def _is_idle(self) -> bool:
        """Return whether nothing is left to answer or to write."""
        return not (self._worker or self._jobs or self._server_lines.lines or self._sink.size)

    def _take_client_lines(self) -> None:
        lines = self._client_lines.lines
        while lines and self._to_server.size <= _MOST_WAITING:
            forwarded, job = self._handler.take_client_line(lines.popleft())
            self._to_server.add(forwarded)
            if job is not None:
                self._jobs.append(job)
        if self._client_ended and not lines and not self._to_server.size and self._server.stdin is not None:
            self._close_input()

    def _take_server_lines(self) -> None:
        lines = self._server_lines.lines
        while lines and len(self._jobs) < _MOST_JOBS and self._sink.size <= _MOST_WAITING:
            line = lines.popleft()
            job = self._handler.take_server_line(line)
            if job is None:
                self._sink.add(line)
            else:
                self._jobs.append(job)

    def _start(self, job: Job) -> "JobProcess":
        """Start a job in a process that does not hold the input of the server open."""
        return JobProcess(job, *(() if self._server.stdin is None else (self._to_server.descriptor,)))

    def _wait(self, seconds: float | None) -> bool:
        """Wait until something can be read or written, and do it; return whether the server has written."""
        poll, has_output = select.poll(), False
        for descriptor, event in self._list_events():
            poll.register(descriptor, event)
        if self._worker is not None:
            left = max(self._worker.deadline - monotonic(), 0.0)
            seconds = left if seconds is None else min(seconds, left)
        for descriptor, _ in poll.poll(None if seconds is None else seconds * 1000 + 1):
            has_output |= descriptor == self._server_output
            self._handle(descriptor)
        if self._worker is not None and monotonic() >= self._worker.deadline:
            self._worker.kill()
        return has_output

    def _list_events(self) -> list[tuple[int, int]]:
        """Return the descriptors to wait for."""
        events = [(self._wakeup, select.POLLIN)]
        if not self._client_ended and not self._client_lines.lines:
            events.append((self._source, select.POLLIN))
        if self._server_output is not None and not self._server_lines.lines and self._sink.size <= _MOST_WAITING:
            events.append((self._server_output, select.POLLIN))
        if self._worker is not None:
            events.append((self._worker.descriptor, select.POLLIN))
        return events + [(output.descriptor, select.POLLOUT) for output in (self._to_server, self._sink) if output.size]

    def _handle(self, descriptor: int) -> None:
        """Read or write once."""
        if descriptor == self._wakeup:
            with suppress(BlockingIOError):
                os.read(descriptor, PIECE)
        elif self._worker is not None and descriptor == self._worker.descriptor:
            if self._worker.read():
                self._sink.add(self._worker.finish())
                self._worker = None
        elif descriptor == self._source:
            data = read_available(descriptor)
            self._client_lines.add(data)
            self._client_ended = not data
        elif descriptor == self._server_output:
            data = read_available(descriptor)
            if data:
                self._server_lines.add(data)
            else:
                self._end_output()
        else:
            self._write(self._to_server if descriptor == self._to_server.descriptor else self._sink)

    def _write(self, output: OutputBuffer) -> None:
        output.write()
        if output.is_open:
            return
        if output is self._to_server:  # the server has closed its stdin; what it still writes is relayed
            self._close_input()
        else:  # the client has gone: the server finds its pipe closed, as without us
            self._end_output()

    def _end_output(self) -> None:
        """Close the output of the server, whose last line needs no newline."""
        if self._server_output is not None and self._server.stdout is not None:
            self._server.stdout.close()
            self._server_output = None
            self._server_lines.add(b"")

    def _close_input(self) -> None:
        if self._server.stdin is not None:
            self._server.stdin.close()
            self._server.stdin = None
            self._to_server.is_open = False

    def _pass_signal(self, number: int, _: object) -> None:
        with suppress(OSError):
            self._server.send_signal(number)


def _open_closed_descriptors() -> None:
    """Let no pipe take the place of stdin, stdout or stderr that the client has closed."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest free number


def _end_with_parent() -> None:
    """Have this process, a server to be, killed if its parent is killed, which then can pass no signal on."""
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _work(job: Job, writer: int, closed: Sequence[int]) -> None:
    """Do a job in a forked process, and end it."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in (*_PASSED_ON, signal.SIGCHLD):
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
