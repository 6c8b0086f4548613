"""Store the histories of sessions as JSON lines files that only grow, under locks."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic, time

from ctxkit.core.errors import InputOutputError, LockedError
from ctxkit.core.session.history import Addition, AppendResult, HistoryExtent, parse_addition
from ctxkit.core.text.lines import IndexedLines, LineIndex
from ctxkit.engines.blob_files import CHUNK
from ctxkit.system.file_locks import lock_file
from ctxkit.system.own_files import LinkError, StoreFolder, open_folder, read_file, replace_file

WAIT = 5.0
"""Seconds to wait for other processes that change the same file."""
_TAIL = 400
"""Bytes at the end of a file in which its last row begins."""
_FOLDER = "histories"


class Histories:
    """Histories below a directory, readable only by their owner.

    ``session`` returns an identity that distinguishes a session from later ones of the same name; "" if there is none.
    """

    def __init__(
        self, directory: str, warn: Callable[[str], None], session: Callable[[str], str] = lambda _: ""
    ) -> None:
        self._root = directory
        self._warn = warn
        self._session = session

    def path(self, name: str) -> str:
        """Return the path of the history of a session, whether or not it exists."""
        return os.path.join(self._root, _FOLDER, _name_file(name, "jsonl"))

    def _open_folder(self, *, make: bool = False) -> StoreFolder:
        return open_folder(self._root, _FOLDER, make=make, restrict=True)

    def names(self) -> list[str]:
        """Return the names of the sessions that have a history, sorted."""
        try:
            with self._open_folder() as folder:
                files = folder.list_names()
        except FileNotFoundError:
            return []
        return sorted(file.removesuffix(".jsonl") for file in files if file.endswith(".jsonl"))

    def append(self, name: str, lines: Sequence[bytes]) -> AppendResult:
        """Append lines without newlines in one write, so that concurrent calls do not mix; add all or none.

        Raise LockedError after ``WAIT`` seconds, or InputOutputError.
        """
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        try:
            with self._open_folder(make=True) as folder, self._open_locked(folder, name, flags) as file:
                before = _read_extent(folder, _name_file(name, "times"), file)
                cut = before.size > 0 and os.pread(file, 1, before.size - 1) != b"\n"
                data = b"\n" * cut + b"".join(line + b"\n" for line in lines)
                write_or_truncate(file, data, before.size)
                addition = Addition(time(), before.lines + 1, len(lines), before.size + cut, len(data) - cut)
                self._record_addition(folder, name, addition)
        except OSError as error:
            raise self._make_error(name, error) from error
        extent = HistoryExtent(before.lines + len(lines), before.size + len(data))
        return AppendResult(before.lines + 1, extent, before.lines if cut else 0)

    def extent(self, name: str) -> HistoryExtent | None:
        """Return the number of lines and bytes of a history, or None if there is none.

        A last line without a newline counts as a line.
        """
        try:
            with self._open_folder() as folder, self._open_locked(folder, name, os.O_RDONLY) as file:
                return _read_extent(folder, _name_file(name, "times"), file)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._make_error(name, error) from error

    def _make_error(self, name: str, error: OSError) -> InputOutputError:
        return InputOutputError(f"{error.filename or self.path(name)}: {error.strerror}")

    def open(self, name: str) -> IndexedLines | None:
        """Return the current lines of a history, or None if there is none."""
        extent = self.extent(name)
        if extent is None:
            return None
        with self._open_folder() as folder:
            file = folder.open(_name_file(name, "jsonl"))

        def read(offset: int, length: int) -> bytes:
            """Return bytes of the history within its extent."""
            return os.pread(file, max(min(length, extent.size - offset), 0), offset)

        marks = LineIndex()
        for offset in range(0, extent.size, CHUNK):
            marks.update(read(offset, CHUNK))
        return IndexedLines(read, extent.size, marks.newline_counts, marks.total)

    def read_after(self, name: str, start: HistoryExtent, end: HistoryExtent) -> Iterator[bytes]:
        """Yield the lines of a history between two of its extents, without reading those before them.

        If the file was changed by hand, so that no line begins at ``start``, find the line by its number.
        """
        with self._open_folder() as folder, open(folder.open(_name_file(name, "jsonl")), "rb") as file:
            file.seek(max(start.size - 1, 0))
            if start.size and file.read(1) != b"\n":
                file.seek(0)
                for _ in zip(range(start.lines), file, strict=False):
                    pass
            yield from file.read(end.size - file.tell()).split(b"\n")

    def additions(self, name: str) -> list[Addition]:
        """Return the recorded additions, in order."""
        try:
            with self._open_folder() as folder:
                self._finish_removal(folder, name)
                return list_additions(folder, _name_file(name, "times"))
        except OSError:
            return []

    def find_last_addition(self, name: str) -> Addition | None:
        """Return the last recorded addition, without reading those before it."""
        try:
            with self._open_folder() as folder:
                self._finish_removal(folder, name)
                return read_last_addition(folder, _name_file(name, "times"))
        except OSError:
            return None

    def remove(self, name: str) -> bool:
        """Remove a history after waiting for other writers; return whether it existed."""
        with self.removal(name) as there:
            return there

    @contextmanager
    def removal(self, name: str) -> Iterator[bool]:
        """Remove a history together with the session that the body removes; if that fails, keep both.

        Yield whether there is a history; a link in its place stays. Raise LockedError or InputOutputError.
        """
        with ExitStack() as lock:
            there = self._set_aside(name, lock)
            try:
                yield there
            except BaseException:
                if there:
                    with self._open_folder() as folder:
                        _put_back(folder, name)
                raise
            with suppress(FileNotFoundError, LinkError), self._open_folder() as folder:
                _delete_removed(folder, name)

    def move(self, name: str, write: Callable[[bytes], object]) -> None:
        """Remove a history, if there is one, once ``write`` has taken its bytes; keep it if ``write`` fails."""
        with self.removal(name) as there:
            if there:
                with self._open_folder() as folder:
                    write(read_file(folder, _name_file(name, "removed")))

    def _set_aside(self, name: str, lock: ExitStack) -> bool:
        """Lock a history and rename it; return whether it existed."""
        try:
            folder = lock.enter_context(self._open_folder())
            lock.enter_context(self._open_locked(folder, name, os.O_RDONLY))
            replace_file(folder, _name_file(name, "removing"), self._session(name).encode("utf-8", "replace"))
            folder.move(_name_file(name, "jsonl"), folder, _name_file(name, "removed"))
        except FileNotFoundError:
            return False
        except LinkError as error:
            self._warn(f"{error.strerror}, and stays: {error.filename}")
            return False
        except OSError as error:
            raise self._make_error(name, error) from error
        return True

    @contextmanager
    def _open_locked(self, folder: StoreFolder, name: str, flags: int) -> Iterator[int]:
        """Yield a locked history that is not being removed; create it if ``flags`` say so."""
        history, note = _name_file(name, "jsonl"), _name_file(name, "removing")
        while True:
            self._finish_removal(folder, name)
            with open_locked(folder, history, flags) as file:
                if folder.stat(note) is None:
                    yield file
                    return
                if os.fstat(file).st_size == 0:  # created after a removal had renamed the history
                    folder.remove(history)

    def _finish_removal(self, folder: StoreFolder, name: str) -> None:
        """Wait for a running removal; finish or undo the removal of a dead process."""
        note, aside = _name_file(name, "removing"), _name_file(name, "removed")
        if folder.stat(note) is None:
            return
        try:
            with open_locked(folder, aside if folder.stat(aside) else _name_file(name, "jsonl"), os.O_RDONLY):
                if folder.stat(aside) is None:
                    folder.remove(note)  # the process died before it renamed the history
                elif (session := _read_text(folder, note)) and session == self._session(name):
                    _put_back(folder, name)
                else:
                    _delete_removed(folder, name)
        except FileNotFoundError:
            if folder.stat(aside):  # renamed while this process waited
                self._finish_removal(folder, name)
            else:  # the other process died, or finished, after it had removed the history
                _delete_removed(folder, name)
        except OSError as error:
            raise self._make_error(name, error) from error

    def _record_addition(self, folder: StoreFolder, name: str, addition: Addition) -> None:
        """Record an addition; a failure only loses its time."""
        try:
            append_addition(folder, _name_file(name, "times"), addition)
        except OSError as error:
            self._warn(f"when lines were added to the history of {name} is not recorded: {error.strerror}")


def _name_file(name: str, kind: str) -> str:
    return f"{name}.{kind}"


def _put_back(folder: StoreFolder, name: str) -> None:
    folder.move(_name_file(name, "removed"), folder, _name_file(name, "jsonl"))
    folder.remove(_name_file(name, "removing"))


def _delete_removed(folder: StoreFolder, name: str) -> None:
    """Delete a renamed history and its other files, the note of the removal last."""
    for kind in ("removed", "times", "removing"):
        folder.remove(_name_file(name, kind))


def _read_text(folder: StoreFolder, name: str) -> str:
    try:
        return read_file(folder, name).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


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


def _read_extent(folder: StoreFolder, name: str, file: int) -> HistoryExtent:
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
