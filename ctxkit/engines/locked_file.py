"""Lock files that several processes change, and record each addition to a history as a row of one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic

from ctxkit.core.errors import LockedError
from ctxkit.core.session.history import Addition, HistoryExtent, parse_addition
from ctxkit.engines.blob_files import CHUNK
from ctxkit.system.file_locks import lock_file
from ctxkit.system.own_files import read_file
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
                _restrict_to_owner(file)
            if not lock_file(file, until - monotonic()):
                path = os.path.join(folder.path, name)
                raise LockedError(f"{path} is locked by another process", hint="try again")
            if _is_same_file(file, folder.stat(name)):
                yield file
                return
        finally:
            os.close(file)


def _restrict_to_owner(file: int) -> None:
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


_TAIL = 400
"""Bytes at the end of a file in which its last row begins."""


def list_additions(folder: StoreFolder, name: str) -> list[Addition]:
    """Return the recorded additions, in order; none if the file cannot be read."""
    try:
        text = read_file(folder, name).decode("ascii", "replace")
    except OSError:
        return []
    return list(filter(None, map(parse_addition, text.splitlines(keepends=True))))


def read_last_addition(folder: StoreFolder, name: str) -> Addition | None:
    """Return the last recorded addition, None if there is none or it cannot be read."""
    try:
        with open(folder.open(name), "rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - _TAIL, 0))
            rows = file.read().decode("ascii", "replace").splitlines(keepends=True)
    except OSError:
        return None
    return next(filter(None, map(parse_addition, reversed(rows))), None)


def read_extent(folder: StoreFolder, name: str, file: int) -> HistoryExtent:
    """Return the extent of an open history: the extent of its last addition plus the lines added since."""
    size = os.fstat(file).st_size
    last = read_last_addition(folder, name)
    lines, offset = (last.first + last.lines - 1, last.offset + last.size) if last else (0, 0)
    if offset > size or (offset and os.pread(file, 1, offset - 1) != b"\n"):
        lines, offset = 0, 0  # the file was edited by hand
    while offset < size:
        piece = os.pread(file, CHUNK, offset)
        lines += piece.count(b"\n") + (offset + len(piece) == size and not piece.endswith(b"\n"))
        offset += len(piece)
    return HistoryExtent(lines, size)


def append_addition(folder: StoreFolder, name: str, addition: Addition) -> None:
    """Append an addition, on a line of its own even after a row that was not written to its end. Raise OSError."""
    file = folder.open(name, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        _restrict_to_owner(file)
        end = os.fstat(file).st_size
        cut = end > 0 and os.pread(file, 1, end - 1) != b"\n"
        text = f"{addition.at:.6f} {addition.first} {addition.lines} {addition.offset} {addition.size}\n"
        os.write(file, b"\n" * cut + text.encode())
    finally:
        os.close(file)
