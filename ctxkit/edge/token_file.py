"""Read the token that requests over the network carry."""

import os
import stat

from ctxkit.core.errors import MissingInputError, UsageError
from ctxkit.core.text.shell import quote_path

SHORTEST, LONGEST = 16, 4_096
"""Minimum and maximum characters of a token."""
_HINT = "as in: head -c 24 /dev/urandom | base64 > FILE; chmod 600 FILE"


def read_token(path: str) -> str:
    """Return the token in a file; raise UsageError if it is too short, or if other users can read the file."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            data = file.read(LONGEST + 1)
    except OSError as error:
        raise MissingInputError(f"{path}: {error.strerror}") from None
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path} is not a regular file")
    if status.st_mode & 0o077:
        raise UsageError(f"{path}: other users can read the token", hint=f"chmod 600 {quote_path(path)}")
    token = data.decode("utf-8", "replace").strip()
    if not SHORTEST <= len(token) <= LONGEST or not token.isascii() or not token.isprintable():
        raise UsageError(f"{path} is not a token of {SHORTEST} or more printable ASCII characters", hint=_HINT)
    return token
