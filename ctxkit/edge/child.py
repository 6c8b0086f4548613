"""Run a command and read its combined output, in the order of writing."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from errno import ENOENT
from time import monotonic, sleep
from typing import Any

from ctxkit.edge import out, say
from ctxkit.edge.source import CHUNK
from ctxkit.system.processes import is_running, is_sandboxed

GRACE_SECONDS = 0.3
"""Seconds without output after the command's end until reading stops, if a grandchild keeps the pipe open."""
_LINGER_SECONDS = 1.0
"""Maximum seconds after the command's end in which a grandchild's output is read."""
_FULL_PIPE = 1 << 20
"""Maximum bytes in a pipe: this much output after the command's end includes all that it wrote itself."""
_KILL_MOMENT = 0.05
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
        while not end_time or (bytes_after_end < _FULL_PIPE and _lingers(end_time, last_output)):
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
        yield from self._read_rest(_FULL_PIPE - bytes_after_end)

    def has_writers(self) -> bool:
        """Return whether a process may still write to the pipe; one that was killed just now may need a moment."""
        events = self._poll.poll(_KILL_MOMENT * 1000) if self.is_open else []
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


KILL_AFTER = 5.0
"""Seconds between the request to end, by SIGTERM or a second interruption, and the kill."""
CANNOT_RUN, NOT_FOUND, TIMED_OUT = 126, 127, 124
"""Exit statuses of the shell and of timeout(1)."""
_FROM_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
_RELAYED = (*_FROM_TERMINAL, signal.SIGTERM, signal.SIGHUP)
_STOPPING = (signal.SIGINT, signal.SIGTERM)
"""Signals whose first occurrence is only relayed, because a REPL survives it; the second starts the kill timer."""


class Child:
    """Runs ``argv`` with stdout and stderr on one pipe.

    The command has its own process group unless there is a terminal, which only the foreground group may read. Signals
    are relayed to it. After ``timeout`` seconds, it gets SIGTERM. ``kill_after`` seconds later, or after a second
    SIGINT or SIGTERM, its group is killed. Raise OSError if it cannot start.
    """

    def __init__(self, argv: Sequence[str], timeout: float | None = None, kill_after: float = KILL_AFTER) -> None:
        self._timeout, self._kill_after = timeout, kill_after
        self._deadline = monotonic() + timeout if timeout else None
        self._timed_out = False
        self._stop_signals = 0
        self._kill_at: float | None = None
        self._has_group = not _has_terminal()
        if not argv[0]:  # which the search along PATH would take for the directories themselves
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), argv[0])
        reader, writer = os.pipe()
        self._early_signals: list[int] | None = []
        self._old_handlers: dict[int, Any] = {}
        # A signal between the start of the command and the handlers would end this process, and not the command. One
        # that is ignored stays so until the command has inherited that.
        self._handle(number for number in _RELAYED if signal.getsignal(number) is not signal.SIG_IGN)
        try:
            self._process = subprocess.Popen(
                argv, stdout=writer, stderr=writer, process_group=0 if self._has_group else None, close_fds=False
            )  # descriptors that the caller left open, such as those of a jobserver, stay open
        except OSError:
            os.close(reader)
            self._restore_handlers()
            raise
        finally:
            os.close(writer)
        self.pipe = OutputPipe(reader)
        self._handle(number for number in _RELAYED if number not in self._old_handlers)
        early_signals, self._early_signals = self._early_signals, None
        for number in early_signals:
            self._relay_signal(number, None)

    def _handle(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._old_handlers[number] = signal.signal(number, self._relay_signal)

    def _restore_handlers(self) -> None:
        for number in list(self._old_handlers):
            signal.signal(number, self._old_handlers.pop(number))

    def read_output(self, *, ticks: bool = False) -> Iterator[bytes]:
        """Yield the output of the command until it has ended and everything it wrote is read.

        Do not wait for later output of a grandchild, nor read it without end: ``pipe`` is then still open. With
        ``ticks``, also yield b"" while nothing comes.
        """
        return self.pipe.read(self._has_ended, self._wait_seconds, ticks=ticks)

    def _has_ended(self) -> bool:
        """Return whether the command has ended; end it after its timeout."""
        self._enforce_timeout()
        return self._process.poll() is not None

    def announce(self, line: str) -> None:
        """Print a line on stderr; -q silences it."""
        if not say.is_quiet():
            say.write(line)

    def is_sandboxed(self) -> bool:
        """Return whether what the command leaves behind ends with the sandbox of this process."""
        return is_sandboxed(os.getpid())

    def wait(self) -> int:
        """Wait for the command and return its status as a shell does: 128 + n after signal n."""
        while True:
            try:
                code = self._process.wait(self._wait_seconds())
                break
            except subprocess.TimeoutExpired:
                self._enforce_timeout()
        self._restore_handlers()
        if self._timed_out or (self._kill_at is not None and monotonic() > self._kill_at):
            self._send_signal(signal.SIGKILL)  # the rest of its group
        if self._timed_out:
            return TIMED_OUT
        return 128 - code if code < 0 else code

    def describe_failure(self) -> str:
        """Return how a failed command ended, in words; "" if it did not fail."""
        status = self.wait()
        code = self._process.returncode
        if self._timed_out:
            return f"Exit status {status}: stopped after {self._timeout:g} s"
        if code < 0:
            return f"Exit status {status}: killed by {_signal_name(-code)}"
        return f"Exit status {status}" if status else ""

    def _wait_seconds(self) -> float:
        """Return the seconds to wait before the next check: at most a tenth of a second."""
        left = [0.1]
        if self._deadline is not None and not self._timed_out:
            left.append(max(self._deadline - monotonic(), 0.0))
        return min(left)

    def _enforce_timeout(self) -> None:
        """End the command after its timeout: terminate it, then kill it."""
        if self._process.poll() is not None:
            return
        if self._deadline is not None and monotonic() >= self._deadline and not self._timed_out:
            self._timed_out = True
            self._send_signal(signal.SIGTERM)
            self._start_kill_clock()
        elif self._kill_at is not None and monotonic() > self._kill_at:
            self._send_signal(signal.SIGKILL)

    def _start_kill_clock(self) -> None:
        if self._kill_at is None:
            self._kill_at = monotonic() + self._kill_after

    def _relay_signal(self, number: int, _: object) -> None:
        if self._early_signals is not None:
            self._early_signals.append(number)
            return
        if number in _STOPPING:
            self._stop_signals += 1
            if self._stop_signals > 1:
                self._start_kill_clock()
        # In the foreground group, the terminal has sent the same Ctrl-C to the command.
        if self._has_group or number not in _FROM_TERMINAL:
            self._send_signal(number)

    def _send_signal(self, number: int) -> None:
        try:
            if self._has_group:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)
        except (ProcessLookupError, PermissionError):
            return


def _signal_name(number: int) -> str:
    """Return the name of a signal; real-time signals have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _has_terminal() -> bool:
    """Return whether there is a terminal that the command may prompt on, regardless of its stdin."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _lingers(end_time: float, last_output: float) -> bool:
    """Return whether more output may come of a command that has ended: there was some just now, and not for long."""
    return monotonic() - last_output < GRACE_SECONDS and monotonic() - end_time < _LINGER_SECONDS


_POLL_SECONDS = 0.02
"""Seconds between two looks at the status of the command."""
_STATUS_SECONDS = 2.0
"""Seconds after the end of the output in which a status that nobody writes is waited for."""


class WrappedCommand:
    """A command whose output is on stdin, after the file ``first`` in a directory; its shell writes ``status`` there.

    ``shell`` is the number of that shell: if it ends without a status, a signal killed it. Raise OSError if there is
    no such file.
    """

    def __init__(self, directory: str, shell: int) -> None:
        self._directory, self._shell = directory, shell
        with open(self._locate("first"), "rb") as file:
            self._first = file.read()
        self.pipe = OutputPipe(os.dup(sys.stdin.fileno()))
        self._status: int | None = None

    @property
    def script(self) -> str:
        """Return the script of the host's shell; "" if it is unknown."""
        with suppress(OSError), open(self._locate("command"), encoding="utf-8", errors="replace") as file:
            return file.read()
        return ""

    def read_output(self, *, ticks: bool = False) -> Iterator[bytes]:
        """Yield the output until the command has ended and everything it wrote is read."""
        with suppress(OSError):
            os.unlink(self._locate("first"))  # which the reader would print if this process failed
        yield self._first
        yield from self.pipe.read(self._has_ended, lambda: _POLL_SECONDS, ticks=ticks)

    def announce(self, line: str) -> None:
        """Print a line between those of the output: the host reads stdout alone."""
        out.write_text(f"{line}\n")

    def is_sandboxed(self) -> bool:
        """Return whether what the command leaves behind ends with the sandbox of its shell."""
        return is_sandboxed(self._shell)

    def wait(self) -> int:
        """Wait for the end of the command; return its status, 0 if it is unknown."""
        limit = monotonic() + _STATUS_SECONDS
        while not self._has_ended() and monotonic() < limit:
            sleep(_POLL_SECONDS)
        return self._status or 0

    def describe_failure(self) -> str:
        """Return how a failed command ended, in words; "" if it did not fail."""
        status = self.wait()
        return f"Exit status {status}" if status else ""

    def _has_ended(self) -> bool:
        if self._status is not None:
            return True
        is_gone = not is_running(self._shell)
        with suppress(OSError, ValueError), open(self._locate("status"), encoding="ascii") as file:
            self._status = int(file.read())
        return is_gone or self._status is not None

    def _locate(self, name: str) -> str:
        return os.path.join(self._directory, name)
