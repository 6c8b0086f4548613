"""Histories of sessions: a file of JSON lines each, to which lines are only ever added.

``histories/S.jsonl`` is the history of S. ``histories/S.times`` says when its lines were added, a row for each call:
seconds since 1970, number of the first line, number of lines, first byte, number of bytes.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic, sleep, time
from typing import NamedTuple

from ctxkit.core.history import Appended, Extent
from ctxkit.core.lines import Lines, Marks
from ctxkit.core.trouble import IOFailed, Locked
from ctxkit.engines.shelf import CHUNK

try:
    import fcntl
except ImportError:  # a system without locks of files: one write to a file opened for appending must do
    fcntl = None  # type: ignore[assignment]

WAIT = 5.0
"""Seconds to wait for others that add to the same history."""
NAP = 0.002
"""Seconds between two looks at whether it is free."""
FOLDER = "histories"


class Addition(NamedTuple):
    """Say when lines were added, in seconds since 1970, and which: the first, how many, and their bytes."""

    at: float
    first: int
    lines: int
    offset: int
    size: int


class Histories:
    """Keep histories below a directory, readable by their owner alone."""

    def __init__(self, directory: str, warn: Callable[[str], None]) -> None:
        self._root = directory
        self._warn = warn

    def path(self, name: str) -> str:
        """Return the path of the file that is, or would be, the history of a session."""
        return os.path.join(self._root, FOLDER, f"{name}.jsonl")

    def append(self, name: str, lines: Sequence[bytes]) -> Appended:
        """Add lines, which hold no newline, in one write, so that those of calls at the same time never mix.

        Either all of them are added or, where that fails, none. Raises Locked after ``WAIT`` seconds, IOFailed.
        """
        _make_private(self._root, FOLDER)
        path = self.path(name)
        try:
            with _held(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as file:
                before = self._extent(name, file)
                cut = before.size > 0 and os.pread(file, 1, before.size - 1) != b"\n"
                data = b"\n" * cut + b"".join(line + b"\n" for line in lines)
                _write(file, data, before.size)
                self._note(name, Addition(time(), before.lines + 1, len(lines), before.size + cut, len(data) - cut))
        except OSError as error:
            raise IOFailed(f"{path}: {error.strerror}") from error
        extent = Extent(before.lines + len(lines), before.size + len(data))
        return Appended(before.lines + 1, extent, before.lines if cut else 0)

    def extent(self, name: str) -> Extent | None:
        """Return how far a history reaches, None when there is none; a last line without its newline is a line."""
        path = self.path(name)
        try:
            with _held(path, os.O_RDONLY) as file:
                return self._extent(name, file)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise IOFailed(f"{path}: {error.strerror}") from error

    def open(self, name: str) -> Lines | None:
        """Return the lines of a history as it is now, None when there is none."""
        extent = self.extent(name)
        if extent is None:
            return None
        file = os.open(self.path(name), os.O_RDONLY | getattr(os, "O_BINARY", 0))

        def read(offset: int, length: int) -> bytes:
            return os.pread(file, max(min(length, extent.size - offset), 0), offset)

        marks = Marks()
        for offset in range(0, extent.size, CHUNK):
            marks.update(read(offset, CHUNK))
        return Lines(read, extent.size, marks.marks, marks.total)

    def additions(self, name: str) -> list[Addition]:
        """Return when which lines were added, as far as that is known, in their order."""
        try:
            with open(self._times(name), encoding="ascii", errors="replace") as file:
                rows = [_addition(row) for row in file]
        except OSError:
            return []
        return [row for row in rows if row]

    def remove(self, name: str) -> bool:
        """Remove a history, waiting for who is adding to it; return whether there was one."""
        path = self.path(name)
        try:
            with _held(path, os.O_RDONLY):
                os.unlink(path)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise IOFailed(f"{path}: {error.strerror}") from error
        finally:
            with suppress(FileNotFoundError):
                os.unlink(self._times(name))
        return True

    def _times(self, name: str) -> str:
        return os.path.join(self._root, FOLDER, f"{name}.times")

    def _extent(self, name: str, file: int) -> Extent:
        """Return the extent of an open history: by what was noted last, and by counting what came since."""
        size = os.fstat(file).st_size
        last = next(reversed(self._last(name)), None)
        lines, offset = (last.first + last.lines - 1, last.offset + last.size) if last else (0, 0)
        if offset > size or (offset and os.pread(file, 1, offset - 1) != b"\n"):
            lines, offset = 0, 0  # somebody changed the file by hand
        while offset < size:
            piece = os.pread(file, CHUNK, offset)
            lines += piece.count(b"\n") + (offset + len(piece) == size and not piece.endswith(b"\n"))
            offset += len(piece)
        return Extent(lines, size)

    def _last(self, name: str) -> list[Addition]:
        """Return the last additions that were noted."""
        try:
            with open(self._times(name), "rb") as file:
                file.seek(max(file.seek(0, os.SEEK_END) - 400, 0))
                rows = file.read().decode("ascii", "replace").splitlines(keepends=True)
        except OSError:
            return []
        return [found for row in rows if (found := _addition(row))]

    def _note(self, name: str, row: Addition) -> None:
        """Note an addition; failing loses only when it was."""
        try:
            file = os.open(self._times(name), os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                _own(file)
                end = os.fstat(file).st_size
                cut = end > 0 and os.pread(file, 1, end - 1) != b"\n"
                text = f"{row.at:.6f} {row.first} {row.lines} {row.offset} {row.size}\n"
                os.write(file, b"\n" * cut + text.encode())
            finally:
                os.close(file)
        except OSError as error:
            self._warn(f"when lines were added to the history of {name} is not noted: {error.strerror}")


def _make_private(root: str, folder: str) -> None:
    """Make a folder below ``root`` where it is absent, both of them their owner's alone whatever the umask is."""
    for path in (root, os.path.join(root, folder)):
        if not os.path.isdir(path):
            os.makedirs(path, mode=0o700, exist_ok=True)
            os.chmod(path, 0o700)


@contextmanager
def _held(path: str, flags: int) -> Iterator[int]:
    """Yield a file that nobody else adds to or removes meanwhile; the flags say whether it is made."""
    until = monotonic() + WAIT
    while True:
        file = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with suppress(OSError):  # another's file, or a disk that is only read
                _own(file)
            _lock(file, path, until)
            if _same(file, path):
                yield file
                return
        finally:
            os.close(file)


def _own(file: int) -> None:
    """See that nobody else can read a file, whatever the umask was when it was made."""
    if hasattr(os, "fchmod") and os.fstat(file).st_mode & 0o777 != 0o600:
        os.fchmod(file, 0o600)


def _lock(file: int, path: str, until: float) -> None:
    if fcntl is None:
        return
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= until:
                raise Locked(f"{path} is locked by another process", hint="try again") from None
            sleep(NAP)
        except OSError:  # a disk without locks
            return
        else:
            return


def _same(file: int, path: str) -> bool:
    """Tell whether an open file is still the one of that path: it may have been removed while we waited."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False


def _write(file: int, data: bytes, size: int) -> None:
    """Write at the end of a file; where not all of it can be, take back what was."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(file, view) :]
    except BaseException:
        os.ftruncate(file, size)
        raise


def _addition(row: str) -> Addition | None:
    """Return a row of times, None where it was cut short."""
    fields = row.split(" ")
    if len(fields) != 5 or not row.endswith("\n"):
        return None
    try:
        return Addition(float(fields[0]), *map(int, fields[1:]))
    except ValueError:
        return None
