"""Run a command and read its combined output, in the order of writing."""

import os
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from errno import ENOENT
from time import monotonic
from typing import Any

from ctxkit.edge import say
from ctxkit.edge.output_pipe import OutputPipe
from ctxkit.system.processes import is_sandboxed

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
