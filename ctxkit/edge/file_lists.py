"""Read the names of files from a list."""

import os

from ctxkit.core.errors import UsageError
from ctxkit.edge import source


def read_names(file: str) -> list[str]:
    """Return the names in a list, ``-`` for stdin: separated by NULs if it has any, else one per line."""
    data = b"".join(source.chunks(file))
    names = [os.fsdecode(name) for name in data.split(b"\0" if b"\0" in data else b"\n") if name]
    if file == "-" and "-" in names:
        raise UsageError("stdin is the list of files, and cannot be one of the files")
    return names
