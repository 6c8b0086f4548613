"""Store content as plain files, one per ref, that cat and sed can read."""

from __future__ import annotations

import os
from contextlib import nullcontext, suppress
from functools import cached_property
from time import time_ns
from typing import TYPE_CHECKING

from ctxkit.core.store.label import ClashingRef, shorten_ref
from ctxkit.core.store.store_interface import StoredContent, damaged_content_error, not_stored_error
from ctxkit.core.text.lines import BLOCK, LineIndex
from ctxkit.engines.blob_folders import BLOBS, CLASHES, BlobFolders, make_ref
from ctxkit.engines.content_hash import ContentHash

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctxkit.core.store.label import Label
    from ctxkit.core.text.lines import Read
    from ctxkit.engines.blob_folders import LineMarks
    from ctxkit.system.safe_directory import StoreFolder

CHUNK = 1 << 20
DAMAGED = "damaged"
"""Folder of files whose bytes were not those of their ref."""


class BlobFiles(BlobFolders):
    """Content files below ``root``: ``blobs/3f/3f9a...`` contains the bytes, ``marks/3f/3f9a...`` a line index.

    Directories have mode 0700 and files 0600 with any umask. Each read sets the access time of the file, because a disk
    may be mounted without access times. A ``private`` root is in a public directory: it is used only if no other user
    can access it.
    """

    @cached_property
    def _marks(self) -> LineMarks:
        """Return the line indexes; they are loaded late because small content has none."""
        from ctxkit.engines.blob_folders import LineMarks

        return LineMarks(self.open_subfolder)

    def make_glob(self, ref: str) -> str:
        """Return a short shell glob that matches only this file, "" if no word names the root in every shell."""
        from ctxkit.core.text.shell import quote_word

        home = os.path.expanduser("~")
        is_below_home = home != "/" and self.root.startswith(home + os.sep)
        folder = self.root[len(home) + 1 :] if is_below_home else self.root
        is_clashing = isinstance(ref, ClashingRef)
        word = quote_word(os.path.join(folder, CLASHES if is_clashing else BLOBS, ref[:2], shorten_ref(ref)))
        return f"{'~/' if is_below_home else ''}{word}{'' if is_clashing else '*'}" if word else ""

    def open(self, ref: str, *, quietly: bool = False) -> StoredContent:
        """Return access to the bytes and lines of a ref; record the time of reading, unless ``quietly``.

        The bytes are checked: all of a file that is small or has changed at once, those of another one where it is
        read from its start to its end. Raise DamagedContentError if they are not those of the ref.
        """
        from ctxkit.core.text.lines import IndexedLines

        try:
            with self.open_folder_of(ref) as folder, folder.lock(exclusive=False):
                file = _OpenFile(_open_blob(folder, ref, quietly=quietly), self._check(ref))
                ref = make_ref(folder, ref)
                if not quietly:
                    _touch_blob(folder, ref, file.state)
        except FileNotFoundError:
            raise not_stored_error(shorten_ref(ref)) from None
        read, marks, total = self._index_lines(ref, file)
        return StoredContent(ref, self.make_glob(ref), read, IndexedLines(read, file.state.st_size, marks, total))

    def _index_lines(self, ref: str, file: _OpenFile) -> tuple[Read, Sequence[int], int]:
        """Return a function that reads the file, and its line index; read the whole file if it may have changed."""
        size = file.state.st_size
        stored = self._marks.read(ref, file.state) if size > BLOCK else None
        if stored is not None:
            return file.read, *stored
        index, data = LineIndex(), b""
        for offset in range(0, max(size, 1), CHUNK):
            data = file.read(offset, CHUNK)
            index.update(data)
        if size > BLOCK:
            self._marks.write(ref, index, file.state)
            return file.read, index.newline_counts, index.total
        return (lambda offset, length: data[offset : offset + length]), index.newline_counts, index.total

    def _check(self, ref: str) -> Callable[[str], None]:
        """Return a function that raises DamagedContentError, and sets the file aside, for another hash than a ref."""

        def check_digest(digest: str) -> None:
            """Check the SHA-256 of all bytes."""
            if digest != ref:
                self._set_aside(ref)
                raise damaged_content_error(ref, self.root)

        return check_digest

    def _set_aside(self, ref: str) -> None:
        """Move a damaged file out of the content, where a person can look at it until a collection removes it."""
        with suppress(OSError), self.open_folder_of(ref) as folder:
            with folder.lock(exclusive=True), self.open_subfolder(DAMAGED, make=True) as target:
                folder.move(ref, target, ref)
            self._marks.remove(ref)

    def store_file(self, unfinished: StoreFolder, name: str, ref: str, marks: LineIndex) -> str:
        """Move a finished temporary file to its ref, and replace a damaged file there; return the ref.

        Set its time to now, so that a running collection keeps it. Return a ClashingRef for content whose short ref
        names earlier content.
        """
        with self.open_subfolder(BLOBS, ref[:2], make=True) as folder, folder.lock(exclusive=True):
            now = time_ns()
            unfinished.touch(name, (now, now))
            is_clashing = self.is_clashing(ref, folder)
            with self.open_subfolder(CLASHES, ref[:2], make=True) if is_clashing else nullcontext(folder) as target:
                unfinished.move(name, target, ref)
                state = target.stat(ref)
        if marks.size > BLOCK and state is not None:
            self._marks.write(ref, marks, state)
        return ClashingRef(ref) if is_clashing else ref

    def store_cut_off(
        self, unfinished: StoreFolder, name: str, label: Label, register: Callable[[str, LineIndex, Label], None]
    ) -> bool:
        """Store a file that its writer did not finish; return whether this process stored it."""
        digest, marks = ContentHash(), LineIndex()
        try:
            file = unfinished.open(name)
            try:
                while piece := os.read(file, CHUNK):
                    digest.update(piece)
                    marks.update(piece)
            finally:
                os.close(file)
            ref = self.store_file(unfinished, name, digest.hexdigest(), marks)
        except FileNotFoundError:  # another process stored it
            return False
        register(ref, marks, label)
        return True

    def hash_content(self, ref: str) -> str:
        """Return the SHA-256 of the stored bytes without changing the access time. Raise OSError."""
        import hashlib

        digest = hashlib.sha256()
        with self.open_folder_of(ref) as folder:
            file = _open_blob(folder, ref, quietly=True)
            try:
                before = os.fstat(file)
                while piece := os.read(file, CHUNK):
                    digest.update(piece)
                if os.fstat(file).st_atime_ns != before.st_atime_ns and not hasattr(os, "O_NOATIME"):
                    with suppress(OSError):
                        folder.touch(ref, (before.st_atime_ns, before.st_mtime_ns))
            finally:
                os.close(file)
        return digest.hexdigest()

    def remove(self, ref: str, spare: Callable[[os.stat_result], bool] | None = None) -> bool:
        """Remove a ref and its line index; return whether it existed. Raise OSError.

        Call ``spare`` with the file's status under an exclusive lock; keep the file if it returns True.
        """
        try:
            with self.open_folder_of(ref) as folder, folder.lock(exclusive=True) as locked:
                state = folder.stat(ref)
                if spare is not None and (state is None or not locked or spare(state)):
                    return False
                removed = folder.remove(ref)
        except FileNotFoundError:
            removed = False
        self._marks.remove(ref)
        return removed

    def remove_leftovers(self, is_dead: Callable[[str, os.stat_result], bool], age: float) -> None:
        """Remove what was set aside ``age`` seconds ago, and line indexes of removed content and of dead processes."""
        from ctxkit.engines.blob_folders import MARKS

        with suppress(FileNotFoundError), self.open_subfolder(DAMAGED) as damaged:
            for name in damaged.list_names():
                state = damaged.stat(name)
                if state is not None and time_ns() - state.st_ctime_ns >= age * 1e9:
                    damaged.remove(name)
        self._marks.remove_stale(self.list_folders(MARKS), is_dead, lambda ref: self.read_state(ref) is not None)


class _OpenFile:
    """An open blob that closes with its last reference; the digest of what is read from start to end is checked."""

    def __init__(self, descriptor: int, check_digest: Callable[[str], None]) -> None:
        self._descriptor = descriptor
        self.state = os.fstat(descriptor)
        self._check_digest = check_digest
        self._hash = ContentHash()
        self._hashed = 0

    def __del__(self) -> None:
        os.close(self._descriptor)

    def read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes from ``offset``; fewer only at the end. Raise DamagedContentError at the end."""
        piece = os.pread(self._descriptor, length, offset)
        if offset == self._hashed and (piece or not offset):
            self._hash.update(piece)
            self._hashed += len(piece)
            if self._hashed >= self.state.st_size:
                self._check_digest(self._hash.hexdigest())
        return piece


def _open_blob(folder: StoreFolder, ref: str, *, quietly: bool) -> int:
    """Open a blob; a quiet open keeps the access time, if the system can."""
    return folder.open(ref, getattr(os, "O_NOATIME", 0) if quietly else 0)


def _touch_blob(folder: StoreFolder, ref: str, state: os.stat_result) -> None:
    """Set the access time of a ref to now."""
    with suppress(OSError):
        folder.touch(ref, (time_ns(), state.st_mtime_ns))
