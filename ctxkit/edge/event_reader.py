"""Read a file of events line by line, once or as it grows."""

import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.errors import InputOutputError
from ctxkit.core.events.event import LoggedEvent, read_event
from ctxkit.edge import source

MAX_LINE = 1 << 20
"""Bytes of the longest line that is read; a longer one is not an event."""
INTERVAL = 0.2
"""Seconds between two looks at a file that is followed."""


class EventLine(NamedTuple):
    """A line of the file and its event, None if the line is broken."""

    line: bytes
    event: LoggedEvent | None


def read_events(file: str, *, follow: bool = False) -> Iterator[EventLine]:
    """Yield each line with its event; with ``follow``, wait for more lines at the end.

    Raise MissingInputError if the file cannot be opened, InputOutputError if it cannot be read.
    """
    pieces = _follow_file(file) if follow and file not in ("", "-") else source.chunks(file)
    for line in split_lines(pieces):
        yield EventLine(line, _parse_line(line))


def split_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield lines without their newlines, blank ones left out; of a line that is too long, its beginning."""
    rest, too_long = b"", False
    for piece in pieces:
        lines = (rest + piece).split(b"\n")
        rest = lines.pop()
        for line in lines:
            if line.strip() and not too_long:
                yield line
            too_long = False
        if len(rest) > MAX_LINE:
            if not too_long:
                yield rest[:MAX_LINE]
            rest, too_long = b"", True
    if rest.strip() and not too_long:
        yield rest


def _parse_line(line: bytes) -> LoggedEvent | None:
    import orjson

    try:
        return read_event(orjson.loads(line))
    except (ValueError, OverflowError):
        return None


def _follow_file(file: str) -> Iterator[bytes]:
    """Yield what a file contains and what is appended; begin again if it is replaced or truncated."""
    descriptor = source.open_file(file)
    try:
        while True:
            try:
                piece = os.read(descriptor, source.CHUNK)
            except OSError as error:
                raise InputOutputError(f"{file}: {error.strerror}") from None
            if piece:
                yield piece
                continue
            if not _is_current(file, descriptor):
                os.close(descriptor)
                descriptor = source.open_file(file)
            time.sleep(INTERVAL)
    finally:
        os.close(descriptor)


def _is_current(file: str, descriptor: int) -> bool:
    """Return whether the open file is still that of the path, and has not become shorter."""
    opened = os.fstat(descriptor)
    try:
        named = os.stat(file)
    except OSError:  # removed: its successor is not there yet
        return True
    if (named.st_dev, named.st_ino) != (opened.st_dev, opened.st_ino):
        return False
    return not (os.path.isfile(file) and opened.st_size < os.lseek(descriptor, 0, os.SEEK_CUR))
