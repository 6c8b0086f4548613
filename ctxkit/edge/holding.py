"""Content that a command names by ref or by file."""

import os
from collections.abc import Callable, Iterable

from ctxkit.core.lines import Lines, Marks
from ctxkit.core.part import octets
from ctxkit.core.ref import prefix_of
from ctxkit.core.shell import argument
from ctxkit.core.store import Held, Store
from ctxkit.core.trouble import NotHeld
from ctxkit.edge import source


def held(store: Store, name: str) -> Held:
    """Return stored content by its ref, or a file by its path where no ref is meant."""
    prefix = prefix_of(name)
    if prefix is not None:
        try:
            return store.open(store.find(prefix))
        except NotHeld:
            if not os.path.exists(name):
                raise
    elif not os.path.exists(name):
        raise NotHeld(f"{name} is neither a ref nor a file", hint="a ref has at least 6 hex digits: ctxkit cache list")
    return on_disk(name)


def on_disk(path: str) -> Held:
    """Return access to a file, its lines counted now; a pipe is copied to a nameless file first."""
    descriptor = source.opened(path)
    if streams(path):
        descriptor = _copied(descriptor)
    marks = Marks()
    while piece := os.read(descriptor, source.CHUNK):
        marks.update(piece)

    def read(offset: int, length: int) -> bytes:
        return os.pread(descriptor, length, offset)

    return Held("", argument(path), read, Lines(read, marks.size, marks.marks, marks.total))


def rewritten(content: Held, change: Callable[[Iterable[bytes]], Iterable[bytes]]) -> Held:
    """Return access to what ``change`` makes of content, in a nameless file; its ref and path stay."""
    from tempfile import TemporaryFile

    marks = Marks()
    with TemporaryFile() as copy:
        for piece in change(octets(content.read, content.lines.size)):
            marks.update(piece)
            copy.write(piece)
        copy.flush()
        descriptor = os.dup(copy.fileno())

    def read(offset: int, length: int) -> bytes:
        return os.pread(descriptor, length, offset)

    return content._replace(read=read, lines=Lines(read, marks.size, marks.marks, marks.total))


def streams(path: str) -> bool:
    """Tell whether a path is there but can be read only once, as a pipe."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _copied(descriptor: int) -> int:
    from tempfile import TemporaryFile

    with TemporaryFile() as copy, os.fdopen(descriptor, "rb") as pipe:
        while piece := pipe.read(source.CHUNK):
            copy.write(piece)
        copy.seek(0)
        return os.dup(copy.fileno())


def ref_of(store: Store, name: str) -> str:
    """Return the full ref that ``name`` means; raises NotHeld when it cannot be one."""
    prefix = prefix_of(name)
    if prefix is None:
        raise NotHeld(f"{name} is not a ref", hint="a ref has at least 6 hex digits: ctxkit cache list")
    return store.find(prefix)
