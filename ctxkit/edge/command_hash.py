"""Hash commands for events by a key of this machine: the same command is recognized, and none can be read."""

import os

from ctxkit.core.errors import CtxkitError

NAME = "events.key"
"""File in the data directory with the key, which is random."""
KEY_BYTES = 32
SHOWN = 16
"""Digits of a hash."""


def hash_command(command: str, directory: str) -> str:
    """Return the hash of a command by the key in a data directory, which is made; "" if it cannot be read."""
    from hashlib import sha256
    from hmac import digest

    try:
        key = _read_key(directory)
    except (OSError, CtxkitError):
        return ""
    words = " ".join(command.split()).encode("utf-8", "surrogateescape")
    return digest(key, words, sha256).hex()[:SHOWN] if len(key) == KEY_BYTES else ""


def _read_key(directory: str) -> bytes:
    from ctxkit.system import own_files

    with own_files.open_own_folder(directory, 1, make=True) as folder:
        try:
            return own_files.read_file(folder, NAME, KEY_BYTES)
        except FileNotFoundError:
            own_files.append_to_file(folder, NAME, os.urandom(KEY_BYTES))
            return own_files.read_file(folder, NAME, KEY_BYTES)  # the first of two processes that create it
