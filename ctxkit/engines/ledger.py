"""Store the ledger of sessions in SQLite."""

from __future__ import annotations

import os
from itertools import takewhile
from time import time
from typing import TYPE_CHECKING

from ctxkit.core.session.ledger import MOST_ENTRIES, LedgerEntry, Reservation, Session
from ctxkit.engines.database import open_database
from ctxkit.system.processes import has_ended, identify_process

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    from ctxkit.core.session.ledger import AnswerEntry, TurnEntry
    from ctxkit.core.session.ledger_interface import ChangeKind, ContextChange, DatedEntry

_STORED_FIELDS = Session._fields[:-1]
"""The fields that are columns; reserved tokens are summed on each read."""
_COLUMNS = ", ".join(_STORED_FIELDS)
_ADD = f"INSERT INTO session ({_COLUMNS}) VALUES ({', '.join('?' * len(_STORED_FIELDS))})"
_CHANGE = f"UPDATE session SET {', '.join(f'{name} = ?' for name in _STORED_FIELDS)} WHERE id = ?"
_FACTS = ("session", *LedgerEntry._fields, "at")
_ITEM = f"INSERT INTO item ({', '.join(_FACTS)}) VALUES ({', '.join('?' * len(_FACTS))})"
_OF_NAME = "session = (SELECT id FROM session WHERE name = ?)"
_ENTRY = ", ".join(LedgerEntry._fields)


class SQLiteLedger:
    """Sessions in the database that also contains the index; satisfies ledger_interface.Ledger."""

    def __init__(self, directory: str, warn: Callable[[str], None]) -> None:
        self._database = open_database(directory, warn)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def find(self, name: str) -> Session | None:
        """Return the current state of a session, or None if there is none with that name."""
        entry = self._database.read(lambda db: _find_session(db, name), None)
        return entry[1] if entry else None

    def add(self, session: Session) -> bool:
        """Add a session, unless one with its name exists; return whether it was added."""
        return self._database.write(
            lambda db: _find_session(db, session.name) is None and _insert_session(db, session) > 0
        )

    def sessions(self) -> list[Session]:
        """Return every session in the order of creation, regardless of their clocks."""
        return self._database.read(_list_sessions, [])

    def set_used(self, name: str, used: int) -> Session | None:
        """Set the number of tokens in the context."""
        return self._change_context(name, "reset", lambda session: session.with_used(used, time()))

    def record_compaction(self, name: str, used: int, estimated: int = 0) -> Session | None:
        """Count a compaction, and set the number of tokens after it."""
        return self._change_context(name, "compaction", lambda before: before.with_compaction(used, estimated, time()))

    def record_edit(self, name: str, used: int, estimated: int = 0) -> Session | None:
        """Count an edit of the conversation, and set the number of tokens after it."""
        return self._change_context(name, "edit", lambda session: session.with_edit(used, estimated, time()))

    def record_turn(self, name: str, turn: TurnEntry) -> Session | None:
        """Record the request of a turn."""
        return self._change(name, lambda session: session.with_turn(turn, time()))

    def record_answer(self, name: str, answer: AnswerEntry) -> Session | None:
        """Record the answer to a request."""
        return self._change(name, lambda session: session.with_answer(answer, time()))

    def _change(self, name: str, change: Callable[[Session], Session]) -> Session | None:
        return self._database.write(lambda db: _change_session(db, name, change)) if self._exists() else None

    def _change_context(self, name: str, kind: ChangeKind, change: Callable[[Session], Session]) -> Session | None:
        return self._database.write(lambda db: _change_context(db, name, kind, change)) if self._exists() else None

    def sum_entries(self, name: str, since: float) -> int:
        """Return the tokens of the content that entered a session after a time, in seconds since 1970."""
        return self._database.read(lambda db: _sum_entries(db, name, since), 0)

    def entries(self, name: str) -> list[DatedEntry]:
        """Return the entries of a session, oldest first."""
        return self._database.read(lambda db: _list_entries(db, name), [])

    def entries_in_context(self, name: str) -> list[LedgerEntry]:
        """Return the entries since the last change of the context, oldest first; of many, the newest."""
        return self._database.read(lambda db: _list_entries_in_context(db, name), [])

    def changes(self, name: str) -> list[ContextChange]:
        """Return what a session's context lost, oldest first."""
        return self._database.read(lambda db: _list_changes(db, name), [])

    def remove(self, name: str) -> bool:
        """Remove a session with its entries and reservations."""
        return self._exists() and self._database.erase(lambda db: _remove_session(db, name))

    def remove_whole(self, names: Iterable[str]) -> None:
        """Remove sessions with their snapshots, all of them or none."""
        if self._exists():
            self._database.erase(lambda db: _remove_whole(db, names))

    def reserve(self, session: Session, share: Callable[[int], int | None]) -> Reservation:
        """Reserve tokens exclusively; drop the reservations of ended processes."""
        return self._database.write(lambda db: _reserve(db, session, share))

    def record(self, name: str, key: int, entry: LedgerEntry, items: int = 1) -> None:
        """Replace a reservation by an entry; do nothing for a session that was removed meanwhile."""
        self._database.write(lambda db: _record(db, name, key, entry, items))

    def release(self, key: int) -> None:
        """Remove a reservation."""
        self._database.write(lambda db: db.execute("DELETE FROM hold WHERE id = ?", (key,)))

    def find_references(self, since: float) -> tuple[set[str], set[str]]:
        """Return the names of the sessions used after ``since`` (seconds since 1970), and the refs in them."""
        nothing: tuple[set[str], set[str]] = (set(), set())
        return self._database.read(lambda db: _find_references(db, since), nothing)

    def _exists(self) -> bool:
        return os.path.exists(self._database.path)


def _find_session(db: sqlite3.Connection, name: str) -> tuple[int, Session] | None:
    row = db.execute(f"SELECT id, {_COLUMNS} FROM session WHERE name = ?", (name,)).fetchone()
    return (row[0], Session(*row[1:])._replace(reserved=_sum_reserved(db, row[0]))) if row else None


def _list_sessions(db: sqlite3.Connection) -> list[Session]:
    rows = db.execute(f"SELECT id, {_COLUMNS} FROM session ORDER BY id").fetchall()
    return [Session(*row[1:])._replace(reserved=_sum_reserved(db, row[0])) for row in rows]


def _sum_reserved(db: sqlite3.Connection, key: int) -> int:
    """Return the tokens reserved by running processes."""
    now = time()
    rows = db.execute("SELECT tokens, holder, at FROM hold WHERE session = ?", (key,)).fetchall()
    return sum(tokens for tokens, holder, at in rows if not has_ended(holder, now - at))


def _insert_session(db: sqlite3.Connection, session: Session) -> int:
    now = time()
    return int(db.execute(_ADD, session._replace(created=now, updated=now)[:-1]).lastrowid or 0)


def _update_session(db: sqlite3.Connection, key: int, session: Session) -> Session:
    db.execute(_CHANGE, (*session[:-1], key))
    return session


def _change_session(db: sqlite3.Connection, name: str, change: Callable[[Session], Session]) -> Session | None:
    entry = _find_session(db, name)
    return _update_session(db, entry[0], change(entry[1])) if entry else None


def _change_context(
    db: sqlite3.Connection, name: str, kind: ChangeKind, update: Callable[[Session], Session]
) -> Session | None:
    """Change the used tokens of a session; note a reset only if it takes something out of the context."""
    entry = _find_session(db, name)
    if entry is None:
        return None
    key, before, after = entry[0], entry[1], update(entry[1])
    if kind != "reset" or after.used < before.used:
        add = "INSERT INTO change (session, kind, before, after, at, item) VALUES (?,?,?,?,?,?)"
        last = db.execute("SELECT COALESCE(MAX(id), 0) FROM item").fetchone()[0]
        db.execute(add, (key, kind, before.used, after.used, time(), last))
    return _update_session(db, key, after)


def _sum_entries(db: sqlite3.Connection, name: str, since: float) -> int:
    """Read the entries from the newest on, so that the length of a session does not matter."""
    rows = db.execute(f"SELECT tokens, at FROM item WHERE {_OF_NAME} ORDER BY id DESC", (name,))
    return sum(tokens for tokens, _ in takewhile(lambda row: row[1] > since, rows))


def _list_entries(db: sqlite3.Connection, name: str) -> list[DatedEntry]:
    from ctxkit.core.session.ledger_interface import DatedEntry

    rows = db.execute(f"SELECT {_ENTRY}, at FROM item WHERE {_OF_NAME} ORDER BY id", (name,)).fetchall()
    return [DatedEntry(LedgerEntry(*row[:-1])._replace(tight=bool(row[4])), row[-1]) for row in rows]


def _list_entries_in_context(db: sqlite3.Connection, name: str) -> list[LedgerEntry]:
    """Return the entries after the last change; an identity that grows tells their order, whatever the clock."""
    entry = _find_session(db, name)
    if entry is None:
        return []
    last = "SELECT COALESCE(MAX(item), 0) FROM change WHERE session = ?"
    query = f"SELECT {_ENTRY} FROM item WHERE session = ? AND id > ({last}) ORDER BY id DESC LIMIT {MOST_ENTRIES}"
    return [LedgerEntry(*row) for row in db.execute(query, (entry[0], entry[0]))][::-1]


def _list_changes(db: sqlite3.Connection, name: str) -> list[ContextChange]:
    from ctxkit.core.session.ledger_interface import ContextChange

    rows = db.execute(f"SELECT kind, before, after, at FROM change WHERE {_OF_NAME} ORDER BY id", (name,))
    return [ContextChange(*row) for row in rows]


def _remove_session(db: sqlite3.Connection, name: str) -> bool:
    entry = _find_session(db, name)
    if entry is None:
        return False
    for table in ("hold", "item", "change", "tool_use", "mark"):
        db.execute(f"DELETE FROM {table} WHERE session = ?", (entry[0],))
    db.execute("DELETE FROM session WHERE id = ?", (entry[0],))
    db.execute("DELETE FROM directory WHERE session = ?", (name,))
    return True


def _remove_whole(db: sqlite3.Connection, names: Iterable[str]) -> None:
    from ctxkit.engines import catalog

    for name in names:
        _remove_session(db, name)
        catalog.remove_snapshot(db, name)


def _reserve(db: sqlite3.Connection, session: Session, share: Callable[[int], int | None]) -> Reservation:
    if _find_session(db, session.name) is None:
        _insert_session(db, session)
    entry = _find_session(db, session.name)
    assert entry is not None
    key, now = entry[0], time()
    rows = db.execute("SELECT id, holder, at FROM hold WHERE session = ?", (key,)).fetchall()
    void = [(hold,) for hold, holder, at in rows if has_ended(holder, now - at)]
    db.executemany("DELETE FROM hold WHERE id = ?", void)
    tokens = share(entry[1].occupancy)
    if tokens is None:
        return Reservation(0, entry[1].occupancy)
    add = "INSERT INTO hold (session, tokens, holder, at) VALUES (?,?,?,?)"
    return Reservation(int(db.execute(add, (key, tokens, identify_process(), now)).lastrowid or 0), entry[1].occupancy)


def _record(db: sqlite3.Connection, name: str, key: int, ledger_entry: LedgerEntry, items: int) -> None:
    db.execute("DELETE FROM hold WHERE id = ?", (key,))
    entry = _find_session(db, name)
    if entry is None:
        return
    now = time()
    _update_session(db, entry[0], entry[1].with_entry(ledger_entry, now, items))
    db.execute(_ITEM, (entry[0], *ledger_entry, now))


def _find_references(db: sqlite3.Connection, since: float) -> tuple[set[str], set[str]]:
    names = {name for (name,) in db.execute("SELECT name FROM session WHERE updated > ?", (since,))}
    query = "SELECT DISTINCT ref FROM item WHERE ref != '' AND session IN (SELECT id FROM session WHERE updated > ?)"
    return names, {ref for (ref,) in db.execute(query, (since,))}
