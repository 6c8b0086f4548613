"""Read, append to, replace and remove the files in folders of ctxkit's own, where no link is followed."""

from __future__ import annotations

import os
from contextlib import suppress
from time import time, time_ns

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.system.safe_directory import StoreFolder, open_folder


def open_own_folder(path: str, levels: int, *, make: bool = False) -> StoreFolder:
    """Open a folder whose path ends in ``levels`` names of ctxkit's own; create it if ``make``.

    The directory above those may be a link made by the user. Raise LinkError or OSError.
    """
    names: list[str] = []
    for _ in range(levels):
        path, name = os.path.split(path)
        names.insert(0, name)
    return open_folder(path, *names, make=make, restrict=True)


def read_file(folder: StoreFolder, name: str, most: int = -1) -> bytes:
    """Return at most ``most`` bytes of a file, all by default. Raise LinkError or OSError."""
    with open(folder.open(name), "rb") as file:
        return file.read(most)


def append_to_file(folder: StoreFolder, name: str, data: bytes, *, creates: bool = True) -> None:
    """Append to a file in one write, so that lines of concurrent processes stay whole. Raise LinkError or OSError."""
    file = folder.open(name, os.O_WRONLY | os.O_APPEND | (os.O_CREAT if creates else 0))
    try:
        os.write(file, data)
    finally:
        os.close(file)


def touch_file(folder: StoreFolder, name: str) -> None:
    """Create an empty file, or set the times of an existing one to now. Raise LinkError or OSError."""
    os.close(folder.open(name, os.O_WRONLY | os.O_CREAT))
    folder.touch(name, (time_ns(), time_ns()))


def replace_file(folder: StoreFolder, name: str, data: bytes, mode: int = 0o600) -> None:
    """Write a file atomically: other processes see the old file or the new one. Raise OSError.

    A link of that name is replaced, and what it leads to stays as it is.
    """
    _remove_leftovers(folder)
    temporary = temporary_name(os.getpid(), os.urandom(8).hex())
    file = folder.create(temporary)
    try:
        with open(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(file)
            if hasattr(os, "fchmod"):
                os.fchmod(file, mode)
        folder.move(temporary, folder, name)
    except BaseException:
        with suppress(OSError):
            folder.remove(temporary)
        raise


def _remove_leftovers(folder: StoreFolder) -> None:
    """Remove the temporary files of killed processes."""
    from ctxkit.system.processes import is_leftover
    for name in filter(is_temporary, folder.list_names()):
        state = folder.stat(name)
        if state is not None and is_leftover(process_of(name), state.st_mtime):
            with suppress(OSError):
                folder.remove(name)


def remove_older(folder: StoreFolder, seconds: float, endings: tuple[str, ...] = ("",)) -> None:
    """Remove the files with one of the endings that were last modified more than ``seconds`` ago."""
    for name in folder.list_names():
        state = folder.stat(name) if name.endswith(endings) else None
        if state is not None and time() - state.st_mtime > seconds:
            with suppress(OSError):
                folder.remove(name)


def remove_tree(folder: StoreFolder, name: str) -> bool:
    """Remove a folder with its files; return False if it stays, because it or something in it is a link.

    Raise OSError if it does not exist or cannot be opened.
    """
    with folder.open_subfolder(name, restrict=True) as inner:
        for entry in inner.list_names():
            with suppress(OSError):
                _ = inner.remove(entry) or remove_tree(inner, entry)
    return folder.remove_folder(name)


_NAME = compile_lazily(r"\.ctxkit-(?:(\d{1,10})-[0-9a-f]{16}|[a-z0-9_]{8})")
"""Process id and 64 random bits; the second form was used up to version 0.1."""


def temporary_name(process: int, random: str) -> str:
    """Return the name of a temporary file: the id of its process, and 16 random hex digits."""
    return f".ctxkit-{process}-{random}"


def is_temporary(name: str) -> bool:
    """Return whether a file name is that of a temporary file."""
    return name.startswith(".ctxkit-") and _NAME.fullmatch(name) is not None


def process_of(name: str) -> int:
    """Return the id of the process that writes a temporary file, 0 if its name has none."""
    match = _NAME.fullmatch(name)
    return int(match[1] or 0) if match else 0
