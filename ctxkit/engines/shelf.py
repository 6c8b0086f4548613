"""Content as plain files, one a ref, that cat and sed can read."""

import os
from array import array
from collections.abc import Iterator
from itertools import pairwise
from time import time

from ctxkit.core.lines import BLOCK, Lines, Marks
from ctxkit.core.ref import FULL, SHORTEST, prefix_of, short
from ctxkit.core.shell import quoted
from ctxkit.core.store import Held
from ctxkit.core.trouble import Misuse, NotHeld

CHUNK = 1 << 20


class Shelf:
    """Keep files below ``root``: ``blobs/3f/3f9a...`` holds the bytes, ``marks/3f/3f9a...`` a line index.

    Directories are 0700 and files 0600 whatever the umask. The time of a file's last access is set
    on each read, so that it holds where a disk is mounted without access times.
    """

    def __init__(self, root: str) -> None:
        self.root = root

    def path(self, ref: str) -> str:
        """Return the path of the file that holds, or would hold, a ref."""
        return os.path.join(self.root, "blobs", ref[:2], ref)

    def pattern(self, ref: str) -> str:
        """Return a short glob, fit for a shell, that matches that file alone."""
        home = os.path.expanduser("~")
        root = self.root
        if home != "/" and root.startswith(home + os.sep):
            return f"~/{quoted(os.path.join(root[len(home) + 1 :], 'blobs', ref[:2], short(ref)))}*"
        return quoted(os.path.join(root, "blobs", ref[:2], short(ref))) + "*"

    def marks_path(self, ref: str) -> str:
        """Return the path of the line index of a ref; small content has none."""
        return os.path.join(self.root, "marks", ref[:2], ref)

    def find(self, prefix: str) -> str:
        """Return the one ref that begins with ``prefix``."""
        try:
            names = os.listdir(os.path.join(self.root, "blobs", prefix[:2]))
        except OSError:
            names = []
        found = sorted(name for name in names if name.startswith(prefix))
        if not found:
            raise NotHeld(f"nothing stored under {prefix}", hint="ctxkit cache list shows what is")
        if len(found) > 1:
            listed = ", ".join(name[: max(len(prefix) + 4, SHORTEST)] for name in found[:4])
            raise Misuse(f"{prefix} means {len(found)} refs: {listed}", hint="give more of its digits")
        return found[0]

    def refs(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield every ref with the state of its file."""
        for folder in _names(os.path.join(self.root, "blobs")):
            for name in _names(os.path.join(self.root, "blobs", folder)):
                if len(name) != FULL or prefix_of(name) is None:
                    continue
                try:
                    yield name, os.stat(self.path(name))
                except OSError:
                    continue

    def open(self, ref: str, *, quietly: bool = False) -> Held:
        """Return access to the bytes and lines of a ref; unless ``quietly``, it counts as read."""
        path = self.path(ref)
        try:
            # A quiet look leaves no trace in the time of the last read, where the system can do that.
            unseen = getattr(os, "O_NOATIME", 0) if quietly else 0
            file = os.open(path, os.O_RDONLY | unseen | getattr(os, "O_BINARY", 0))
        except FileNotFoundError:
            raise NotHeld(f"nothing stored under {short(ref)}", hint="ctxkit cache list shows what is") from None
        size = os.fstat(file).st_size
        if not quietly:
            self.touch(ref)

        def read(offset: int, length: int) -> bytes:
            return os.pread(file, length, offset)

        marks, total = self._marks(ref, file, size)
        return Held(ref, self.pattern(ref), read, Lines(read, size, marks, total))

    def touch(self, ref: str) -> None:
        """Note that a ref was read or stored again just now."""
        try:
            os.utime(self.path(ref), (time(), os.stat(self.path(ref)).st_mtime))
        except OSError:
            return

    def keep(self, taken: str, ref: str, marks: Marks) -> None:
        """Give a finished temporary file its place, and mend what stood there if it was damaged."""
        private(self.root, "blobs", ref[:2])
        os.replace(taken, self.path(ref))
        if marks.size > BLOCK:
            self._write_marks(ref, marks)

    def digest(self, ref: str) -> str:
        """Return the SHA-256 of the bytes that are there; looking does not count as reading."""
        import hashlib

        path = self.path(ref)
        state, digest = os.stat(path), hashlib.sha256()
        with open(path, "rb") as file:
            while piece := file.read(CHUNK):
                digest.update(piece)
        os.utime(path, (state.st_atime, state.st_mtime))
        return digest.hexdigest()

    def remove(self, ref: str) -> None:
        """Remove a ref and its index."""
        for path in (self.path(ref), self.marks_path(ref)):
            try:
                os.unlink(path)
            except FileNotFoundError:
                continue

    def _marks(self, ref: str, file: int, size: int) -> tuple["array[int]", int]:
        """Return the line index, made anew where it is missing or does not suit the size."""
        if size > BLOCK:
            try:
                with open(self.marks_path(ref), "rb") as index:
                    marks = array("Q", index.read())
            except (OSError, ValueError):
                marks = array("Q")
            if _plausible(marks, file, size):
                return marks[1:], marks[0]
        counted = Marks()
        for offset in range(0, size, CHUNK):
            counted.update(os.pread(file, CHUNK, offset))
        if size > BLOCK:
            self._write_marks(ref, counted)
        return counted.marks, counted.total

    def _write_marks(self, ref: str, marks: Marks) -> None:
        """Write the number of lines and the marks; failing costs only time later."""
        path = self.marks_path(ref)
        try:
            private(self.root, "marks", ref[:2])
            temporary = f"{path}.{os.getpid()}"
            with os.fdopen(create(temporary), "wb") as index:
                index.write(array("Q", [marks.total]).tobytes() + marks.marks.tobytes())
            os.replace(temporary, path)
        except OSError:
            return


def _plausible(stored: "array[int]", file: int, size: int) -> bool:
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


def create(path: str) -> int:
    """Create a file that only its owner can read, and return its descriptor."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    if hasattr(os, "fchmod"):
        os.fchmod(file, 0o600)
    return file


def private(root: str, *inside: str) -> str:
    """Return a directory below ``root``, made where it is not there, all of it its owner's alone.

    The umask may take too much from a new directory, or leave too much to others.
    """
    if not os.path.isdir(root):
        os.makedirs(root, mode=0o700, exist_ok=True)
        os.chmod(root, 0o700)
    path = root
    for name in inside:
        path = os.path.join(path, name)
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            continue
        os.chmod(path, 0o700)
    return path


def _names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []
