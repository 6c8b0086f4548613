"""The SHA-256 of content that comes in pieces, and the name of a project, which is a hash of its path."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

SMALL = 64 << 10
"""Bytes up to which Python's own function hashes: OpenSSL is faster, but loading it takes as long as hashing 2 MB."""


class ContentHash:
    """Hashes pieces of content; loads OpenSSL for content of more than ``SMALL`` bytes only."""

    def __init__(self) -> None:
        self._start = bytearray()
        self._hash: Any = None

    def update(self, piece: bytes) -> None:
        """Add a piece."""
        if self._hash is None:
            if len(self._start) + len(piece) <= SMALL:
                self._start += piece
                return
            from hashlib import sha256

            self._hash = sha256(self._start)
            self._start.clear()
        self._hash.update(piece)

    def hexdigest(self) -> str:
        """Return the SHA-256 in hexadecimal digits."""
        return str((_hash_small(self._start) if self._hash is None else self._hash).hexdigest())


def _hash_small(data: bytes | bytearray) -> Any:
    """Return a hash by the function that is part of Python, or by OpenSSL if Python was built without it."""
    try:
        module = import_module("_sha2" if sys.version_info >= (3, 12) else "_sha256")
    except ImportError:
        module = import_module("hashlib")
    return module.sha256(data)


_NAME_DIGITS = 16
"""Hex digits of the name of a project: the hash of its path, which a shared store must not tell others."""


def name_project(directory: str) -> str:
    """Return the name of the project of a directory.

    A project is the nearest directory above that has ``.git``, else the directory itself.
    """
    path = os.path.realpath(directory)
    digest = ContentHash()
    digest.update(os.fsencode(_find_repository(path) or path))
    return digest.hexdigest()[:_NAME_DIGITS]


def _find_repository(path: str) -> str:
    """Return the nearest directory with ``.git`` from a path upwards, "" if there is none."""
    while not os.path.lexists(os.path.join(path, ".git")):
        parent = os.path.dirname(path)
        if parent == path:
            return ""
        path = parent
    return path
