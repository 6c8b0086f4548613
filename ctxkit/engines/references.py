"""Who refers to stored content and must find it again, beside sessions: files, and snapshots."""

import os
import sqlite3
from collections.abc import Callable, Iterable

from ctxkit.core.store.ref import shorten_ref
from ctxkit.engines import schema
from ctxkit.engines.database import Database

_FILE = "file "
"""Beginning of a holder that is a file; its path follows, from the root on."""
_SNAPSHOT = "snapshot "
"""Beginning of a holder that is the snapshot of a session, whose name follows."""


class References:
    """Keep the refs that a file holds on to as long as it is there, such as a manifest or what was edited in place."""

    def __init__(self, directory: str, warn: Callable[[str], None]) -> None:
        self.path = os.path.join(directory, schema.NAME)
        self._database = Database(self.path, schema.STEPS, warn, schema.LOST)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def hold(self, path: str, refs: Iterable[str]) -> None:
        """Keep content from collections while there is a file of that path; earlier refs of it stay held."""
        holder, unique_refs = _FILE + os.path.abspath(path), set(refs)
        self._database.write(lambda db: hold(db, holder, unique_refs))

    def list_held(self) -> set[str]:
        """Return every ref that is held, shown short, after letting go of what the files that are gone held."""
        rows: list[tuple[str]] = []
        holders = self._database.read(lambda db: db.execute("SELECT DISTINCT holder FROM reference").fetchall(), rows)
        if gone_holders := [holder for (holder,) in holders if _is_gone(holder)]:
            self._database.write(lambda db: _release_all(db, gone_holders))
        refs = self._database.read(lambda db: db.execute("SELECT DISTINCT ref FROM reference").fetchall(), rows)
        return {ref for (ref,) in refs}


def snapshot_holder(session: str) -> str:
    """Return the holder that the snapshot of a session is."""
    return _SNAPSHOT + session


def hold(db: sqlite3.Connection, holder: str, refs: Iterable[str]) -> None:
    """Note the refs of a holder, in a transaction under way."""
    rows = [(holder, shorten_ref(ref)) for ref in refs]
    db.executemany("INSERT OR IGNORE INTO reference (holder, ref) VALUES (?, ?)", rows)


def release(db: sqlite3.Connection, holder: str) -> None:
    """Forget the refs of a holder, in a transaction under way."""
    db.execute("DELETE FROM reference WHERE holder = ?", (holder,))


def _release_all(db: sqlite3.Connection, holders: Iterable[str]) -> None:
    for holder in holders:
        release(db, holder)


def _is_gone(holder: str) -> bool:
    return holder.startswith(_FILE) and not os.path.exists(holder.removeprefix(_FILE))
