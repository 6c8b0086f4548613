"""Find the files of stored content: one per ref, in folders by its first two digits."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ctxkit.core.store.label import FULL_LENGTH, SHORT_LENGTH, ClashingRef, parse_prefix
from ctxkit.core.store.store_interface import resolve_ref
from ctxkit.core.text.lines import BLOCK, pack_counts
from ctxkit.system.safe_directory import open_folder

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctxkit.core.text.lines import LineIndex
    from ctxkit.system.safe_directory import StoreFolder

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


def _is_ref(name: str) -> bool:
    """Return whether a file name is a complete ref of 64 hex digits."""
    return len(name) == FULL_LENGTH and parse_prefix(name) == name


def make_ref(folder: StoreFolder, name: str) -> str:
    """Return the name of a file in a folder of content as a ref, in the form of that folder."""
    return dict(_REFS)[os.path.basename(os.path.dirname(folder.path))](name)


MARKS = "marks"
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
            with self._open_subfolder(MARKS, ref[:2]) as folder, open(folder.open(ref), "rb") as file:
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
            with self._open_subfolder(MARKS, ref[:2], make=True) as folder:
                folder.remove(temporary)  # left by a dead process with the same id
                with open(folder.create(temporary), "wb") as file:
                    file.write(pack_counts([index.total, *index.newline_counts, state.st_size, state.st_mtime_ns]))
                folder.move(temporary, folder, ref)
        except OSError:
            return

    def remove(self, ref: str) -> None:
        """Remove the index of a ref, if there is one. Raise OSError."""
        with suppress(FileNotFoundError), self._open_subfolder(MARKS, ref[:2]) as folder:
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


def _is_possible(stored: array[int], size: int) -> bool:
    """Return whether an index fits the size of a blob: its length, and the number of newlines of each block."""
    from itertools import pairwise

    if len(stored) != size // BLOCK + 2 or stored[1] != 0:
        return False
    return all(0 <= after - before <= BLOCK for before, after in pairwise(stored[1:])) and (
        0 <= stored[0] - stored[-1] <= BLOCK
    )
