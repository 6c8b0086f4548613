"""Run a function in a forked process with limits, and the channel on which its messages and errors come."""

from __future__ import annotations

import gc
import marshal
import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import ENOMEM
from typing import Any, NamedTuple

from ctxkit.core import errors
from ctxkit.core.errors import CtxkitError, MalformedInputError
from ctxkit.core.text.limits import WorkerDiedError, WorkerLimitError

try:
    import resource
except ImportError:  # a system without forks, where no process is confined
    resource = None  # type: ignore[assignment]
MEMORY = 400 << 20
"""Maximum bytes of memory of the forked process."""
SECONDS, _SECONDS_PER_MB = 10.0, 3.0
"""Maximum processor time in seconds: a constant, and an amount for each megabyte of content.

A compaction takes up to one second per megabyte on a machine of 2024; other machines are slower.
"""
_WALL_FACTOR = 2
"""Maximum wall-clock time as a multiple of the processor time, because the machine may be busy."""


class ProcessLimits(NamedTuple):
    """Limits of a process: bytes of memory, seconds of processor time, and seconds until it answers."""

    memory: int = MEMORY
    cpu: float = SECONDS
    wall: float = SECONDS * _WALL_FACTOR

    @classmethod
    def for_size(cls, size: int) -> ProcessLimits:
        """Return the limits for content of ``size`` bytes."""
        cpu = SECONDS + _SECONDS_PER_MB * size / 1e6
        return cls(MEMORY, cpu, cpu * _WALL_FACTOR)


_old_limits: dict[int, tuple[int, int]] = {}
"""The limits of this process before ``confine``."""
_GC_THRESHOLD = 1_000_000
"""Objects between two garbage collections of a forked process, which is short-lived and has limited memory."""


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
        seconds = _SECONDS_PER_MB * size / 1e6
        self.limits = self.limits._replace(cpu=self.limits.cpu + seconds)
        _lower_limit(resource.RLIMIT_CPU, self.limits.cpu)
        self.extend_deadline(seconds * _WALL_FACTOR)

    def end_with_parent(self) -> None:
        """End this process as soon as its parent ends, for any reason."""
        import fcntl

        fcntl.fcntl(self._awaited, fcntl.F_SETOWN, os.getpid())
        if hasattr(fcntl, "F_SETSIG"):
            fcntl.fcntl(self._awaited, fcntl.F_SETSIG, signal.SIGKILL)
        self._set_watch(on=True)

    def _set_watch(self, *, on: bool) -> None:
        import fcntl

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


def run_worker(work: Callable[[WorkerChannel], Any], limits: ProcessLimits, channel: WorkerChannel, mask: Any) -> None:
    """Run the work, and send its result or its error."""
    global _channel
    _channel = channel
    try:
        _detach(channel, mask)
        channel.limits = limits
        _confine(limits)
        gc.set_threshold(_GC_THRESHOLD)
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


SMALLER_INPUT_HINT = "a smaller input, or a part of it"


def check_seconds(value: Any) -> float:
    """Return a number of seconds that a process sent; raise WorkerDiedError if it is not one."""
    if not isinstance(value, float) or not 0 <= value <= 1e6:
        raise WorkerDiedError("sent garbage")
    return value


def _decode_os_error(value: Any) -> Exception:
    """Return the OSError of a process."""
    if not (isinstance(value, tuple) and len(value) == 3 and isinstance(value[0], int) and isinstance(value[1], str)):
        return WorkerDiedError("sent garbage")
    return OSError(*value) if isinstance(value[2], str) else OSError(*value[:2])


def _memory_error(_: Any) -> Exception:
    return WorkerLimitError(f"needed more than {MEMORY >> 20} MB of memory", hint=SMALLER_INPUT_HINT)


def _failure_error(value: Any) -> Exception:
    return WorkerDiedError(f"failed: {value}"[:1000], hint="CTXKIT_DEBUG=1 shows where; please report it")


def decode_error(value: Any) -> Exception:
    """Return the CtxkitError that a process raised, with its class, message and hint."""
    if not (isinstance(value, tuple) and len(value) == 3 and all(isinstance(part, str) for part in value)):
        return WorkerDiedError("sent garbage")
    name, message, hint = value
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, errors.CtxkitError):
        return kind(message, hint=hint)
    return WorkerDiedError(message, hint=hint)


ERROR_DECODERS: dict[str, Callable[[Any], Exception]] = {
    "trouble": decode_error,
    "os": _decode_os_error,
    "memory": _memory_error,
    "failed": _failure_error,
}


def signal_name(number: int) -> str:
    """Return the name of a signal, or its number if it has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


LONGEST = 1 << 30
"""Maximum size of a message in bytes; a larger length is garbage."""
HEADER = 8
"""Bytes of the length before a message."""


def pack_message(kind: str, value: Any) -> bytes:
    """Return a message as bytes; ``value`` is None, a number, a string, bytes, or a plain collection of these."""
    data = marshal.dumps((kind, value))
    return len(data).to_bytes(HEADER, "big") + data


def take_message(buffer: bytearray) -> tuple[str, Any] | None:
    """Remove and return the next message of the buffer; None if it is incomplete.

    Raise WorkerDiedError if the bytes are not a message.
    """
    if len(buffer) < HEADER:
        return None
    size = int.from_bytes(buffer[:HEADER], "big")
    if size > LONGEST:
        raise WorkerDiedError("sent garbage")
    if len(buffer) < HEADER + size:
        return None
    try:
        with memoryview(buffer) as view:
            message = marshal.loads(view[HEADER : HEADER + size])
    except (ValueError, EOFError, TypeError, MemoryError):
        raise WorkerDiedError("sent garbage") from None
    if not isinstance(message, tuple) or len(message) != 2 or not isinstance(message[0], str):
        raise WorkerDiedError("sent garbage")
    del buffer[: HEADER + size]
    return message


def is_runnable(process: int) -> bool:
    """Return whether a process runs or waits for a processor, rather than for anything else; False if unknown."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1] == b"R"
    except OSError:
        return False


def _confine(limits: ProcessLimits) -> None:
    """Limit this process; change only soft limits, so that they can be restored for a program that it starts."""
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


_SEARCH_MEMORY = 2 << 30
"""Bytes of address space of the child: a backtracking search can request any amount."""


def fork_with_limit(seconds: int) -> int | None:
    """Fork: return None in the child, and in the parent the child's status after its end.

    The child may use ``seconds`` of processor time; waiting for a reader costs none. Raise TimeoutError in the parent
    if the time was not enough. On a system without fork, return None without a limit.
    """
    if not hasattr(os, "fork"):
        return None
    child = os.fork()
    if child == 0:
        _limit_process(seconds)
        return None
    return _child_status(_wait_for_child(child), seconds)


def _limit_process(seconds: int) -> None:
    """Set the limits of this process, none above its current hard limits."""
    import resource

    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    for kind, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, _SEARCH_MEMORY), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _wait_for_child(child: int) -> int:
    """Return the wait status of the child; relay signals that ask this process to end."""
    relay: Callable[..., None] = lambda number, _: os.kill(child, number)  # noqa: E731
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, relay)
    while True:
        try:
            return os.waitpid(child, 0)[1]
        except KeyboardInterrupt:  # the child got it too, and decides
            continue


def _child_status(wait_status: int, seconds: int) -> int:
    """Return the status of an ended child; die of the same signal as the child."""
    if os.WIFEXITED(wait_status):
        return os.WEXITSTATUS(wait_status)
    number = os.WTERMSIG(wait_status)
    if number == signal.SIGXCPU:
        raise TimeoutError(f"no end after {seconds} s of processor time")
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number
