"""Content as plain files, one a ref, that cat and sed can read."""

import os
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from time import time

from ctxkit.core.store.blobs import StoredContent, not_stored_error, resolve_ref
from ctxkit.core.store.ref import FULL_LENGTH, parse_prefix, shorten_ref
from ctxkit.core.text.lines import BLOCK, IndexedLines, LineIndex
from ctxkit.core.text.shell import quote
from ctxkit.engines.folder import StoreFolder, open_folder

CHUNK = 1 << 20
FULL_BELOW, FULL_SHARE = 16 << 20, 0.01
"""A disk is full if less than this many bytes, and less than this share of it, are free."""
BLOBS, MARKS, TAKING = "blobs", "marks", "taking"
"""The folders of content, of line indexes, and of files that are not finished, each named PID-12 hex digits."""


class BlobFiles:
    """Keep files below ``root``: ``blobs/3f/3f9a...`` holds the bytes, ``marks/3f/3f9a...`` a line index.

    Directories are 0700 and files 0600 whatever the umask. The time of a file's last access is set
    on each read, so that it holds where a disk is mounted without access times. A root that is
    ``private`` lies in a public directory: it is used only if no other user can get at it.
    """

    def __init__(self, root: str, *, private: bool = False) -> None:
        self.root = root
        self._private = private

    def open_subfolder(self, *inside: str, make: bool = False) -> StoreFolder:
        """Open the root or a folder below it. Raises OSError if it is absent or not safely this user's."""
        return open_folder(self.root, *inside, make=make, private=self._private)

    def path(self, ref: str) -> str:
        """Return the path of the file that holds, or would hold, a ref."""
        return os.path.join(self.root, BLOBS, ref[:2], ref)

    def make_glob(self, ref: str) -> str:
        """Return a short glob, fit for a shell, that matches that file alone."""
        home = os.path.expanduser("~")
        root = self.root
        if home != "/" and root.startswith(home + os.sep):
            return f"~/{quote(os.path.join(root[len(home) + 1 :], BLOBS, ref[:2], shorten_ref(ref)))}*"
        return quote(os.path.join(root, BLOBS, ref[:2], shorten_ref(ref))) + "*"

    def marks_path(self, ref: str) -> str:
        """Return the path of the line index of a ref; small content has none."""
        return os.path.join(self.root, MARKS, ref[:2], ref)

    def find(self, prefix: str) -> str:
        """Return the one ref that begins with ``prefix``. Raises OSError if the folder cannot be used."""
        try:
            with self.open_subfolder(BLOBS, prefix[:2]) as folder:
                names = [name for name in folder.list_names() if name.startswith(prefix) and is_ref(name)]
                refs = [name for name in names if folder.stat(name)]
        except FileNotFoundError:
            refs = []
        return resolve_ref(prefix, refs)

    def read_state(self, ref: str) -> os.stat_result | None:
        """Return the state of the file of a ref, or None if nothing is stored. Raises OSError."""
        try:
            with self.open_subfolder(BLOBS, ref[:2]) as folder:
                return folder.stat(ref)
        except FileNotFoundError:
            return None

    def list_refs(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield every ref with the state of its file; a folder that is not safely this user's holds none."""
        for folder in self._list_folders(BLOBS):
            for name in folder.list_names():
                state = folder.stat(name) if is_ref(name) else None
                if state is not None:
                    yield name, state

    def _list_folders(self, kind: str) -> Iterator[StoreFolder]:
        """Yield the folders of two digits below a folder, as far as they can be used; each is closed in the end."""
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
        """Return access to the bytes and lines of a ref; unless ``quietly``, it counts as read."""
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
        """Give a finished temporary file its place, and mend what stood there if it was damaged.

        No collection that is under way takes it: its age is that of this moment.
        """
        with self.open_subfolder(BLOBS, ref[:2], make=True) as folder, folder.lock(exclusive=False):
            now = time()
            unfinished.touch(name, (now, now))
            unfinished.move(name, folder, ref)
        if marks.size > BLOCK:
            self._write_marks(ref, marks)

    def hash_content(self, ref: str) -> str:
        """Return the SHA-256 of the bytes that are there; looking does not count as reading. Raises OSError."""
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
        """Remove a ref and its index; return whether it was there. Raises OSError.

        With ``spare``, nobody stores or reads the content while ``spare`` looks at its file; True leaves it.
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
        """Remove line indexes of content that is gone, and unfinished ones whose process, by its number, is dead."""
        for folder in self._list_folders(MARKS):
            for name in folder.list_names():
                ref, dot, process = name.partition(".")
                state = folder.stat(name) if is_ref(ref) else None
                if state is None or (process.isdigit() != bool(dot)):
                    continue
                if is_dead(process, state) if dot else self.read_state(ref) is None:
                    folder.remove(name)

    def is_full(self) -> bool:
        """Tell whether the disk is as good as full; if the system does not say, it is not."""
        try:
            disk = os.statvfs(self.root)
        except (AttributeError, OSError):
            return False
        free = disk.f_bavail * disk.f_frsize
        return free < min(FULL_BELOW, FULL_SHARE * disk.f_blocks * disk.f_frsize)

    def _load_marks(self, ref: str, file: int, size: int) -> tuple["array[int]", int]:
        """Return the line index, made anew where it is missing or does not suit the size."""
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

    def _read_marks(self, ref: str) -> "array[int]":
        """Return a line index as it is stored, empty if it cannot be read."""
        try:
            with self.open_subfolder(MARKS, ref[:2]) as folder, open(folder.open(ref), "rb") as index:
                return array("Q", index.read())
        except (OSError, ValueError):
            return array("Q")

    def _write_marks(self, ref: str, marks: LineIndex) -> None:
        """Write the number of lines and the marks; failing costs only time later."""
        temporary = f"{ref}.{os.getpid()}"
        try:
            with self.open_subfolder(MARKS, ref[:2], make=True) as folder:
                folder.remove(temporary)  # left by a dead process that had the same number
                with open(folder.create(temporary), "wb") as index:
                    index.write(array("Q", [marks.total]).tobytes() + marks.newline_counts.tobytes())
                folder.move(temporary, folder, ref)
        except OSError:
            return


class _OpenFile:
    """Hold an open file as long as somebody may read it; nobody has to close it."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __del__(self) -> None:
        os.close(self.descriptor)

    def read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes from ``offset``; fewer only at the end."""
        return os.pread(self.descriptor, length, offset)


_HEX = frozenset("0123456789abcdef")


def is_ref(name: str) -> bool:
    """Tell whether a file's name is one that the store gives: all 64 digits of a ref."""
    return len(name) == FULL_LENGTH and parse_prefix(name) == name


def _open_blob(folder: StoreFolder, ref: str, *, quietly: bool) -> int:
    """Open a blob; a quiet look leaves no trace in the time of the last read, if the system can do that."""
    return folder.open(ref, getattr(os, "O_NOATIME", 0) if quietly else 0)


def _touch_blob(folder: StoreFolder, ref: str, changed: float) -> None:
    """Note that a ref was read just now."""
    with suppress(OSError):
        folder.touch(ref, (time(), changed))


def _is_plausible(stored: "array[int]", file: int, size: int) -> bool:
    """Tell whether a stored line index suits the file: its length, its steps, and the lines of the last block."""
    if len(stored) != size // BLOCK + 2 or stored[1] != 0:
        return False
    marks = stored[1:]
    if any(not 0 <= after - before <= BLOCK for before, after in pairwise(marks)):
        return False
    last = os.pread(file, BLOCK, size // BLOCK * BLOCK) or os.pread(file, 1, size - 1)
    ends = last.endswith(b"\n")
    inside = last.count(b"\n") if size % BLOCK else 0
    return bool(stored[0] == marks[-1] + inside + (not ends))
