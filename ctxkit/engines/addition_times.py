"""Record each addition to a history as a row of a file.

A row has the time in seconds since 1970, the number of the first line, the number of lines, the first byte and the
number of bytes.
"""

import os

from ctxkit.core.session.history import Addition, HistoryExtent, parse_addition
from ctxkit.engines.blob_files import CHUNK
from ctxkit.engines.locked_file import restrict_to_owner
from ctxkit.system.own_files import read_file
from ctxkit.system.safe_directory import StoreFolder

TAIL = 400
"""Bytes at the end of a file in which its last row begins."""


def list_additions(folder: StoreFolder, name: str) -> list[Addition]:
    """Return the recorded additions, in order; none if the file cannot be read."""
    try:
        text = read_file(folder, name).decode("ascii", "replace")
    except OSError:
        return []
    return list(filter(None, map(parse_addition, text.splitlines(keepends=True))))


def read_last_addition(folder: StoreFolder, name: str) -> Addition | None:
    """Return the last recorded addition, None if there is none or it cannot be read."""
    try:
        with open(folder.open(name), "rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - TAIL, 0))
            rows = file.read().decode("ascii", "replace").splitlines(keepends=True)
    except OSError:
        return None
    return next(filter(None, map(parse_addition, reversed(rows))), None)


def read_extent(folder: StoreFolder, name: str, file: int) -> HistoryExtent:
    """Return the extent of an open history: the extent of its last addition plus the lines added since."""
    size = os.fstat(file).st_size
    last = read_last_addition(folder, name)
    lines, offset = (last.first + last.lines - 1, last.offset + last.size) if last else (0, 0)
    if offset > size or (offset and os.pread(file, 1, offset - 1) != b"\n"):
        lines, offset = 0, 0  # the file was edited by hand
    while offset < size:
        piece = os.pread(file, CHUNK, offset)
        lines += piece.count(b"\n") + (offset + len(piece) == size and not piece.endswith(b"\n"))
        offset += len(piece)
    return HistoryExtent(lines, size)


def append_addition(folder: StoreFolder, name: str, addition: Addition) -> None:
    """Append an addition, on a line of its own even after a row that was not written to its end. Raise OSError."""
    file = folder.open(name, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        restrict_to_owner(file)
        end = os.fstat(file).st_size
        cut = end > 0 and os.pread(file, 1, end - 1) != b"\n"
        text = f"{addition.at:.6f} {addition.first} {addition.lines} {addition.offset} {addition.size}\n"
        os.write(file, b"\n" * cut + text.encode())
    finally:
        os.close(file)
