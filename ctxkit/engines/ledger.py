"""The ledger of sessions in SQLite."""

import os
import sqlite3
from collections.abc import Callable, Iterable
from time import time

from ctxkit.core.ledger import Hold, Item, Session
from ctxkit.engines import schema
from ctxkit.engines.database import Database
from ctxkit.engines.holder import gone, myself

_KEPT = Session._fields[:-1]
"""The fields that are columns: what is held is counted when somebody asks."""
_COLUMNS = ", ".join(_KEPT)
_ADD = f"INSERT INTO session ({_COLUMNS}) VALUES ({', '.join('?' * len(_KEPT))})"
_CHANGE = f"UPDATE session SET {', '.join(f'{name} = ?' for name in _KEPT)} WHERE id = ?"
_FACTS = ("session", *Item._fields, "at")
_ITEM = f"INSERT INTO item ({', '.join(_FACTS)}) VALUES ({', '.join('?' * len(_FACTS))})"


class SQLiteLedger:
    """Keep sessions in the database that also holds the index; satisfies core.ledger.Ledger."""

    def __init__(self, directory: str, warn: Callable[[str], None]) -> None:
        path = os.path.join(directory, schema.NAME)
        self._database = Database(path, schema.STEPS, warn, schema.LOST)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def find(self, name: str) -> Session | None:
        """Return a session as it is now, None when there is none of that name."""
        found = self._database.read(lambda db: _found(db, name), None)
        return found[1] if found else None

    def begin(self, session: Session) -> bool:
        """Add a session, unless there is one of its name."""
        return self._database.write(lambda db: _found(db, session.name) is None and _began(db, session) > 0)

    def sessions(self) -> list[Session]:
        """Return every session, in the order in which they began, whatever their clocks said."""
        none: list[Session] = []
        return self._database.read(_every, none)

    def anchor(self, name: str, used: int) -> Session | None:
        """Say how many tokens are in context."""
        return self._database.write(lambda db: _anchored(db, name, used)) if self._exists() else None

    def compacted(self, name: str, used: int, estimated: int = 0) -> Session | None:
        """Count a compaction, and say how many tokens it left."""
        return self._database.write(lambda db: _compacted(db, name, used, estimated)) if self._exists() else None

    def remove(self, name: str) -> bool:
        """Forget a session, what entered it and what it promised."""
        return self._exists() and self._database.write(lambda db: _removed(db, name))

    def remove_whole(self, names: Iterable[str]) -> None:
        """Forget sessions with their snapshots, all of them at once or none."""
        if self._exists():
            self._database.write(lambda db: _removed_whole(db, names))

    def hold(self, session: Session, share: Callable[[int], int | None]) -> Hold:
        """Promise room while nobody else can; promises to processes that have ended are void."""
        return self._database.write(lambda db: _held(db, session, share))

    def book(self, name: str, key: int, item: Item) -> None:
        """Turn a promise into what entered; a session that was removed meanwhile stays so."""
        self._database.write(lambda db: _booked(db, name, key, item))

    def release(self, key: int) -> None:
        """Take a promise back."""
        self._database.write(lambda db: db.execute("DELETE FROM hold WHERE id = ?", (key,)))

    def referred(self, since: float) -> tuple[set[str], set[str]]:
        """Return the names of the sessions used after ``since``, in seconds since 1970, and the refs in them."""
        nothing: tuple[set[str], set[str]] = (set(), set())
        return self._database.read(lambda db: _referred(db, since), nothing)

    def _exists(self) -> bool:
        return os.path.exists(self._database.path)


def _found(db: sqlite3.Connection, name: str) -> tuple[int, Session] | None:
    row = db.execute(f"SELECT id, {_COLUMNS} FROM session WHERE name = ?", (name,)).fetchone()
    return (row[0], Session(*row[1:])._replace(held=_promised(db, row[0]))) if row else None


def _every(db: sqlite3.Connection) -> list[Session]:
    rows = db.execute(f"SELECT id, {_COLUMNS} FROM session ORDER BY id").fetchall()
    return [Session(*row[1:])._replace(held=_promised(db, row[0])) for row in rows]


def _promised(db: sqlite3.Connection, key: int) -> int:
    """Return the tokens that processes still at work were promised."""
    now = time()
    rows = db.execute("SELECT tokens, holder, at FROM hold WHERE session = ?", (key,)).fetchall()
    return sum(tokens for tokens, holder, at in rows if not gone(holder, now - at))


def _began(db: sqlite3.Connection, session: Session) -> int:
    now = time()
    return int(db.execute(_ADD, session._replace(created=now, updated=now)[:-1]).lastrowid or 0)


def _change(db: sqlite3.Connection, key: int, session: Session) -> Session:
    db.execute(_CHANGE, (*session[:-1], key))
    return session


def _anchored(db: sqlite3.Connection, name: str, used: int) -> Session | None:
    found = _found(db, name)
    return _change(db, found[0], found[1].anchored(used, time())) if found else None


def _compacted(db: sqlite3.Connection, name: str, used: int, estimated: int) -> Session | None:
    found = _found(db, name)
    return _change(db, found[0], found[1].compacted(used, estimated, time())) if found else None


def _removed(db: sqlite3.Connection, name: str) -> bool:
    found = _found(db, name)
    if found is None:
        return False
    for table, column in (("hold", "session"), ("item", "session"), ("session", "id")):
        db.execute(f"DELETE FROM {table} WHERE {column} = ?", (found[0],))
    return True


def _removed_whole(db: sqlite3.Connection, names: Iterable[str]) -> None:
    from ctxkit.engines import snapshots

    for name in names:
        _removed(db, name)
        snapshots.forget(db, name)


def _held(db: sqlite3.Connection, session: Session, share: Callable[[int], int | None]) -> Hold:
    if _found(db, session.name) is None:
        _began(db, session)
    found = _found(db, session.name)
    assert found is not None
    key, now = found[0], time()
    rows = db.execute("SELECT id, holder, at FROM hold WHERE session = ?", (key,)).fetchall()
    void = [(hold,) for hold, holder, at in rows if gone(holder, now - at)]
    db.executemany("DELETE FROM hold WHERE id = ?", void)
    tokens = share(found[1].taken)
    if tokens is None:
        return Hold(0, found[1].taken)
    add = "INSERT INTO hold (session, tokens, holder, at) VALUES (?,?,?,?)"
    return Hold(int(db.execute(add, (key, tokens, myself(), now)).lastrowid or 0), found[1].taken)


def _booked(db: sqlite3.Connection, name: str, key: int, item: Item) -> None:
    db.execute("DELETE FROM hold WHERE id = ?", (key,))
    found = _found(db, name)
    if found is None:
        return
    now = time()
    _change(db, found[0], found[1].with_item(item, now))
    db.execute(_ITEM, (found[0], *item, now))


def _referred(db: sqlite3.Connection, since: float) -> tuple[set[str], set[str]]:
    names = {name for (name,) in db.execute("SELECT name FROM session WHERE updated > ?", (since,))}
    wanted = "SELECT DISTINCT ref FROM item WHERE ref != '' AND session IN (SELECT id FROM session WHERE updated > ?)"
    return names, {ref for (ref,) in db.execute(wanted, (since,))}
