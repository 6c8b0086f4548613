"""Store the histories of sessions as JSON lines files that only grow.

``histories/S.jsonl`` is the history of S. ``histories/S.times`` records each addition in a row: time in seconds since
1970, number of the first line, number of lines, first byte, number of bytes.

A removal first writes ``histories/S.removing``, which names the session, and renames the history to
``histories/S.removed``. If its process dies, the next process that uses the history finishes the removal. If the
session still exists, that process restores the history instead.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from time import time

from ctxkit.core.errors import InputOutputError
from ctxkit.core.session.history import Addition, AppendResult, HistoryExtent
from ctxkit.core.text.line_index import LineIndex
from ctxkit.core.text.lines import IndexedLines
from ctxkit.engines.addition_times import append_addition, list_additions, read_last_addition
from ctxkit.engines.blob_files import CHUNK
from ctxkit.engines.locked_file import open_locked, write_or_truncate

FOLDER = "histories"


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
        return self._file_path(name, "jsonl")

    def names(self) -> list[str]:
        """Return the names of the sessions that have a history, sorted."""
        try:
            files = os.listdir(os.path.join(self._root, FOLDER))
        except FileNotFoundError:
            return []
        return sorted(file.removesuffix(".jsonl") for file in files if file.endswith(".jsonl"))

    def append(self, name: str, lines: Sequence[bytes]) -> AppendResult:
        """Append lines without newlines in one write, so that concurrent calls do not mix; add all or none.

        Raise LockedError after ``WAIT`` seconds, or InputOutputError.
        """
        _make_private(self._root, FOLDER)
        path = self.path(name)
        try:
            with self._open_locked(name, os.O_RDWR | os.O_APPEND | os.O_CREAT) as file:
                before = self._read_extent(name, file)
                cut = before.size > 0 and os.pread(file, 1, before.size - 1) != b"\n"
                data = b"\n" * cut + b"".join(line + b"\n" for line in lines)
                write_or_truncate(file, data, before.size)
                addition = Addition(time(), before.lines + 1, len(lines), before.size + cut, len(data) - cut)
                self._record_addition(name, addition)
        except OSError as error:
            raise InputOutputError(f"{path}: {error.strerror}") from error
        extent = HistoryExtent(before.lines + len(lines), before.size + len(data))
        return AppendResult(before.lines + 1, extent, before.lines if cut else 0)

    def extent(self, name: str) -> HistoryExtent | None:
        """Return the number of lines and bytes of a history, or None if there is none.

        A last line without a newline counts as a line.
        """
        path = self.path(name)
        try:
            with self._open_locked(name, os.O_RDONLY) as file:
                return self._read_extent(name, file)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputOutputError(f"{path}: {error.strerror}") from error

    def open(self, name: str) -> IndexedLines | None:
        """Return the current lines of a history, or None if there is none."""
        extent = self.extent(name)
        if extent is None:
            return None
        file = os.open(self.path(name), os.O_RDONLY | getattr(os, "O_BINARY", 0))

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
        with open(self.path(name), "rb") as file:
            file.seek(max(start.size - 1, 0))
            if start.size and file.read(1) != b"\n":
                file.seek(0)
                for _ in zip(range(start.lines), file, strict=False):
                    pass
            yield from file.read(end.size - file.tell()).split(b"\n")

    def additions(self, name: str) -> list[Addition]:
        """Return the recorded additions, in order."""
        self._finish_removal(name)
        return list_additions(self._file_path(name, "times"))

    def find_last_addition(self, name: str) -> Addition | None:
        """Return the last recorded addition, without reading those before it."""
        self._finish_removal(name)
        return read_last_addition(self._file_path(name, "times"))

    def remove(self, name: str) -> bool:
        """Remove a history after waiting for other writers; return whether it existed."""
        with self.removal(name) as there:
            return there

    @contextmanager
    def removal(self, name: str) -> Iterator[bool]:
        """Remove a history together with the session that the body removes; if that fails, keep both.

        Yield whether there is a history. Raise LockedError or InputOutputError.
        """
        with ExitStack() as lock:
            there = self._set_aside(name, lock)
            try:
                yield there
            except BaseException:
                if there:
                    self._put_back(name)
                raise
            self._delete_removed(name)

    def move(self, name: str, write: Callable[[bytes], object]) -> None:
        """Remove a history, if there is one, once ``write`` has taken its bytes; keep it if ``write`` fails."""
        with self.removal(name) as there:
            if there:
                with open(self._file_path(name, "removed"), "rb") as file:
                    write(file.read())

    def _set_aside(self, name: str, lock: ExitStack) -> bool:
        """Lock a history and rename it; return whether it existed."""
        path = self.path(name)
        try:
            lock.enter_context(self._open_locked(name, os.O_RDONLY))
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
            with open(os.open(self._file_path(name, "removing"), flags, 0o600), "w", encoding="utf-8") as note:
                note.write(self._session(name))
            os.replace(path, self._file_path(name, "removed"))
        except FileNotFoundError:
            return False
        except OSError as error:
            raise InputOutputError(f"{path}: {error.strerror}") from error
        return True

    def _put_back(self, name: str) -> None:
        os.replace(self._file_path(name, "removed"), self.path(name))
        os.unlink(self._file_path(name, "removing"))

    def _delete_removed(self, name: str) -> None:
        """Delete a renamed history and its other files, the note of the removal last."""
        for kind in ("removed", "times", "removing"):
            with suppress(FileNotFoundError):
                os.unlink(self._file_path(name, kind))

    @contextmanager
    def _open_locked(self, name: str, flags: int) -> Iterator[int]:
        """Yield a locked history that is not being removed; create it if ``flags`` say so."""
        while True:
            self._finish_removal(name)
            with open_locked(self.path(name), flags) as file:
                if not os.path.lexists(self._file_path(name, "removing")):
                    yield file
                    return
                if os.fstat(file).st_size == 0:  # created after a removal had renamed the history
                    os.unlink(self.path(name))

    def _finish_removal(self, name: str) -> None:
        """Wait for a running removal; finish or undo the removal of a dead process."""
        note, aside = self._file_path(name, "removing"), self._file_path(name, "removed")
        if not os.path.lexists(note):
            return
        try:
            with open_locked(aside if os.path.lexists(aside) else self.path(name), os.O_RDONLY):
                if not os.path.lexists(aside):
                    with suppress(FileNotFoundError):
                        os.unlink(note)  # the process died before it renamed the history
                elif _read_text(note) and _read_text(note) == self._session(name):
                    self._put_back(name)
                else:
                    self._delete_removed(name)
        except FileNotFoundError:
            if os.path.lexists(aside):  # renamed while this process waited
                self._finish_removal(name)
            else:  # the other process died, or finished, after it had removed the history
                self._delete_removed(name)
        except OSError as error:
            raise InputOutputError(f"{note}: {error.strerror}") from error

    def _file_path(self, name: str, kind: str) -> str:
        return os.path.join(self._root, FOLDER, f"{name}.{kind}")

    def _read_extent(self, name: str, file: int) -> HistoryExtent:
        """Return the extent of an open history: the last recorded extent plus the lines added since."""
        size = os.fstat(file).st_size
        last = read_last_addition(self._file_path(name, "times"))
        lines, offset = (last.first + last.lines - 1, last.offset + last.size) if last else (0, 0)
        if offset > size or (offset and os.pread(file, 1, offset - 1) != b"\n"):
            lines, offset = 0, 0  # the file was edited by hand
        while offset < size:
            piece = os.pread(file, CHUNK, offset)
            lines += piece.count(b"\n") + (offset + len(piece) == size and not piece.endswith(b"\n"))
            offset += len(piece)
        return HistoryExtent(lines, size)

    def _record_addition(self, name: str, addition: Addition) -> None:
        """Record an addition; a failure only loses its time."""
        try:
            append_addition(self._file_path(name, "times"), addition)
        except OSError as error:
            self._warn(f"when lines were added to the history of {name} is not recorded: {error.strerror}")


def _make_private(root: str, folder: str) -> None:
    """Create a folder below ``root``, both with mode 0700 with any umask."""
    for path in (root, os.path.join(root, folder)):
        if not os.path.isdir(path):
            os.makedirs(path, mode=0o700, exist_ok=True)
            os.chmod(path, 0o700)


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""
