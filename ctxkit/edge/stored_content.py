"""Open content that a command names by ref or by file."""

import os
from collections.abc import Callable, Iterable

from ctxkit.core.errors import NotStoredError
from ctxkit.core.gate.content_ranges import read_bytes
from ctxkit.core.store.label import parse_prefix
from ctxkit.core.store.store_interface import Store, StoredContent
from ctxkit.core.text.lines import IndexedLines, LineIndex
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import source


def open_content(store: Store, name: str) -> StoredContent:
    """Return stored content by its ref, or a file by its path if the name is not a stored ref.

    Raise NotStoredError if it is neither.
    """
    prefix = parse_prefix(name)
    if prefix is not None:
        try:
            return store.open(store.find(prefix))
        except NotStoredError:
            if not os.path.exists(name):
                raise
    elif not os.path.exists(name):
        raise NotStoredError(
            f"{name} is neither a ref nor a file", hint="a ref has at least 6 hex digits: ctxkit cache list"
        )
    return open_file_content(name)


def open_file_content(path: str) -> StoredContent:
    """Return access to a file and its lines; copy a pipe to an unnamed file first."""
    descriptor = source.open_file(path)
    if is_stream(path):
        descriptor = _copy_stream(descriptor)
    return index_descriptor(descriptor, path)


def index_descriptor(descriptor: int, path: str) -> StoredContent:
    """Return access to an open file and its lines."""
    marks = LineIndex()
    while piece := os.read(descriptor, source.CHUNK):
        marks.update(piece)

    def read(offset: int, length: int) -> bytes:
        """Return bytes of the file."""
        return os.pread(descriptor, length, offset)

    return StoredContent("", quote_path(path), read, IndexedLines(read, marks.size, marks.newline_counts, marks.total))


def transform_content(stored: StoredContent, change: Callable[[Iterable[bytes]], Iterable[bytes]]) -> StoredContent:
    """Return access to the content after ``change``, in an unnamed file; keep its ref and path."""
    from tempfile import TemporaryFile

    marks = LineIndex()
    with TemporaryFile() as copy:
        for piece in change(read_bytes(stored.read, stored.lines.size)):
            marks.update(piece)
            copy.write(piece)
        copy.flush()
        descriptor = os.dup(copy.fileno())

    def read(offset: int, length: int) -> bytes:
        """Return bytes of the file."""
        return os.pread(descriptor, length, offset)

    return stored._replace(read=read, lines=IndexedLines(read, marks.size, marks.newline_counts, marks.total))


def is_stream(path: str) -> bool:
    """Return whether a path exists but can be read only once, such as a pipe."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _copy_stream(descriptor: int) -> int:
    from tempfile import TemporaryFile

    with TemporaryFile() as copy, os.fdopen(descriptor, "rb") as pipe:
        while piece := pipe.read(source.CHUNK):
            copy.write(piece)
        copy.seek(0)
        return os.dup(copy.fileno())


def find_ref(store: Store, name: str) -> str:
    """Return the complete ref of ``name``; raise NotStoredError if it cannot be one."""
    prefix = parse_prefix(name)
    if prefix is None:
        raise NotStoredError(f"{name} is not a ref", hint="a ref has at least 6 hex digits: ctxkit cache list")
    return store.find(prefix)
