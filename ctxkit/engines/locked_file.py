"""Lock files that several processes change."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic

from ctxkit.core.errors import LockedError
from ctxkit.system.file_locks import lock_file
from ctxkit.system.safe_directory import StoreFolder

WAIT = 5.0
"""Seconds to wait for other processes that change the same file."""


@contextmanager
def open_locked(folder: StoreFolder, name: str, flags: int) -> Iterator[int]:
    """Yield an exclusively locked file of a folder; create it if ``flags`` say so.

    Raise LockedError after ``WAIT`` seconds, LinkError for a link.
    """
    until = monotonic() + WAIT
    while True:
        file = folder.open(name, flags)
        try:
            with suppress(OSError):  # another user's file, or a read-only disk
                restrict_to_owner(file)
            if not lock_file(file, until - monotonic()):
                path = os.path.join(folder.path, name)
                raise LockedError(f"{path} is locked by another process", hint="try again")
            if _is_same_file(file, folder.stat(name)):
                yield file
                return
        finally:
            os.close(file)


def restrict_to_owner(file: int) -> None:
    """Set mode 0600 on a file that was created with another umask."""
    if hasattr(os, "fchmod") and os.fstat(file).st_mode & 0o777 != 0o600:
        os.fchmod(file, 0o600)


def _is_same_file(file: int, state: os.stat_result | None) -> bool:
    """Return whether an open file is still the one in its folder; it may have been removed during the wait."""
    return state is not None and os.path.samestat(os.fstat(file), state)


def write_or_truncate(file: int, data: bytes, size: int) -> None:
    """Append to a file of ``size`` bytes; on failure, truncate it to that size."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(file, view) :]
    except BaseException:
        os.ftruncate(file, size)
        raise
