"""Files that one process at a time changes, while others wait."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep

from ctxkit.core.errors import LockedError

try:
    import fcntl
except ImportError:  # a system without locks of files: one write to a file opened for appending must do
    fcntl = None  # type: ignore[assignment]

WAIT = 5.0
"""Seconds to wait for others that change the same file."""
NAP = 0.002
"""Seconds between two looks at whether it is free."""


@contextmanager
def open_locked(path: str, flags: int) -> Iterator[int]:
    """Yield a file that nobody else adds to or removes meanwhile; the flags say whether it is made."""
    until = monotonic() + WAIT
    while True:
        file = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with suppress(OSError):  # another's file, or a disk that is only read
                restrict_to_owner(file)
            _wait_for_lock(file, path, until)
            if _is_same_file(file, path):
                yield file
                return
        finally:
            os.close(file)


def restrict_to_owner(file: int) -> None:
    """See that nobody else can read a file, whatever the umask was when it was made."""
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
    """Tell whether an open file is still the one of that path: it may have been removed while we waited."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False


def write_or_truncate(file: int, data: bytes, size: int) -> None:
    """Write at the end of a file; where not all of it can be, take back what was."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(file, view) :]
    except BaseException:
        os.ftruncate(file, size)
        raise
