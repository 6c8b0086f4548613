"""The SQLite index of stored content: which tool made it, for which call, in which session."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from time import time

from ctxkit.core.label import Label
from ctxkit.core.trouble import Locked

WAIT = 5.0
"""Seconds to wait for another process that writes (short transactions: a wait means real trouble)."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS blob (
    ref TEXT PRIMARY KEY, size INTEGER NOT NULL, lines INTEGER NOT NULL, created REAL NOT NULL,
    name TEXT NOT NULL, tool TEXT NOT NULL, call TEXT NOT NULL, session TEXT NOT NULL
) WITHOUT ROWID
"""


class Catalog:
    """Keep a row a blob. The files are the truth: losing this loses only labels."""

    def __init__(self, directory: str, warn: Callable[[str], None]) -> None:
        self.path = os.path.join(directory, "ctxkit.db")
        self._warn = warn

    def add(self, ref: str, size: int, lines: int, label: Label) -> None:
        """Note a blob; the latest label wins."""
        row = (ref, size, lines, time(), label.name, label.tool, label.call, label.session)
        self._work(lambda db: db.execute("INSERT OR REPLACE INTO blob VALUES (?,?,?,?,?,?,?,?)", row))

    def labels(self) -> dict[str, Label]:
        """Return every label by its ref."""
        if not os.path.exists(self.path):
            return {}
        rows: list[tuple[str, str, str, str, str]] = []
        self._work(lambda db: rows.extend(db.execute("SELECT ref, name, tool, call, session FROM blob")))
        return {ref: Label(name, tool, call, session) for ref, name, tool, call, session in rows}

    def remove(self, refs: list[str]) -> None:
        """Forget blobs."""
        if os.path.exists(self.path):
            self._work(lambda db: db.executemany("DELETE FROM blob WHERE ref = ?", [(ref,) for ref in refs]))

    def _work(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Run one short transaction; a damaged database is set aside, once, and begun anew."""
        try:
            self._transaction(work)
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise Locked(f"{self.path} is locked by another process", hint="try again") from None
            if "column" not in str(error):
                raise OSError(f"{self.path}: {error}") from error
            self._set_aside()  # a table of another version, or of somebody else
            self._transaction(work)
        except sqlite3.DatabaseError:
            self._set_aside()
            self._transaction(work)

    def _transaction(self, work: Callable[[sqlite3.Connection], object]) -> None:
        with closing(self._connect()) as db, db:
            work(db)

    def _connect(self) -> sqlite3.Connection:
        new = not os.path.exists(self.path)
        if new:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            os.chmod(os.path.dirname(self.path), 0o700)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            os.chmod(self.path, 0o600)
        db = sqlite3.connect(self.path, timeout=WAIT)
        try:
            # Where WAL cannot work (a network disk), SQLite keeps the rollback journal by itself.
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute(_SCHEMA)
        except BaseException:
            db.close()
            raise
        return db

    def _set_aside(self) -> None:
        aside = f"{self.path}.damaged-{int(time())}"
        try:
            os.replace(self.path, aside)
        except FileNotFoundError:  # another process was faster
            return
        for tail in ("-wal", "-shm"):
            if os.path.exists(self.path + tail):
                os.replace(self.path + tail, aside + tail)
        self._warn(f"the index was damaged; it is set aside as {aside} and begun anew (stored content is intact)")
