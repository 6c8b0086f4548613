"""The channel on which a forked process sends messages to its parent, and the errors of such a process."""

import fcntl
import os
import resource
import select
import signal
from collections.abc import Callable
from typing import Any

from ctxkit.core.text.limits import WorkerDiedError, WorkerLimitError
from ctxkit.engines.frames import decode_error, pack_message
from ctxkit.engines.process_limits import MEMORY, SECONDS_PER_MB, WALL_FACTOR, ProcessLimits, lower_limit


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
        lower_limit(resource.RLIMIT_CPU, self.limits.cpu)
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
