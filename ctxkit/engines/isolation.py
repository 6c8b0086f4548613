"""Call a function in a forked process with limited memory and time.

Native code (tokenizers, grammar scanners, archives) can crash, and content can be crafted to exhaust memory or time.
Only the forked process dies then; its parent still answers.
"""

import fcntl
import gc
import os
import resource
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import ENOMEM
from time import monotonic, sleep
from typing import Any, NamedTuple

from ctxkit.core.errors import CtxkitError, MalformedInputError
from ctxkit.core.text.isolation import WorkerDiedError, WorkerLimitError
from ctxkit.engines.frames import decode_error, pack_message, take_message

MEMORY = 400 << 20
"""Maximum bytes of memory of the forked process."""
SECONDS, SECONDS_PER_MB = 10.0, 3.0
"""Maximum processor time in seconds: a constant, and an amount for each megabyte of content.

A compaction takes up to one second per megabyte on a machine of 2024; other machines are slower.
"""
WALL_FACTOR = 2
"""Maximum wall-clock time as a multiple of the processor time, because the machine may be busy."""
GC_THRESHOLD = 50_000
"""Objects between two garbage collections of a forked process, which is short-lived and has limited memory."""
EXIT_SECONDS = 1.0
"""Seconds that a process may take to end after it has closed its pipe."""

_SMALLER = "a smaller input, or a part of it"

OnMessage = Callable[[str, Any], None]
"""Handles a message that precedes the answer: its kind and its value."""


class ProcessLimits(NamedTuple):
    """Limits of a process: bytes of memory, seconds of processor time, and seconds until it answers."""

    memory: int = MEMORY
    cpu: float = SECONDS
    wall: float = SECONDS * WALL_FACTOR

    @classmethod
    def for_size(cls, size: int) -> "ProcessLimits":
        """Return the limits for content of ``size`` bytes."""
        cpu = SECONDS + SECONDS_PER_MB * size / 1e6
        return cls(MEMORY, cpu, cpu * WALL_FACTOR)


def can_fork() -> bool:
    """Return whether this process can fork safely: it has one thread, and its system libraries allow it."""
    if not hasattr(os, "fork") or sys.platform == "darwin":
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        threading = sys.modules.get("threading")
        return threading is None or threading.active_count() == 1


def run_forked(
    work: Callable[["WorkerChannel"], Any], limits: ProcessLimits, on_message: OnMessage = lambda *_: None
) -> Any:
    """Return the result of ``work`` in a forked process; ``work`` gets a channel for messages that precede it.

    Raise the CtxkitError or OSError of ``work``, WorkerLimitError if it exceeds its limits, and WorkerDiedError if it
    fails, crashes or sends garbage.
    """
    gc.freeze()  # a collection in the child would touch, and so copy, all memory of this process
    reader, writer = os.pipe()
    awaited, alive = os.pipe()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT))
    pid = os.fork()
    if not pid:
        try:
            os.close(reader)
            os.close(alive)
            _run_worker(work, limits, WorkerChannel(writer, awaited), mask)
        finally:
            os._exit(1)
    worker = _Worker(pid, reader, alive, limits)
    try:
        os.close(writer)
        os.close(awaited)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return worker.wait_for_answer(on_message)
    except WorkerDiedError as error:
        error.args = (f"the worker process {error}",)
        raise
    finally:
        worker.end()


class WorkerChannel:
    """Sends messages from the forked process to its parent."""

    def __init__(self, writer: int, awaited: int) -> None:
        self._writer, self._awaited = writer, awaited
        self.limits = ProcessLimits()

    def send(self, kind: str, value: Any) -> None:
        """Send a message."""
        view = memoryview(pack_message(kind, value))
        while view:
            view = view[os.write(self._writer, view) :]

    def send_and_wait(self, kind: str, value: Any) -> None:
        """Send a message, and wait until the parent has handled it."""
        self._set_watch(on=False)
        self.send(kind, value)
        if not os.read(self._awaited, 1):
            os._exit(1)
        self._set_watch(on=True)

    def extend_deadline(self, seconds: float) -> None:
        """Announce that the next message may take ``seconds`` longer, because other processes work for it."""
        self.send("expect", float(seconds))

    def extend_limits(self, size: int) -> None:
        """Announce ``size`` more bytes of content to process."""
        seconds = SECONDS_PER_MB * size / 1e6
        self.limits = self.limits._replace(cpu=self.limits.cpu + seconds)
        _lower_limit(resource.RLIMIT_CPU, self.limits.cpu)
        self.extend_deadline(seconds * WALL_FACTOR)

    def end_with_parent(self) -> None:
        """End this process as soon as its parent ends, for any reason."""
        fcntl.fcntl(self._awaited, fcntl.F_SETOWN, os.getpid())
        if hasattr(fcntl, "F_SETSIG"):
            fcntl.fcntl(self._awaited, fcntl.F_SETSIG, signal.SIGKILL)
        self._set_watch(on=True)

    def _set_watch(self, *, on: bool) -> None:
        flags = fcntl.fcntl(self._awaited, fcntl.F_GETFL)
        fcntl.fcntl(self._awaited, fcntl.F_SETFL, flags | os.O_ASYNC if on else flags & ~os.O_ASYNC)
        if on and select.select([self._awaited], (), (), 0)[0]:  # the parent ended before the watch began
            os._exit(1)


_channel: WorkerChannel | None = None
"""The channel of this process, if it was forked here."""


def report_group(group: int) -> None:
    """Have a process group killed if this process, as a worker, dies."""
    if _channel is not None:
        _channel.send("group", group)


class _Worker:
    """Waits for a forked process, and ends it."""

    def __init__(self, pid: int, reader: int, alive: int, limits: ProcessLimits) -> None:
        self._pid, self._reader, self._alive, self._limits = pid, reader, alive, limits
        self._status: int | None = None
        self._groups = [pid]
        with suppress(OSError):  # the process does the same; either may come first
            os.setpgid(pid, pid)

    def wait_for_answer(self, on_message: OnMessage) -> Any:
        """Return the answer."""
        for kind, value in self._read_messages():
            if kind == "result":
                self._groups = [self._pid]  # it has ended the processes that it started
                return value
            if kind in _ENDS:
                raise _ENDS[kind](value)
            if kind == "group" and isinstance(value, int) and value > 1:
                self._groups.append(value)
                continue
            on_message(kind, value)
            if kind.startswith("ask "):
                os.write(self._alive, b"\n")
        raise self._death_error()

    def _read_messages(self) -> Iterator[tuple[str, Any]]:
        """Yield messages until the pipe closes; raise WorkerLimitError after the time limit."""
        buffer, wait = bytearray(), self._limits.wall
        deadline = monotonic() + wait
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        while True:
            left = deadline - monotonic()
            if left <= 0:
                raise WorkerLimitError(f"gave no answer in {wait:g} s", hint=_SMALLER)
            if not poll.poll(left * 1000):
                continue
            piece = os.read(self._reader, 1 << 18)
            if not piece:
                return
            buffer += piece
            while (message := take_message(buffer)) is not None:
                kind, value = message
                if kind == "expect":
                    deadline += _check_seconds(value)
                    wait += _check_seconds(value)
                else:
                    yield kind, value

    def _death_error(self) -> WorkerDiedError:
        """Return the error that describes how the process ended."""
        status = self._wait_for_exit()
        if not os.WIFSIGNALED(status):
            return WorkerDiedError("ended without an answer")
        number = os.WTERMSIG(status)
        if number == getattr(signal, "SIGXCPU", None):
            return WorkerLimitError(f"took more than {self._limits.cpu:g} s of processor time", hint=_SMALLER)
        return WorkerDiedError(f"was killed by {_signal_name(number)}")

    def _wait_for_exit(self, seconds: float = EXIT_SECONDS) -> int:
        """Return the status of a process that is about to end; kill it after ``seconds``."""
        until = monotonic() + seconds
        while self._status is None:
            left = until - monotonic()
            if left <= 0:
                self._kill()
            try:
                pid, status = os.waitpid(self._pid, os.WNOHANG if left > 0 else 0)
            except ChildProcessError:  # the parent of this process ignores SIGCHLD
                pid, status = self._pid, 0
            if pid:
                self._status = status
            else:
                sleep(0.001)
        return self._status

    def _kill(self) -> None:
        for group in self._groups:
            with suppress(OSError):
                os.killpg(group, signal.SIGKILL)

    def end(self) -> None:
        """End the process and its group without leaving a zombie."""
        if len(self._groups) > 1 and self._status is None:  # let it end its children first
            with suppress(OSError):
                os.kill(self._pid, signal.SIGINT)
            self._wait_for_exit()
        self._kill()  # its remaining children too
        self._wait_for_exit(0)
        os.close(self._reader)
        os.close(self._alive)


def _check_seconds(value: Any) -> float:
    if not isinstance(value, float) or not 0 <= value <= 1e6:
        raise WorkerDiedError("sent garbage")
    return value


def _decode_os_error(value: Any) -> Exception:
    """Return the OSError of a process."""
    if not (isinstance(value, tuple) and len(value) == 3 and isinstance(value[0], int) and isinstance(value[1], str)):
        return WorkerDiedError("sent garbage")
    return OSError(*value) if isinstance(value[2], str) else OSError(*value[:2])


def _memory_error(_: Any) -> Exception:
    return WorkerLimitError(f"needed more than {MEMORY >> 20} MB of memory", hint=_SMALLER)


def _failure_error(value: Any) -> Exception:
    return WorkerDiedError(f"failed: {value}"[:1000], hint="CTXKIT_DEBUG=1 shows where; please report it")


_ENDS: dict[str, Callable[[Any], Exception]] = {
    "trouble": decode_error,
    "os": _decode_os_error,
    "memory": _memory_error,
    "failed": _failure_error,
}


def _run_worker(work: Callable[[WorkerChannel], Any], limits: ProcessLimits, channel: WorkerChannel, mask: Any) -> None:
    """Run the work, and send its result or its error."""
    global _channel
    _channel = channel
    try:
        _detach(channel, mask)
        _confine(channel, limits)
        gc.set_threshold(GC_THRESHOLD)
        channel.send("result", work(channel))
    except MemoryError:
        _restore_limits()
        channel.send("memory", None)
    except CtxkitError as error:
        channel.send("trouble", (type(error).__name__, str(error), error.hint))
    except OSError as error:
        _restore_limits()
        if error.errno == ENOMEM:
            channel.send("memory", None)
            return
        name = error.filename if isinstance(error.filename, str) else None
        channel.send("os", (error.errno or 0, error.strerror or str(error), name))
    except RecursionError:  # recursion is as deep as the input is nested
        _restore_limits()
        channel.send("trouble", (MalformedInputError.__name__, "the input is nested too deeply", ""))
    except BaseException as error:
        from traceback import print_exc

        _restore_limits()
        if _is_debugging():
            print_exc()
        channel.send("failed", f"{type(error).__name__}: {error}")


def _detach(channel: WorkerChannel, mask: Any) -> None:
    """Detach from the signals, the terminal and the output of the parent."""
    with suppress(OSError):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    channel.end_with_parent()
    # Messages of dying native code must reach neither stdout nor stderr.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    if not _is_debugging():
        os.dup2(nowhere, 2)
    os.close(nowhere)


def _is_debugging() -> bool:
    """Return whether the user wants tracebacks."""
    return os.environ.get("CTXKIT_DEBUG", "") not in ("", "0")


_old_limits: dict[int, tuple[int, int]] = {}
"""The limits of this process before ``_confine``."""


def _confine(channel: WorkerChannel, limits: ProcessLimits) -> None:
    """Limit this process; change only soft limits, so that they can be restored for a program that it starts."""
    channel.limits = limits
    data, resident = _read_memory_use()
    for kind in (resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_CORE):
        _old_limits[kind] = resource.getrlimit(kind)
    if data:
        _lower_limit(resource.RLIMIT_DATA, data + max(limits.memory - resident, limits.memory // 8))
    _lower_limit(resource.RLIMIT_CPU, limits.cpu)
    _lower_limit(resource.RLIMIT_CORE, 0)


def _lower_limit(kind: int, most: float) -> None:
    """Lower a soft limit, never above its old value."""
    soft, hard = _old_limits[kind]
    least = int(most) if soft == resource.RLIM_INFINITY else min(int(most), soft)
    with suppress(OSError, ValueError):
        resource.setrlimit(kind, (least, hard))


@contextmanager
def lift_limits() -> Iterator[None]:
    """Lift the limits while a program starts that has its own limits or none."""
    confined = {kind: resource.getrlimit(kind) for kind in _old_limits}
    _restore_limits()
    try:
        yield
    finally:
        for kind, limits in confined.items():
            resource.setrlimit(kind, limits)


def _restore_limits() -> None:
    """Restore the old limits, so that the report of a memory error has enough memory."""
    for kind, limits in _old_limits.items():
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, limits)


def _read_memory_use() -> tuple[int, int]:
    """Return the private and the resident memory of this process in bytes; zeros if the system does not report them."""
    try:
        with open("/proc/self/statm", "rb") as file:
            fields = file.read().split()
    except OSError:
        return 0, 0
    page = resource.getpagesize()
    return int(fields[5]) * page, int(fields[1]) * page


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
