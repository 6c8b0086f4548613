"""Record each addition to a history as a row of a file.

A row has the time in seconds since 1970, the number of the first line, the number of lines, the first byte and the
number of bytes.
"""

import os

from ctxkit.core.session.history import Addition, parse_addition
from ctxkit.engines.locked_file import restrict_to_owner

TAIL = 400
"""Bytes at the end of a file in which its last row begins."""


def list_additions(path: str) -> list[Addition]:
    """Return the recorded additions, in order; none if the file cannot be read."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            rows = [parse_addition(row) for row in file]
    except OSError:
        return []
    return [row for row in rows if row]


def read_last_addition(path: str) -> Addition | None:
    """Return the last recorded addition, None if there is none or it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - TAIL, 0))
            rows = file.read().decode("ascii", "replace").splitlines(keepends=True)
    except OSError:
        return None
    return next(filter(None, map(parse_addition, reversed(rows))), None)


def append_addition(path: str, addition: Addition) -> None:
    """Append an addition, on a line of its own even after a row that was not written to its end. Raise OSError."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        restrict_to_owner(file)
        end = os.fstat(file).st_size
        cut = end > 0 and os.pread(file, 1, end - 1) != b"\n"
        text = f"{addition.at:.6f} {addition.first} {addition.lines} {addition.offset} {addition.size}\n"
        os.write(file, b"\n" * cut + text.encode())
    finally:
        os.close(file)
