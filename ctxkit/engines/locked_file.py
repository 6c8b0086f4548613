"""Lock files that several processes change."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep

from ctxkit.core.errors import LockedError

try:
    import fcntl
except ImportError:  # without file locks, one write in append mode must suffice
    fcntl = None  # type: ignore[assignment]

WAIT = 5.0
"""Seconds to wait for other processes that change the same file."""
NAP = 0.002
"""Seconds between two attempts to lock a file."""


@contextmanager
def open_locked(path: str, flags: int) -> Iterator[int]:
    """Yield an exclusively locked file; create it if ``flags`` say so.

    Raise LockedError after ``WAIT`` seconds.
    """
    until = monotonic() + WAIT
    while True:
        file = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with suppress(OSError):  # another user's file, or a read-only disk
                restrict_to_owner(file)
            _wait_for_lock(file, path, until)
            if _is_same_file(file, path):
                yield file
                return
        finally:
            os.close(file)


def restrict_to_owner(file: int) -> None:
    """Set mode 0600 on a file that was created with another umask."""
    if hasattr(os, "fchmod") and os.fstat(file).st_mode & 0o777 != 0o600:
        os.fchmod(file, 0o600)


def _wait_for_lock(file: int, path: str, until: float) -> None:
    if fcntl is None:
        return
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= until:
                raise LockedError(f"{path} is locked by another process", hint="try again") from None
            sleep(NAP)
        except OSError:  # a disk without locks
            return
        else:
            return


def _is_same_file(file: int, path: str) -> bool:
    """Return whether an open file is still the file at its path; it may have been removed during the wait."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False


def write_or_truncate(file: int, data: bytes, size: int) -> None:
    """Append to a file of ``size`` bytes; on failure, truncate it to that size."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(file, view) :]
    except BaseException:
        os.ftruncate(file, size)
        raise
