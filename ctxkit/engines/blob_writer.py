"""Write new content into a temporary file, and store what a killed process left of one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import time
from typing import TYPE_CHECKING

from ctxkit.core.store.label import Label
from ctxkit.core.text.lines import LineIndex
from ctxkit.engines.blob_files import CHUNK, BlobFiles
from ctxkit.engines.content_hash import ContentHash
from ctxkit.system.own_files import TAKING
from ctxkit.system.processes import may_have_written

if TYPE_CHECKING:
    from ctxkit.system.own_files import StoreFolder

NAME = re.compile(r"(\d{1,20})-([0-9a-f]{12})")
"""The name of an unfinished file: the number of the process that writes it, and the id of what it writes."""
LABEL = ".label"
"""What follows that name in the name of its label."""
_CUT_OFF = "cut off, ctxkit was killed: "
"""What stands before the name of content that a killed process did not finish."""
_MAX_LABEL = 1 << 14
"""Bytes of a label above which it is not read."""
_MAX_READ = 64 << 20
"""Bytes of an unfinished file that are read."""


class UnfinishedFiles:
    """The unfinished files of a store; one that has a label is worth keeping if its writer was killed."""

    def __init__(self, blob_files: BlobFiles, register: Callable[[str, LineIndex, Label], None]) -> None:
        self._blob_files, self._register = blob_files, register

    def store_cut_off(self) -> None:
        """Store the labelled files of processes that were killed, as far as they were written."""
        with suppress(OSError), self._blob_files.open_subfolder(TAKING) as folder:
            for name in folder.list_names():
                match, state = NAME.fullmatch(name), folder.stat(name)
                label = _read_label(folder, name) if match and state and is_abandoned(match[1], state, 0) else None
                if label is not None and self._blob_files.store_cut_off(folder, name, label, self._register):
                    remove_label(folder, name)

    def read(self, id_: str) -> bytes | None:
        """Return what a running process has written under an id, None if there is nothing. Raise OSError."""
        try:
            with self._blob_files.open_subfolder(TAKING) as folder:
                name = next((name for name in folder.list_names() if _get_id(name) == id_), "")
                return _read_file(folder, name, _MAX_READ) if name else None
        except FileNotFoundError:
            return None

    def clear(self, age: float) -> None:
        """Remove the files of processes that died at least ``age`` seconds ago, and their labels."""
        with suppress(OSError), self._blob_files.open_subfolder(TAKING) as folder:
            for name in folder.list_names():
                match, state = NAME.fullmatch(name.removesuffix(LABEL)), folder.stat(name)
                if match and state and is_abandoned(match[1], state, age):
                    folder.remove(name)


Register = Callable[[str, LineIndex, Label], None]
"""Adds a stored ref to the index."""


class FileBlobWriter:
    """Writes a temporary file beside the blobs; the final rename stores it completely or not at all.

    The file stays open until the writer is deleted or abandoned, so ``replay`` works after the file was renamed or
    removed.
    """

    def __init__(self, blob_files: BlobFiles, register: Register, name_project: Callable[[], str] = str) -> None:
        self._file = -1
        self._blob_files = blob_files
        self._register = register
        self._name_project = name_project
        self._hash = ContentHash()
        self._marks = LineIndex()
        self._name = f"{os.getpid()}-{os.urandom(6).hex()}"
        self._folder = blob_files.open_subfolder(TAKING, make=True)
        try:
            self._file = self._folder.create(self._name)
        except BaseException:
            self._folder.close()
            raise
        self.size = 0
        self._id = ""

    def __del__(self) -> None:
        self._close()

    def write(self, chunk: bytes) -> None:
        """Write the next bytes, and count them once they are in the file."""
        view = memoryview(chunk)
        while view:
            view = view[os.write(self._file, view) :]
        self._hash.update(chunk)
        self._marks.update(chunk)
        self.size += len(chunk)

    def name_unfinished(self, label: Label) -> str:
        """Write the label beside the file: if this process is killed, another one stores the file under it."""
        label = label._replace(project=self._name_project())
        self._id = _write_label(self._folder, self._name, label)
        return self._id

    def commit(self, label: Label) -> str:
        """Rename the file to its ref, and register it."""
        self._remove_label()
        ref = self._blob_files.store_file(self._folder, self._name, self._hash.hexdigest(), self._marks)
        self._register(ref, self._marks, label._replace(call=label.call or self._id))
        return ref

    def replay(self) -> Iterator[bytes]:
        """Yield the written bytes."""
        for offset in range(0, self.size, CHUNK):
            yield os.pread(self._file, min(CHUNK, self.size - offset), offset)

    def abandon(self) -> None:
        """Remove the temporary file."""
        if self._file < 0:
            return
        try:
            self._folder.remove(self._name)
            self._remove_label()
        except OSError:
            return
        finally:
            self._close()

    def _remove_label(self) -> None:
        if self._id:
            remove_label(self._folder, self._name)

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            self._folder.close()


def is_abandoned(process: str, state: os.stat_result, age: float) -> bool:
    """Return whether a temporary file is older than ``age`` seconds and its writer no longer runs."""
    return time() - state.st_mtime >= age and not may_have_written(int(process), state.st_mtime)


def _write_label(folder: StoreFolder, name: str, label: Label) -> str:
    """Write the label of an unfinished file, and return its id. Raise OSError."""
    import orjson

    file = folder.create(f"{name}{LABEL}")
    try:
        os.write(file, orjson.dumps([*label]))
    finally:
        os.close(file)
    return _get_id(name)


def remove_label(folder: StoreFolder, name: str) -> None:
    """Remove the label of an unfinished file, if it has one."""
    with suppress(OSError):
        folder.remove(f"{name}{LABEL}")


def _read_label(folder: StoreFolder, name: str) -> Label | None:
    """Return the label of an unfinished file, which says that the file was cut off; None if it has none."""
    import orjson

    try:
        label = Label(*orjson.loads(_read_file(folder, f"{name}{LABEL}", _MAX_LABEL)))
    except (OSError, ValueError, TypeError):
        return None
    if not all(isinstance(word, str) for word in label):
        return None
    return label._replace(name=f"{_CUT_OFF}{label.name or 'a command'}", call=label.call or _get_id(name))


def _get_id(name: str) -> str:
    match = NAME.fullmatch(name)
    return match[2] if match else ""


def _read_file(folder: StoreFolder, name: str, limit: int) -> bytes:
    file = folder.open(name)
    try:
        return os.pread(file, limit, 0)
    finally:
        os.close(file)
