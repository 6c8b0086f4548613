"""Read the bytes of a file or of stdin."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator

from ctxkit.core.errors import InputOutputError, MissingInputError, UsageError
from ctxkit.core.store.label import title_of

CHUNK = 1 << 20
_preloaded: dict[str, bytes] = {}
_read_callback: Callable[[int], None] | None = None
_is_stdin_read = False


def preload(file: str) -> int:
    """Read stdin or a pipe to its end for the next call of ``chunks``; return its bytes, 0 for a file.

    The time that the writer of a pipe needs must not count for the worker process.
    """
    if file in ("", "-") or (os.path.exists(file) and not os.path.isfile(file) and not os.path.isdir(file)):
        _preloaded[file] = b"".join(chunks(file))
        return len(_preloaded[file])
    return 0


def provide(file: str, data: bytes) -> None:
    """Let the next call of ``chunks`` return data that was read from ``file`` before."""
    _preloaded[file] = data


def set_read_callback(callback: Callable[[int], None]) -> None:
    """Call ``callback`` with the size of each piece that is read."""
    global _read_callback
    _read_callback = callback


def reset() -> None:
    """Forget what a command before this one, in the same process, read ahead and reported."""
    global _read_callback, _is_stdin_read
    _preloaded.clear()
    _read_callback = None
    _is_stdin_read = False


def has_read_stdin() -> bool:
    """Return whether a part of stdin was read."""
    return _is_stdin_read


def report_read(size: int) -> None:
    """Report the size of a piece that was read."""
    if _read_callback is not None:
        _read_callback(size)


def chunks(file: str) -> Iterator[bytes]:
    """Return the content of ``file`` in pieces; ``-`` or "" is stdin.

    Raise UsageError if stdin is a terminal, MissingInputError if the file cannot be read.
    """
    if file in _preloaded:
        return iter((_preloaded.pop(file),))
    if file in ("", "-"):
        if sys.stdin is None or sys.stdin.closed:
            raise MissingInputError("stdin is closed")
        if sys.stdin.isatty():
            raise UsageError(
                "nothing is piped in", hint="pipe a command's output in, as in: cargo test 2>&1 | ctxkit gate"
            )
        return _show_progress(_read_pieces(sys.stdin.fileno(), "stdin"), "stdin")
    return _show_progress(_read_pieces(open_file(file), file), file)


def _show_progress(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    if sys.stderr is None or not sys.stderr.isatty():
        return pieces
    from ctxkit.edge.progress import show_progress

    return show_progress(pieces, name)


def open_file(file: str) -> int:
    """Open a file for reading; raise MissingInputError with the reason if it cannot be opened."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise MissingInputError(f"{file}: {error.strerror}") from None
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise MissingInputError(f"{file} is a directory", hint="name a file; ctxkit brief DIR maps a directory")
    return descriptor


def _read_pieces(descriptor: int, name: str) -> Iterator[bytes]:
    """Yield the bytes as they arrive, until the end."""
    global _is_stdin_read
    _is_stdin_read |= name == "stdin"
    while True:
        try:
            piece = os.read(descriptor, CHUNK)
        except OSError as error:
            raise InputOutputError(f"{name}: {error.strerror}") from None
        if not piece:
            return
        report_read(len(piece))
        yield piece


def drain(source: Iterator[bytes]) -> None:
    """Read the rest, so that the writing program does not die of a closed pipe."""
    for _ in source:
        pass


def name_of(file: str) -> str:
    """Return the title of a file's content."""
    return title_of(path_of(file))


def path_of(file: str) -> str:
    """Return the path of ``file``, or ``stdin``."""
    return "stdin" if file in ("", "-") else file


def read_names(file: str) -> list[str]:
    """Return the names in a list, ``-`` for stdin: separated by NULs if it has any, else one per line."""
    data = b"".join(chunks(file))
    names = [os.fsdecode(name) for name in data.split(b"\0" if b"\0" in data else b"\n") if name]
    if file == "-" and "-" in names:
        raise UsageError("stdin is the list of files, and cannot be one of the files")
    return names
