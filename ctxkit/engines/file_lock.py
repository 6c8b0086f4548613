"""Lock open files and folders against other processes, with a bounded wait."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic, sleep

try:
    import fcntl
except ImportError:  # a system without file locks
    fcntl = None  # type: ignore[assignment]

NAP = 0.001
"""Seconds between two attempts."""


def lock_file(file: int, seconds: float, *, exclusive: bool = True) -> bool:
    """Lock an open file or folder; return False if other processes hold it for ``seconds``.

    Return True on a disk or system without such locks.
    """
    if fcntl is None:
        return True
    until = monotonic() + seconds
    while True:
        try:
            fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= until:
                return False
            sleep(NAP)
        except OSError:  # a disk without locks
            return True
        else:
            return True


def unlock_file(file: int) -> None:
    """Release the lock of an open file or folder."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)
