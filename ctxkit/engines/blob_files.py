"""Store content as plain files, one per ref, that cat and sed can read."""

from __future__ import annotations

import os
from contextlib import suppress
from time import time
from typing import TYPE_CHECKING

from ctxkit.core.store.blobs import StoredContent, not_stored_error, resolve_ref
from ctxkit.core.store.label import FULL_LENGTH, parse_prefix, shorten_ref
from ctxkit.core.text.line_index import BLOCK, LineIndex, pack_counts
from ctxkit.engines.folder import open_folder

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Sequence

    from ctxkit.engines.folder import StoreFolder

CHUNK = 1 << 20
FULL_BELOW, FULL_SHARE = 16 << 20, 0.01
"""A disk is full if less than this many bytes, and less than this share of it, are free."""
BLOBS, MARKS = "blobs", "marks"
"""Folders of content and of line indexes."""


class BlobFiles:
    """Content files below ``root``: ``blobs/3f/3f9a...`` contains the bytes, ``marks/3f/3f9a...`` a line index.

    Directories have mode 0700 and files 0600 with any umask. Each read sets the access time of the file, because a disk
    may be mounted without access times. A ``private`` root is in a public directory: it is used only if no other user
    can access it.
    """

    def __init__(self, root: str, *, private: bool = False) -> None:
        self.root = root
        self._private = private

    def open_subfolder(self, *inside: str, make: bool = False) -> StoreFolder:
        """Open the root or a folder below it.

        Raise OSError if it does not exist or other users could have changed it.
        """
        return open_folder(self.root, *inside, make=make, private=self._private)

    def path(self, ref: str) -> str:
        """Return the path of the file of a ref, whether or not it exists."""
        return os.path.join(self.root, BLOBS, ref[:2], ref)

    def make_glob(self, ref: str) -> str:
        """Return a short shell glob that matches only this file, "" if no word names the root in every shell."""
        from ctxkit.core.text.shell import quote_word

        home = os.path.expanduser("~")
        is_below_home = home != "/" and self.root.startswith(home + os.sep)
        folder = self.root[len(home) + 1 :] if is_below_home else self.root
        word = quote_word(os.path.join(folder, BLOBS, ref[:2], shorten_ref(ref)))
        return f"{'~/' if is_below_home else ''}{word}*" if word else ""

    def find(self, prefix: str) -> str:
        """Return the only ref that begins with ``prefix``.

        Raise NotStoredError, UsageError if there are several, or OSError if the folder is unusable.
        """
        try:
            with self.open_subfolder(BLOBS, prefix[:2]) as folder:
                names = [name for name in folder.list_names() if name.startswith(prefix) and is_ref(name)]
                refs = [name for name in names if folder.stat(name)]
        except FileNotFoundError:
            refs = []
        return resolve_ref(prefix, refs)

    def read_state(self, ref: str) -> os.stat_result | None:
        """Return the status of the file of a ref, or None if it is not stored. Raise OSError."""
        try:
            with self.open_subfolder(BLOBS, ref[:2]) as folder:
                return folder.stat(ref)
        except FileNotFoundError:
            return None

    def list_refs(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield every ref with the status of its file; skip folders that other users could have changed."""
        for folder in self._list_folders(BLOBS):
            for name in folder.list_names():
                state = folder.stat(name) if is_ref(name) else None
                if state is not None:
                    yield name, state

    def _list_folders(self, kind: str) -> Iterator[StoreFolder]:
        """Yield the usable two-digit folders below a folder, and close each of them."""
        try:
            outer = self.open_subfolder(kind)
        except OSError:
            return
        with outer:
            for name in outer.list_names():
                if len(name) != 2 or not _HEX.issuperset(name):
                    continue
                with suppress(OSError), outer.open_subfolder(name) as folder:
                    yield folder

    def open(self, ref: str, *, quietly: bool = False) -> StoredContent:
        """Return access to the bytes and lines of a ref; record the time of reading, unless ``quietly``."""
        from ctxkit.core.text.lines import IndexedLines

        try:
            with self.open_subfolder(BLOBS, ref[:2]) as folder, folder.lock(exclusive=False):
                file = _OpenFile(_open_blob(folder, ref, quietly=quietly))
                if not quietly:
                    _touch_blob(folder, ref, os.fstat(file.descriptor).st_mtime)
        except FileNotFoundError:
            raise not_stored_error(shorten_ref(ref)) from None
        size = os.fstat(file.descriptor).st_size
        marks, total = self._load_marks(ref, file.descriptor, size)
        return StoredContent(ref, self.make_glob(ref), file.read, IndexedLines(file.read, size, marks, total))

    def store_file(self, unfinished: StoreFolder, name: str, ref: str, marks: LineIndex) -> None:
        """Move a finished temporary file to its ref, and replace a damaged file there.

        Set its time to now, so that a running collection keeps it.
        """
        with self.open_subfolder(BLOBS, ref[:2], make=True) as folder, folder.lock(exclusive=False):
            now = time()
            unfinished.touch(name, (now, now))
            unfinished.move(name, folder, ref)
        if marks.size > BLOCK:
            self._write_marks(ref, marks)

    def hash_content(self, ref: str) -> str:
        """Return the SHA-256 of the stored bytes without changing the access time. Raise OSError."""
        import hashlib

        digest = hashlib.sha256()
        with self.open_subfolder(BLOBS, ref[:2]) as folder:
            file = _open_blob(folder, ref, quietly=True)
            try:
                before = os.fstat(file)
                while piece := os.read(file, CHUNK):
                    digest.update(piece)
                if os.fstat(file).st_atime != before.st_atime and not hasattr(os, "O_NOATIME"):
                    with suppress(OSError):
                        folder.touch(ref, (before.st_atime, before.st_mtime))
            finally:
                os.close(file)
        return digest.hexdigest()

    def remove(self, ref: str, spare: Callable[[os.stat_result], bool] | None = None) -> bool:
        """Remove a ref and its line index; return whether it existed. Raise OSError.

        Call ``spare`` with the file's status under an exclusive lock; keep the file if it returns True.
        """
        try:
            with self.open_subfolder(BLOBS, ref[:2]) as folder, folder.lock(exclusive=True) as locked:
                state = folder.stat(ref)
                if spare is not None and (state is None or not locked or spare(state)):
                    return False
                removed = folder.remove(ref)
        except FileNotFoundError:
            removed = False
        with suppress(FileNotFoundError), self.open_subfolder(MARKS, ref[:2]) as folder:
            folder.remove(ref)
        return removed

    def remove_stale_marks(self, is_dead: Callable[[str, os.stat_result], bool]) -> None:
        """Remove line indexes of removed content, and unfinished ones whose process is dead."""
        for folder in self._list_folders(MARKS):
            for name in folder.list_names():
                ref, dot, process = name.partition(".")
                state = folder.stat(name) if is_ref(ref) else None
                if state is None or (process.isdigit() != bool(dot)):
                    continue
                if is_dead(process, state) if dot else self.read_state(ref) is None:
                    folder.remove(name)

    def is_full(self) -> bool:
        """Return whether the disk is full; False if the system does not report its size."""
        try:
            disk = os.statvfs(self.root)
        except (AttributeError, OSError):
            return False
        free = disk.f_bavail * disk.f_frsize
        return free < min(FULL_BELOW, FULL_SHARE * disk.f_blocks * disk.f_frsize)

    def _load_marks(self, ref: str, file: int, size: int) -> tuple[Sequence[int], int]:
        """Return the line index and the number of lines; rebuild the index if it is missing or implausible."""
        if size > BLOCK:
            marks = self._read_marks(ref)
            if _is_plausible(marks, file, size):
                return marks[1:], marks[0]
        new_marks = LineIndex()
        for offset in range(0, size, CHUNK):
            new_marks.update(os.pread(file, CHUNK, offset))
        if size > BLOCK:
            self._write_marks(ref, new_marks)
        return new_marks.newline_counts, new_marks.total

    def _read_marks(self, ref: str) -> array[int]:
        """Return a stored line index, empty if it cannot be read."""
        from array import array

        try:
            with self.open_subfolder(MARKS, ref[:2]) as folder, open(folder.open(ref), "rb") as index:
                return array("Q", index.read())
        except (OSError, ValueError):
            return array("Q")

    def _write_marks(self, ref: str, marks: LineIndex) -> None:
        """Write the number of lines and the line index; ignore errors, which only cost time later."""
        temporary = f"{ref}.{os.getpid()}"
        try:
            with self.open_subfolder(MARKS, ref[:2], make=True) as folder:
                folder.remove(temporary)  # left by a dead process with the same id
                with open(folder.create(temporary), "wb") as index:
                    index.write(pack_counts([marks.total, *marks.newline_counts]))
                folder.move(temporary, folder, ref)
        except OSError:
            return


class _OpenFile:
    """An open file descriptor that closes with its last reference."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __del__(self) -> None:
        os.close(self.descriptor)

    def read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes from ``offset``; fewer only at the end."""
        return os.pread(self.descriptor, length, offset)


_HEX = frozenset("0123456789abcdef")


def is_ref(name: str) -> bool:
    """Return whether a file name is a complete ref of 64 hex digits."""
    return len(name) == FULL_LENGTH and parse_prefix(name) == name


def _open_blob(folder: StoreFolder, ref: str, *, quietly: bool) -> int:
    """Open a blob; a quiet open keeps the access time, if the system can."""
    return folder.open(ref, getattr(os, "O_NOATIME", 0) if quietly else 0)


def _touch_blob(folder: StoreFolder, ref: str, changed: float) -> None:
    """Set the access time of a ref to now."""
    with suppress(OSError):
        folder.touch(ref, (time(), changed))


def _is_plausible(stored: array[int], file: int, size: int) -> bool:
    """Return whether a stored line index fits the file: its length, its steps and the lines of the last block."""
    from itertools import pairwise

    if len(stored) != size // BLOCK + 2 or stored[1] != 0:
        return False
    marks = stored[1:]
    if any(not 0 <= after - before <= BLOCK for before, after in pairwise(marks)):
        return False
    last = os.pread(file, BLOCK, size // BLOCK * BLOCK) or os.pread(file, 1, size - 1)
    ends = last.endswith(b"\n")
    inside = last.count(b"\n") if size % BLOCK else 0
    return bool(stored[0] == marks[-1] + inside + (not ends))
