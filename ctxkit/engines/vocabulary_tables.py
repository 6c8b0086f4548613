"""Keep compiled tables of vocabularies in the user's cache directory: a file of 2.5 to 5 MB for each."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import time, time_ns
from typing import TYPE_CHECKING

from ctxkit.core.tokens.table_counter import RankTable, build_table
from ctxkit.system.own_files import TAKING, StoreFolder, open_folder

if TYPE_CHECKING:
    from mmap import mmap

FOLDER = "vocabularies"
"""Folder of the tables in a cache directory."""
_OPENED_EVERY = 86_400
"""Seconds after which opening a file sets its access time again."""


def open_table(root: str, name: str) -> RankTable | None:
    """Return the table in a file below ``root``.

    Return None if there is none, or if it is damaged, of another machine, or can be changed by other users.
    """
    try:
        with open_folder(root, FOLDER) as folder:
            return RankTable(_map_file(folder, name))
    except (OSError, ValueError):
        return None


def _map_file(folder: StoreFolder, name: str) -> "mmap":
    from mmap import ACCESS_READ, mmap

    file = folder.open(name)
    try:
        state = os.fstat(file)
        if state.st_mode & 0o022 or (hasattr(os, "geteuid") and state.st_uid != os.geteuid()):
            raise PermissionError(name)
        if time() - state.st_atime > _OPENED_EVERY:
            with suppress(OSError):
                folder.touch(name, (time_ns(), state.st_mtime_ns))
        return mmap(file, 0, access=ACCESS_READ)
    finally:
        os.close(file)


def make_table(root: str, name: str, read_tokens: Callable[[], Sequence[bytes]]) -> RankTable | None:
    """Return a new table of tokens, and write it to a file below ``root``; None if that cannot be written."""
    unfinished = f"{os.getpid()}-{os.urandom(6).hex()}"
    try:
        with open_folder(root, TAKING, make=True) as taking, open_folder(root, FOLDER, make=True) as folder:
            file = taking.create(unfinished)
            try:
                with open(file, "wb") as stream:
                    data = build_table(read_tokens())
                    stream.write(data)
                taking.move(unfinished, folder, name)
            except BaseException:
                taking.remove(unfinished)
                raise
    except OSError:
        return None
    return RankTable(data)


def list_tables(root: str) -> list[tuple[str, os.stat_result]]:
    """Return the name and the status of each table below ``root``."""
    try:
        with open_folder(root, FOLDER) as folder:
            states = [(name, folder.stat(name)) for name in folder.list_names()]
    except OSError:
        return []
    return [(name, state) for name, state in states if state is not None]


def remove_unused_tables(root: str, max_age: float) -> None:
    """Remove the tables that were not opened for ``max_age`` seconds, and for more than two days; ignore errors."""
    oldest = time() - max(max_age, 2 * _OPENED_EVERY)
    with suppress(OSError), open_folder(root, FOLDER) as folder:
        for name in folder.list_names():
            state = folder.stat(name)
            if state is not None and max(state.st_atime, state.st_mtime) < oldest:
                folder.remove(name)
