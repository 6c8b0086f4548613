"""Store the snapshots of sessions in SQLite."""

from __future__ import annotations

import os
from time import time
from typing import TYPE_CHECKING

from ctxkit.core.session.history import KEPT_SNAPSHOTS, HistoryExtent, Snapshot, find_refs
from ctxkit.engines import catalog
from ctxkit.engines.schema import open_database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

_COLUMNS = ("session", "format", "messages", "tokens", "method", "lines", "size", "created")
_SAVE = f"INSERT OR REPLACE INTO snapshot ({', '.join(_COLUMNS)}, content) VALUES ({', '.join('?' * 9)})"
_FACTS = f"SELECT {', '.join(_COLUMNS)}, x'' FROM snapshot ORDER BY created, session"
_WHOLE = f"SELECT {', '.join(_COLUMNS)}, content FROM snapshot WHERE session = ?"
_EARLIER = f"SELECT {', '.join(_COLUMNS)}, {{content}} FROM earlier_snapshot WHERE session = ? ORDER BY id DESC"
_MOVE = (
    f"INSERT INTO earlier_snapshot ({', '.join(_COLUMNS)}, content) SELECT {', '.join(_COLUMNS)}, content FROM snapshot"
    " WHERE session = ? AND content <> ?"
)
MAX_EARLIER_BYTES = 64 << 20
"""Maximum bytes of the earlier snapshots of one session; the oldest ones go first."""
SnapshotRow = tuple[str, str, int, int, str, int, int, float, bytes]


class SQLiteSnapshots:
    """The last snapshots of each session, in the ledger's database; methods raise LockedError or InputOutputError.

    Stored content that a snapshot mentions is kept from collections as long as the snapshot exists. ``prepare`` returns
    the form of a snapshot that may be stored.
    """

    def __init__(
        self, directory: str, warn: Callable[[str], None], prepare: Callable[[Snapshot], Snapshot] | None = None
    ) -> None:
        self._database = open_database(directory, warn)
        self._prepare = prepare

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def save(self, snapshot: Snapshot) -> Snapshot:
        """Save a snapshot with the current time as the session's newest one; return it."""
        snapshot = (self._prepare(snapshot) if self._prepare else snapshot)._replace(created=time())
        refs = find_refs(snapshot.content)
        self._database.write(lambda db: _save_snapshot(db, snapshot, refs))
        return snapshot

    def find(self, session: str, number: int = 1) -> Snapshot | None:
        """Return the newest snapshot of a session, or the one of a number from 2 on; None if it does not exist."""
        query = _WHOLE if number == 1 else f"{_EARLIER.format(content='content')} LIMIT 1 OFFSET {number - 2:d}"
        rows: list[SnapshotRow] = []
        result = self._database.read(lambda db: db.execute(query, (session,)).fetchall(), rows)
        return _make_snapshot(result[0])._replace(number=number) if result else None

    def earlier(self, session: str) -> list[Snapshot]:
        """Return the earlier snapshots of a session without their content, the newest first."""
        rows: list[SnapshotRow] = []
        query = _EARLIER.format(content="x''")
        result = self._database.read(lambda db: db.execute(query, (session,)).fetchall(), rows)
        return [_make_snapshot(row)._replace(number=number) for number, row in enumerate(result, 2)]

    def all(self) -> list[Snapshot]:
        """Return the newest snapshot of every session without its content, the oldest first."""
        rows: list[SnapshotRow] = []
        return [_make_snapshot(row) for row in self._database.read(lambda db: db.execute(_FACTS).fetchall(), rows)]

    def remove(self, session: str) -> bool:
        """Remove all snapshots of a session and their references; return whether there was one."""
        return os.path.exists(self._database.path) and self._database.erase(lambda db: remove_snapshot(db, session))


def _make_snapshot(row: SnapshotRow) -> Snapshot:
    session, form, messages, tokens, method, lines, size, at, content = row
    return Snapshot(session, content, form, messages, tokens, method, HistoryExtent(lines, size), at)


def _save_snapshot(db: sqlite3.Connection, snapshot: Snapshot, refs: set[str]) -> None:
    session, content, form, messages, tokens, method, covers, at, _ = snapshot
    _move_newest(db, session, content)
    db.execute(_SAVE, (session, form, messages, tokens, method, *covers, at, content))
    holder = catalog.snapshot_holder(session)
    catalog.release(db, holder)
    catalog.hold(db, holder, refs)


def _move_newest(db: sqlite3.Connection, session: str, content: bytes) -> None:
    """Move the newest snapshot of a session to the earlier ones, unless its content is saved again."""
    moved = db.execute(_MOVE, (session, content))
    if moved.rowcount < 1:
        return
    catalog.rename_holder(
        db, catalog.snapshot_holder(session), catalog.snapshot_holder(session, moved.lastrowid or 0)
    )
    query = "SELECT id, length(content) FROM earlier_snapshot WHERE session = ? ORDER BY id DESC"
    total = 0
    for place, (number, size) in enumerate(db.execute(query, (session,)).fetchall(), 2):
        total += size
        if place > KEPT_SNAPSHOTS or total > MAX_EARLIER_BYTES:
            _remove_earlier(db, session, number)


def _remove_earlier(db: sqlite3.Connection, session: str, number: int) -> None:
    catalog.release(db, catalog.snapshot_holder(session, number))
    db.execute("DELETE FROM earlier_snapshot WHERE id = ?", (number,))


def remove_snapshot(db: sqlite3.Connection, session: str) -> bool:
    """Remove all snapshots of a session, within a transaction; return whether there was one."""
    for (number,) in db.execute("SELECT id FROM earlier_snapshot WHERE session = ?", (session,)).fetchall():
        _remove_earlier(db, session, number)
    catalog.release(db, catalog.snapshot_holder(session))
    return db.execute("DELETE FROM snapshot WHERE session = ?", (session,)).rowcount > 0
