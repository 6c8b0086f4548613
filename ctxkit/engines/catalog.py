"""Index the labels of stored content in SQLite with the files and snapshots that refer to it; store snapshots."""

from __future__ import annotations

import os
from contextlib import suppress
from time import time
from typing import TYPE_CHECKING

from ctxkit.core.errors import CtxkitError
from ctxkit.core.store.label import Label, make_held_ref
from ctxkit.engines.database import open_database

if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Callable, Iterable

    from ctxkit.core.session.history import Snapshot


class Catalog:
    """One row per blob. The files are authoritative: without this index, only labels are lost."""

    def __init__(self, directory: str, warn: Callable[[str], None]) -> None:
        self._database = open_database(directory, warn)
        self.path = self._database.path

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def add(self, ref: str, size: int, lines: int, label: Label) -> None:
        """Add a blob, or replace its row."""
        row = (ref, size, lines, time(), label.name, label.tool, label.call, label.session)

        def add_rows(db: sqlite3.Connection) -> None:
            """Add the row of the blob, and that of its project beside those of others."""
            db.execute("INSERT OR REPLACE INTO blob VALUES (?,?,?,?,?,?,?,?)", row)
            if label.project:
                db.execute("INSERT OR IGNORE INTO project VALUES (?,?)", (ref, label.project))

        self._database.write(add_rows)

    def labels(self) -> dict[str, Label]:
        """Return every label by its ref."""
        none: list[tuple[str, str, str, str, str, str]] = []
        projects = "ifnull((SELECT group_concat(name, ' ') FROM project WHERE project.ref = blob.ref), '')"
        query = f"SELECT ref, name, tool, call, session, {projects} FROM blob"
        rows = self._database.read(lambda db: db.execute(query).fetchall(), none)
        return {ref: Label(*words) for ref, *words in rows}

    def remove(self, refs: list[str], before: float | None = None) -> None:
        """Remove the rows of blobs; with ``before`` (seconds since 1970), only of blobs stored earlier."""
        if os.path.exists(self.path):
            rows = [(ref, before) for ref in refs]

            def remove_rows(db: sqlite3.Connection) -> None:
                """Remove the rows of blobs, and the projects of blobs that have no row anymore."""
                db.executemany("DELETE FROM blob WHERE ref = ? AND created < ifnull(?, 9e999)", rows)
                gone = "DELETE FROM project WHERE ref = ? AND ref NOT IN (SELECT ref FROM blob)"
                db.executemany(gone, [(ref,) for ref in refs])

            self._database.erase(remove_rows)


_FILE = "file "
"""Prefix of a holder that is a file; its absolute path follows."""
_SNAPSHOT = "snapshot "
"""Prefix of a holder that is the snapshot of a session, whose name follows."""


class References:
    """The refs that each file holds as long as it exists, such as a manifest or a file edited in place.

    ``renew`` keeps shared content, which does not know the files of this machine.
    """

    def __init__(
        self, directory: str, warn: Callable[[str], None], renew: Callable[[Iterable[str]], None] = lambda _: None
    ) -> None:
        self._renew = renew
        self._database = open_database(directory, warn)
        self.path = self._database.path

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def hold(self, path: str, refs: Iterable[str]) -> None:
        """Keep content from collections while the file at ``path`` exists; add to its earlier refs."""
        holder, unique_refs = _FILE + os.path.abspath(path), set(refs)
        self._database.write(lambda db: hold(db, holder, unique_refs))
        self._renew(unique_refs)

    def list_held(self) -> set[str]:
        """Return what is held, as make_held_ref returns it, after releasing those of files that no longer exist."""
        none: list[tuple[str, str]] = []
        rows = self._database.read(lambda db: db.execute("SELECT holder, ref FROM reference").fetchall(), none)
        gone_holders = {holder for holder in {holder for holder, _ in rows} if _is_gone(holder)}
        if gone_holders:
            with suppress(CtxkitError):  # a full disk: the next collection releases them
                self._database.write(lambda db: _release_all(db, gone_holders))
        return {ref for holder, ref in rows if holder not in gone_holders}


def snapshot_holder(session: str, earlier: int = 0) -> str:
    """Return the holder name of a session's snapshot, or of the ``earlier`` one with that id."""
    return f"{_SNAPSHOT}{session}@{earlier}" if earlier else _SNAPSHOT + session


def _rename_holder(db: sqlite3.Connection, holder: str, name: str) -> None:
    """Give the refs of a holder to another one, within a transaction."""
    db.execute("UPDATE reference SET holder = ? WHERE holder = ?", (name, holder))


def hold(db: sqlite3.Connection, holder: str, refs: Iterable[str]) -> None:
    """Record the refs of a holder, within a transaction."""
    rows = [(holder, make_held_ref(ref)) for ref in refs]
    db.executemany("INSERT OR IGNORE INTO reference (holder, ref) VALUES (?, ?)", rows)


def release(db: sqlite3.Connection, holder: str) -> None:
    """Remove the refs of a holder, within a transaction."""
    db.execute("DELETE FROM reference WHERE holder = ?", (holder,))


def _release_all(db: sqlite3.Connection, holders: Iterable[str]) -> None:
    for holder in holders:
        release(db, holder)


def _is_gone(holder: str) -> bool:
    return holder.startswith(_FILE) and not os.path.exists(holder.removeprefix(_FILE))


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
        from ctxkit.core.session.history import find_refs

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
    from ctxkit.core.session.history import HistoryExtent, Snapshot

    session, form, messages, tokens, method, lines, size, at, content = row
    return Snapshot(session, content, form, messages, tokens, method, HistoryExtent(lines, size), at)


def _save_snapshot(db: sqlite3.Connection, snapshot: Snapshot, refs: set[str]) -> None:
    session, content, form, messages, tokens, method, covers, at, _ = snapshot
    _move_newest(db, session, content)
    db.execute(_SAVE, (session, form, messages, tokens, method, *covers, at, content))
    holder = snapshot_holder(session)
    release(db, holder)
    hold(db, holder, refs)


def _move_newest(db: sqlite3.Connection, session: str, content: bytes) -> None:
    """Move the newest snapshot of a session to the earlier ones, unless its content is saved again."""
    from ctxkit.core.session.history import KEPT_SNAPSHOTS

    moved = db.execute(_MOVE, (session, content))
    if moved.rowcount < 1:
        return
    _rename_holder(
        db, snapshot_holder(session), snapshot_holder(session, moved.lastrowid or 0)
    )
    query = "SELECT id, length(content) FROM earlier_snapshot WHERE session = ? ORDER BY id DESC"
    total = 0
    for place, (number, size) in enumerate(db.execute(query, (session,)).fetchall(), 2):
        total += size
        if place > KEPT_SNAPSHOTS or total > MAX_EARLIER_BYTES:
            _remove_earlier(db, session, number)


def _remove_earlier(db: sqlite3.Connection, session: str, number: int) -> None:
    release(db, snapshot_holder(session, number))
    db.execute("DELETE FROM earlier_snapshot WHERE id = ?", (number,))


def remove_snapshot(db: sqlite3.Connection, session: str) -> bool:
    """Remove all snapshots of a session, within a transaction; return whether there was one."""
    for (number,) in db.execute("SELECT id FROM earlier_snapshot WHERE session = ?", (session,)).fetchall():
        _remove_earlier(db, session, number)
    release(db, snapshot_holder(session))
    return db.execute("DELETE FROM snapshot WHERE session = ?", (session,)).rowcount > 0
