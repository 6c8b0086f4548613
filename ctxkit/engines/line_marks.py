"""Store the line index of a large blob with the state of its file, so that an unchanged file is not read again."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ctxkit.core.text.lines import BLOCK, pack_counts
from ctxkit.engines.blob_folders import is_ref

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Sequence

    from ctxkit.core.text.lines import LineIndex
    from ctxkit.system.safe_directory import StoreFolder

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
                state = folder.stat(name) if is_ref(ref) else None
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
