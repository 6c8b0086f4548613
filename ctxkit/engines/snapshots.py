"""Store the snapshots of sessions in SQLite."""

import os
import sqlite3
from collections.abc import Callable
from time import time

from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.snapshot import Snapshot, find_refs
from ctxkit.engines import references, schema
from ctxkit.engines.database import Database

_COLUMNS = ("session", "format", "messages", "tokens", "method", "lines", "size", "created")
_SAVE = f"INSERT OR REPLACE INTO snapshot ({', '.join(_COLUMNS)}, content) VALUES ({', '.join('?' * 9)})"
_FACTS = f"SELECT {', '.join(_COLUMNS)}, x'' FROM snapshot ORDER BY created, session"
_WHOLE = f"SELECT {', '.join(_COLUMNS)}, content FROM snapshot WHERE session = ?"
SnapshotRow = tuple[str, str, int, int, str, int, int, float, bytes]


class SQLiteSnapshots:
    """The newest snapshot of each session, in the ledger's database; methods raise LockedError or InputOutputError.

    Stored content that a snapshot mentions is kept from collections as long as the snapshot exists. ``prepare`` returns
    the form of a snapshot that may be stored.
    """

    def __init__(
        self, directory: str, warn: Callable[[str], None], prepare: Callable[[Snapshot], Snapshot] | None = None
    ) -> None:
        path = os.path.join(directory, schema.NAME)
        self._database = Database(path, schema.STEPS, warn, schema.LOST)
        self._prepare = prepare

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def save(self, snapshot: Snapshot) -> Snapshot:
        """Save a snapshot with the current time, replacing the session's last one; return it."""
        snapshot = (self._prepare(snapshot) if self._prepare else snapshot)._replace(created=time())
        refs = find_refs(snapshot.content)
        self._database.write(lambda db: _save_snapshot(db, snapshot, refs))
        return snapshot

    def find(self, session: str) -> Snapshot | None:
        """Return the snapshot of a session, or None if there is none."""
        rows: list[SnapshotRow] = []
        result = self._database.read(lambda db: db.execute(_WHOLE, (session,)).fetchall(), rows)
        return _make_snapshot(*result[0]) if result else None

    def all(self) -> list[Snapshot]:
        """Return every snapshot without its content, the oldest first."""
        rows: list[SnapshotRow] = []
        return [_make_snapshot(*row) for row in self._database.read(lambda db: db.execute(_FACTS).fetchall(), rows)]

    def remove(self, session: str) -> bool:
        """Remove the snapshot of a session and its references; return whether it existed."""
        return os.path.exists(self._database.path) and self._database.write(lambda db: remove_snapshot(db, session))


def _make_snapshot(
    session: str, form: str, messages: int, tokens: int, method: str, lines: int, size: int, at: float, content: bytes
) -> Snapshot:
    return Snapshot(session, content, form, messages, tokens, method, HistoryExtent(lines, size), at)


def _save_snapshot(db: sqlite3.Connection, snapshot: Snapshot, refs: set[str]) -> None:
    session, content, form, messages, tokens, method, covers, at = snapshot
    db.execute(_SAVE, (session, form, messages, tokens, method, *covers, at, content))
    holder = references.snapshot_holder(session)
    references.release(db, holder)
    references.hold(db, holder, refs)


def remove_snapshot(db: sqlite3.Connection, session: str) -> bool:
    """Remove the snapshot of a session, within a transaction; return whether it existed."""
    references.release(db, references.snapshot_holder(session))
    return db.execute("DELETE FROM snapshot WHERE session = ?", (session,)).rowcount > 0
