"""Read the output of a command that the shell of an agent host runs (core/hosts/wrap_script.py)."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING

from ctxkit.edge import out
from ctxkit.edge.child import OutputPipe
from ctxkit.system.processes import is_running, is_sandboxed

if TYPE_CHECKING:
    from collections.abc import Iterator

POLL_SECONDS = 0.02
"""Seconds between two looks at the status of the command."""
STATUS_SECONDS = 2.0
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
        yield from self.pipe.read(self._has_ended, lambda: POLL_SECONDS, ticks=ticks)

    def announce(self, line: str) -> None:
        """Print a line between those of the output: the host reads stdout alone."""
        out.write_text(f"{line}\n")

    def is_sandboxed(self) -> bool:
        """Return whether what the command leaves behind ends with the sandbox of its shell."""
        return is_sandboxed(self._shell)

    def wait(self) -> int:
        """Wait for the end of the command; return its status, 0 if it is unknown."""
        limit = monotonic() + STATUS_SECONDS
        while not self._has_ended() and monotonic() < limit:
            sleep(POLL_SECONDS)
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
