"""Read the refs and the sessions of a database for completion: read-only, few, and without repairs."""

from __future__ import annotations

import _sqlite3 as sqlite3
import os
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ctxkit.engines.schema import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_NAMES = 200
"""Number of names that a shell shows without a question; the newest win."""
WAIT = 0.05
"""Seconds to wait for a writing process."""
LAST = "\U0010ffff"
"""A character after every character of a name."""
_REFS = "SELECT ref, size, tool, name FROM blob WHERE ref >= ? AND ref < ? ORDER BY created DESC LIMIT ?"
_SESSIONS = "SELECT name, used, window, model FROM session WHERE name >= ? AND name < ? ORDER BY id DESC LIMIT ?"


def list_refs(directory: str, prefix: str) -> list[tuple[str, int, str, str]]:
    """Return (ref, bytes, tool, name) of the newest content whose ref begins with a prefix."""
    return list(_query(directory, _REFS, prefix))


def list_sessions(directory: str, prefix: str) -> list[tuple[str, int, int, str]]:
    """Return (name, used tokens, window, model) of the newest sessions whose name begins with a prefix."""
    return list(_query(directory, _SESSIONS, prefix))


def _query(directory: str, query: str, prefix: str) -> Iterator[Any]:
    """Yield the rows of a query; none if there is no database, or if it cannot be read at once."""
    path = os.path.join(directory, NAME)
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=WAIT)) as db:
            yield from db.execute(query, (prefix, prefix + LAST, MOST_NAMES))
    except sqlite3.Error:
        return
