"""Write new content into a temporary file, hashing and indexing it on the way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from ctxkit.core.store.label import Label
from ctxkit.core.text.lines import LineIndex
from ctxkit.engines import unfinished_files
from ctxkit.engines.blob_files import CHUNK, BlobFiles
from ctxkit.engines.content_hash import ContentHash
from ctxkit.system.safe_directory import TAKING

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
        self._id = unfinished_files.write_label(self._folder, self._name, label)
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
            unfinished_files.remove_label(self._folder, self._name)

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            self._folder.close()
