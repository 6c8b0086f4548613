"""The channel on which a forked process sends messages to its parent."""

import fcntl
import os
import resource
import select
import signal
from typing import Any

from ctxkit.engines.frames import pack_message
from ctxkit.engines.process_limits import SECONDS_PER_MB, WALL_FACTOR, ProcessLimits, lower_limit


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
