"""Store content as plain files that cat and sed can read: one per ref, in folders by its first two digits."""

from __future__ import annotations

import errno
import os
from contextlib import nullcontext, suppress
from functools import cached_property
from time import time_ns
from typing import TYPE_CHECKING

from ctxkit.core.store.label import FULL_LENGTH, SHORT_LENGTH, ClashingRef, parse_prefix, shorten_ref
from ctxkit.core.store.store_interface import StoredContent, damaged_content_error, not_stored_error, resolve_ref
from ctxkit.core.text.lines import BLOCK, LineIndex, pack_counts
from ctxkit.engines.content_hash import ContentHash
from ctxkit.system.own_files import open_folder

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctxkit.core.store.label import Label
    from ctxkit.core.text.lines import Read
    from ctxkit.system.own_files import StoreFolder

BLOBS, CLASHES = "blobs", "clashes"
"""Folders of content; the second one is for content whose short ref is that of earlier content."""
FULL_BELOW, FULL_SHARE = 16 << 20, 0.01
"""A disk is full if less than this many bytes, and less than this share of it, are free."""
_REFS: tuple[tuple[str, Callable[[str], str]], ...] = (BLOBS, str), (CLASHES, ClashingRef)
"""The folders of content, each with the form of its refs."""


class BlobFolders:
    """Folders of content below ``root``: the file of a ref is ``blobs/3f/3f9a...``, or ``clashes/3f/3f9a...``.

    A ``private`` root is in a public directory: it is used only if no other user can access it.
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
        clashing = os.path.join(self.root, CLASHES, ref[:2], ref)
        return clashing if os.path.lexists(clashing) else os.path.join(self.root, BLOBS, ref[:2], ref)

    def find(self, prefix: str) -> str:
        """Return the only ref that begins with ``prefix``; a short ref as it is printed names the earliest content.

        Raise NotStoredError, AmbiguousRefError if there are several, or OSError if the folder is unusable.
        """
        refs: list[str] = []
        for kind, form in _REFS[: 1 if len(prefix) == SHORT_LENGTH else 2]:
            with suppress(FileNotFoundError), self.open_subfolder(kind, prefix[:2]) as folder:
                names = [name for name in folder.list_names() if name.startswith(prefix) and _is_ref(name)]
                refs += [form(name) for name in names if folder.stat(name)]
        return resolve_ref(prefix, refs)

    def read_state(self, ref: str) -> os.stat_result | None:
        """Return the status of the file of a ref, or None if it is not stored. Raise OSError."""
        try:
            with self.open_folder_of(ref) as folder:
                return folder.stat(ref)
        except FileNotFoundError:
            return None

    def open_folder_of(self, ref: str) -> StoreFolder:
        """Open the folder with the file of a ref. Raise FileNotFoundError if there is none, or OSError."""
        for kind in (BLOBS, CLASHES):
            with suppress(FileNotFoundError):
                folder = self.open_subfolder(kind, ref[:2])
                if folder.stat(ref) is not None:
                    return folder
                folder.close()
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.path(ref))

    def list_refs(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield every ref with the status of its file; skip folders that other users could have changed."""
        for kind, form in _REFS:
            for folder in self.list_folders(kind):
                for name in folder.list_names():
                    state = folder.stat(name) if _is_ref(name) else None
                    if state is not None:
                        yield form(name), state

    def list_folders(self, kind: str) -> Iterator[StoreFolder]:
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

    def is_clashing(self, ref: str, folder: StoreFolder) -> bool:
        """Return whether other content had the short ref first, when this content came."""
        short = ref[:SHORT_LENGTH]
        if any(name.startswith(short) and name != ref and _is_ref(name) for name in folder.list_names()):
            return True
        with suppress(FileNotFoundError), self.open_subfolder(CLASHES, ref[:2]) as clashes:
            return clashes.stat(ref) is not None
        return False

    def is_full(self) -> bool:
        """Return whether the disk is full; False if the system does not report its size."""
        try:
            disk = os.statvfs(self.root)
        except (AttributeError, OSError):
            return False
        free = disk.f_bavail * disk.f_frsize
        return free < min(FULL_BELOW, FULL_SHARE * disk.f_blocks * disk.f_frsize)


_HEX = frozenset("0123456789abcdef")
_MARKS = "marks"
"""Folder of the line indexes."""


class LineMarks:
    """The line indexes of the blobs of more than one block: ``marks/3f/3f9a...`` in the root of a store.

    A file has the number of lines, the newlines before each block, and the size in bytes and the time of the last
    change in nanoseconds that the blob had when its bytes matched its ref. All are integers of 64 bits. Files of
    ctxkit 0.1.0 lack the last two, so that the blob is checked once more.
    """

    def __init__(self, open_subfolder: Callable[..., StoreFolder]) -> None:
        self._open_subfolder = open_subfolder

    def read(self, ref: str, state: os.stat_result) -> tuple[Sequence[int], int] | None:
        """Return the newlines before each block, and the number of lines.

        Return None unless the file of the blob is as it was, or if the index is missing or impossible.
        """
        from array import array

        try:
            with self._open_subfolder(_MARKS, ref[:2]) as folder, open(folder.open(ref), "rb") as file:
                stored = array("Q", file.read())
        except (OSError, ValueError):
            return None
        if list(stored[-2:]) != [state.st_size, state.st_mtime_ns] or not _is_possible(stored[:-2], state.st_size):
            return None
        return stored[1:-2], stored[0]

    def write(self, ref: str, index: LineIndex, state: os.stat_result) -> None:
        """Write a line index for a blob with this state; ignore errors, which only cost time later."""
        temporary = f"{ref}.{os.getpid()}"
        try:
            with self._open_subfolder(_MARKS, ref[:2], make=True) as folder:
                folder.remove(temporary)  # left by a dead process with the same id
                with open(folder.create(temporary), "wb") as file:
                    file.write(pack_counts([index.total, *index.newline_counts, state.st_size, state.st_mtime_ns]))
                folder.move(temporary, folder, ref)
        except OSError:
            return

    def remove(self, ref: str) -> None:
        """Remove the index of a ref, if there is one. Raise OSError."""
        with suppress(FileNotFoundError), self._open_subfolder(_MARKS, ref[:2]) as folder:
            folder.remove(ref)

    def remove_stale(
        self,
        folders: Iterable[StoreFolder],
        is_dead: Callable[[str, os.stat_result], bool],
        is_stored: Callable[[str], bool],
    ) -> None:
        """Remove the indexes of removed content, and unfinished ones whose process is dead. Raise OSError."""
        for folder in folders:
            for name in folder.list_names():
                ref, dot, process = name.partition(".")
                state = folder.stat(name) if _is_ref(ref) else None
                if state is None or (process.isdigit() != bool(dot)):
                    continue
                if is_dead(process, state) if dot else not is_stored(ref):
                    folder.remove(name)


CHUNK = 1 << 20
DAMAGED = "damaged"
"""Folder of files whose bytes were not those of their ref."""


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


class BlobFiles(BlobFolders):
    """Content files below ``root``: ``blobs/3f/3f9a...`` contains the bytes, ``marks/3f/3f9a...`` a line index.

    Directories have mode 0700 and files 0600 with any umask. Each read sets the access time of the file, because a disk
    may be mounted without access times. A ``private`` root is in a public directory: it is used only if no other user
    can access it.
    """

    @cached_property
    def _marks(self) -> LineMarks:
        """Return the line indexes; they are loaded late because small content has none."""
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
                ref = _make_ref(folder, ref)
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
        with suppress(FileNotFoundError), self.open_subfolder(DAMAGED) as damaged:
            for name in damaged.list_names():
                state = damaged.stat(name)
                if state is not None and time_ns() - state.st_ctime_ns >= age * 1e9:
                    damaged.remove(name)
        self._marks.remove_stale(self.list_folders(_MARKS), is_dead, lambda ref: self.read_state(ref) is not None)


def _open_blob(folder: StoreFolder, ref: str, *, quietly: bool) -> int:
    """Open a blob; a quiet open keeps the access time, if the system can."""
    return folder.open(ref, getattr(os, "O_NOATIME", 0) if quietly else 0)


def _touch_blob(folder: StoreFolder, ref: str, state: os.stat_result) -> None:
    """Set the access time of a ref to now."""
    with suppress(OSError):
        folder.touch(ref, (time_ns(), state.st_mtime_ns))


def _is_ref(name: str) -> bool:
    """Return whether a file name is a complete ref of 64 hex digits."""
    return len(name) == FULL_LENGTH and parse_prefix(name) == name


def _make_ref(folder: StoreFolder, name: str) -> str:
    """Return the name of a file in a folder of content as a ref, in the form of that folder."""
    return dict(_REFS)[os.path.basename(os.path.dirname(folder.path))](name)


def _is_possible(stored: array[int], size: int) -> bool:
    """Return whether an index fits the size of a blob: its length, and the number of newlines of each block."""
    from itertools import pairwise

    if len(stored) != size // BLOCK + 2 or stored[1] != 0:
        return False
    return all(0 <= after - before <= BLOCK for before, after in pairwise(stored[1:])) and (
        0 <= stored[0] - stored[-1] <= BLOCK
    )
