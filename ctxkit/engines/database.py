"""Run transactions on a SQLite database shared by processes, whose tables are defined as migration steps."""

from __future__ import annotations

import _sqlite3 as sqlite3  # the package sqlite3 adds converters of dates to it, for 1.4 M instructions of each call
import os
from contextlib import suppress
from threading import RLock
from time import monotonic, sleep, time
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from ctxkit.core.errors import InputOutputError, LockedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    Result = TypeVar("Result")
    Work = Callable[[sqlite3.Connection], Result]
    """The body of one transaction. It may run twice, so it must change only the database."""

WAIT = 5.0
"""Seconds to wait for other writers; transactions are short, so a longer wait means a fault."""
_LONG_WAIT = 0.3
"""Seconds of waiting after which locks may be missing: others hold one for some milliseconds."""
_CHECKPOINT = 64
"""Pages in the write-ahead log that trigger a checkpoint: a new process reads at most this many."""
_TAILS = ("-wal", "-shm", "-journal")
"""Ends of the names of the files beside a database."""
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_READ_ONLY = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_FULL = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
"""Codes of a disk without a free byte: the shared memory of a write-ahead log is a file, and cannot be made."""


class Database:
    """Runs transactions on the database file ``path``, which the first write creates.

    ``steps`` are SQL migrations; PRAGMA user_version stores how many have run. Never change a released step; append a
    new one. A damaged file is renamed and replaced by a new one; ``warn`` gets a message that includes ``lost``, the
    consequence. The connection stays open: a process that ends without closing it leaves a log, which the next process
    reads.
    """

    def __init__(self, path: str, steps: Sequence[str], warn: Callable[[str], None], lost: str = "") -> None:
        self.path = path
        self._steps = steps
        self._warn = warn
        self._lost = lost
        self._mutex = RLock()
        self._connection: sqlite3.Connection | None = None
        self._file = (0, 0)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, if it is open; the next transaction opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def write(self, work: Work[Result]) -> Result:
        """Run ``work`` in a transaction that holds the write lock from its start.

        Raise LockedError after ``WAIT`` seconds, InputOutputError if the file cannot be written.
        """
        return self._run_with_recovery(lambda: self._run_transaction("BEGIN IMMEDIATE", work))

    def erase(self, work: Work[Result]) -> Result:
        """Run ``work``, which deletes rows, as ``write`` does; overwrite them in the log too, if nobody reads it."""
        result = self.write(work)
        with self._mutex, suppress(sqlite3.Error):
            if self._connection is not None:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return result

    def read(self, work: Work[Result], absent: Result) -> Result:
        """Run ``work`` on a consistent state of the data; return ``absent`` if there is no database.

        Raise the errors of ``write``.
        """
        if not os.path.exists(self.path):
            return absent
        try:
            return self._run_with_recovery(lambda: self._run_transaction("BEGIN", work))
        except InputOutputError as failure:
            code = _result_code(failure.__cause__) if isinstance(failure.__cause__, sqlite3.Error) else 0
            if code in _READ_ONLY:
                return self._read_immutable(work, failure)
            if code in _FULL:
                return self._read_alone(work, failure)
            raise

    def _run_with_recovery(self, attempt: Callable[[], Result]) -> Result:
        """Run a transaction; if the database is damaged, repeat it on a new one."""
        with self._mutex:
            try:
                return self._retry_while_busy(attempt)
            except sqlite3.Error as error:
                if not _is_damaged(error):
                    raise self._make_error(error) from error
            self._set_aside()
            try:
                return self._retry_while_busy(attempt)
            except sqlite3.Error as error:
                raise self._make_error(error) from error

    def _retry_while_busy(self, attempt: Callable[[], Result]) -> Result:
        """Repeat a transaction until no other process blocks it.

        SQLite does not wait at every lock. Where it does, its sleeps grow to a tenth of a second, so late processes
        overtake waiting ones.
        """
        until, is_checked = monotonic() + WAIT, False
        while True:
            try:
                return attempt()
            except sqlite3.Error as error:
                if _result_code(error) not in _BUSY:
                    raise
                if not is_checked and monotonic() >= until - WAIT + _LONG_WAIT:
                    is_checked = True
                    self._check_locks(error)
                if monotonic() >= until:
                    raise LockedError(f"{self.path} is locked by another process", hint="try again") from error
            sleep(0.002 + os.getpid() % 10 / 1000)  # spread the retries of several processes

    def _check_locks(self, error: sqlite3.Error) -> None:
        """Raise InputOutputError if the file system has no locks: SQLite takes that for a lock of another process."""
        from ctxkit.system import file_locks

        if file_locks.lacks_locks(os.path.dirname(self.path)):
            raise InputOutputError(f"{self.path}: {file_locks.MISSING}", hint=file_locks.HINT) from error

    def _run_transaction(self, begin: str, work: Work[Result]) -> Result:
        db = self._connect()
        try:
            db.execute(begin)
            result = work(db)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        return result

    def _connect(self) -> sqlite3.Connection:
        """Return the connection; open a new one if the file was replaced."""
        if self._connection is not None and self._file != _file_identity(self.path):
            self.close()
        if self._connection is None:
            self._refuse_links()
            self._create_file()
            self._file = _file_identity(self.path)
            self._connection = sqlite3.connect(self.path, timeout=0, isolation_level=None, check_same_thread=False)
            try:
                self._prepare(self._connection)
            except BaseException:
                self.close()
                raise
        return self._connection

    def _create_file(self) -> None:
        """Create an empty file with mode 0600, unless it exists."""
        if os.path.exists(self.path):
            return
        from ctxkit.system.own_files import open_folder

        directory, name = os.path.split(self.path)
        with open_folder(directory, make=True) as folder:
            folder.restrict()
            with suppress(FileExistsError):  # another process has just created it
                os.close(folder.create(name))

    def _refuse_links(self) -> None:
        """Raise InputOutputError for a link in place of a file of the database: SQLite opens files by their paths."""
        for path in (f"{self.path}{tail}" for tail in ("", *_TAILS)):
            if os.path.islink(path):
                raise InputOutputError(f"{path} is a link, which is not followed inside a store", hint="remove it")

    def _prepare(self, db: sqlite3.Connection) -> None:
        """Configure a connection, and run the missing migrations."""
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA secure_delete = ON")
        db.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
        version = _read_version(db)
        if version > len(self._steps):
            known = f"version {version}, this one knows {len(self._steps)}"
            raise InputOutputError(f"{self.path} was made by a newer ctxkit ({known})", hint="update ctxkit")
        if version == len(self._steps):
            return
        if version == 0:
            from ctxkit.system.file_locks import is_on_network

            if not is_on_network(self.path):
                db.execute("PRAGMA journal_mode = WAL")  # persistent; on a network, the rollback journal stays
        db.execute("BEGIN IMMEDIATE")
        for step in self._steps[_read_version(db) :]:  # another process may have run steps meanwhile
            for statement in _split_statements(step):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(self._steps)}")
        db.execute("COMMIT")

    def _read_immutable(self, work: Work[Result], failure: InputOutputError) -> Result:
        """Read a database in a read-only place, unless its write-ahead log contains further data."""
        if os.path.exists(f"{self.path}-wal") and os.path.getsize(f"{self.path}-wal"):
            raise failure
        from urllib.parse import quote

        try:
            db = sqlite3.connect(f"file:{quote(self.path)}?mode=ro&immutable=1", uri=True)
        except sqlite3.Error:
            raise failure from None
        try:
            if _read_version(db) != len(self._steps):
                raise failure
            return work(db)
        except sqlite3.Error:
            raise failure from None
        finally:
            db.close()

    def _read_alone(self, work: Work[Result], failure: InputOutputError) -> Result:
        """Read a database on a full disk, with its write-ahead log: a process that is alone needs no shared memory."""
        self.close()
        db = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)
        try:
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            if _read_version(db) != len(self._steps):
                raise failure
            return work(db)
        except sqlite3.Error:
            raise failure from None
        finally:
            db.close()

    def _make_error(self, error: sqlite3.Error) -> InputOutputError:
        return InputOutputError(f"{self.path}: {error}")

    def _set_aside(self) -> None:
        """Rename the damaged database, unless another process has done so."""
        from ctxkit.system.own_files import open_folder

        self.close()
        directory, name = os.path.split(self.path)
        aside = f"{self.path}.damaged-{int(time())}"
        if _file_identity(self.path) != self._file:
            return
        with open_folder(directory) as folder:
            for tail in ("", *_TAILS):
                with suppress(FileNotFoundError):
                    folder.move(f"{name}{tail}", folder, f"{os.path.basename(aside)}{tail}")
        lost = f" ({self._lost})" if self._lost else ""
        self._warn(f"{name} was damaged; it is set aside as {aside} and begun anew{lost}")


def _split_statements(step: str) -> Iterator[str]:
    """Yield the statements of a step; a semicolon within a statement, as in a trigger, does not end it."""
    statement = ""
    for piece in step.split(";"):
        statement += f"{piece};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _result_code(error: BaseException) -> int:
    """Return SQLite's primary result code, 0 for errors of the Python module."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _is_damaged(error: sqlite3.Error) -> bool:
    """Return whether the file is damaged, or its tables differ from those of its version."""
    if _result_code(error) in _DAMAGED:
        return True
    return _result_code(error) == sqlite3.SQLITE_ERROR and any(
        sign in str(error) for sign in ("column", "no such table")
    )


def _read_version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _file_identity(path: str) -> tuple[int, int]:
    """Return the file's identity (device, inode); (0, 0) if it does not exist."""
    try:
        state = os.stat(path)
    except FileNotFoundError:
        return 0, 0
    return state.st_dev, state.st_ino


_BLOBS = """
CREATE TABLE IF NOT EXISTS blob (
    ref TEXT PRIMARY KEY, size INTEGER NOT NULL, lines INTEGER NOT NULL, created REAL NOT NULL,
    name TEXT NOT NULL, tool TEXT NOT NULL, call TEXT NOT NULL, session TEXT NOT NULL
) WITHOUT ROWID
"""
_SESSIONS = """
CREATE TABLE session (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
    model TEXT NOT NULL, tokenizer TEXT NOT NULL, window INTEGER NOT NULL, reserve INTEGER NOT NULL,
    used INTEGER NOT NULL, estimated INTEGER NOT NULL, items INTEGER NOT NULL, gatings INTEGER NOT NULL,
    compactions INTEGER NOT NULL, created REAL NOT NULL, updated REAL NOT NULL
);
CREATE TABLE item (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, name TEXT NOT NULL, tool TEXT NOT NULL, call TEXT NOT NULL,
    ref TEXT NOT NULL, tokens INTEGER NOT NULL, method TEXT NOT NULL, result TEXT NOT NULL, tight INTEGER NOT NULL,
    at REAL NOT NULL
);
CREATE INDEX item_of_session ON item (session);
CREATE TABLE hold (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL, tokens INTEGER NOT NULL, holder TEXT NOT NULL,
    at REAL NOT NULL
);
CREATE INDEX hold_of_session ON hold (session)
"""
_SNAPSHOTS = """
CREATE TABLE snapshot (
    session TEXT NOT NULL UNIQUE, format TEXT NOT NULL, messages INTEGER NOT NULL, tokens INTEGER NOT NULL,
    method TEXT NOT NULL, lines INTEGER NOT NULL, size INTEGER NOT NULL, created REAL NOT NULL, content BLOB NOT NULL
);
CREATE TABLE reference (holder TEXT NOT NULL, ref TEXT NOT NULL, PRIMARY KEY (holder, ref)) WITHOUT ROWID
"""
_EDITS = "ALTER TABLE session ADD COLUMN edits INTEGER NOT NULL DEFAULT 0"
_TOOL_USES = """
CREATE TABLE tool_use (
    session INTEGER NOT NULL, name TEXT NOT NULL, last INTEGER NOT NULL, promoted INTEGER NOT NULL,
    PRIMARY KEY (session, name)
) WITHOUT ROWID
"""
_DIRECTORIES = "CREATE TABLE directory (session TEXT NOT NULL UNIQUE, path BLOB NOT NULL)"
_MARKS = """
CREATE TABLE mark (
    session INTEGER NOT NULL, digest TEXT NOT NULL, mark TEXT NOT NULL, PRIMARY KEY (session, digest)
) WITHOUT ROWID
"""
_DUE = "ALTER TABLE session ADD COLUMN due INTEGER NOT NULL DEFAULT 0"
_CHANGES = """
CREATE TABLE change (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, kind TEXT NOT NULL, before INTEGER NOT NULL,
    after INTEGER NOT NULL, at REAL NOT NULL, item INTEGER NOT NULL
);
CREATE INDEX change_of_session ON change (session);
ALTER TABLE item ADD COLUMN agent TEXT NOT NULL DEFAULT ''
"""
_EARLIER = """
CREATE TABLE earlier_snapshot (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, format TEXT NOT NULL, messages INTEGER NOT NULL,
    tokens INTEGER NOT NULL, method TEXT NOT NULL, lines INTEGER NOT NULL, size INTEGER NOT NULL, created REAL NOT NULL,
    content BLOB NOT NULL
);
CREATE INDEX earlier_snapshot_of_session ON earlier_snapshot (session)
"""
_PROJECTS = "CREATE TABLE project (ref TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (ref, name)) WITHOUT ROWID"
_COLD = "ALTER TABLE session ADD COLUMN cold_from REAL NOT NULL DEFAULT 0"
STEPS = (
    *(_BLOBS, _SESSIONS, _SNAPSHOTS, _EDITS, _TOOL_USES, _DIRECTORIES, _MARKS, _DUE, _CHANGES, _EARLIER, _PROJECTS),
    _COLD,
)
"""Migrations.

They are labels of content, sessions, snapshots and references, edits, uses of tools, directories of sessions, marks of
messages, sessions that are due for a compaction, changes of what is in context, earlier snapshots, the projects
that stored content, and the time from which the provider's cache of a session is cold.
"""
NAME = "ctxkit.db"
"""File name in the data directory."""
_LOST = "stored content and histories are intact; names, snapshots and what sessions have used begin anew"
"""Consequence of replacing a damaged database."""
_databases: WeakValueDictionary[tuple[int, str, int], Database] = WeakValueDictionary()
"""The databases in use, by process, path and identity of the function that warns.

A forked process must not use the connection of its parent.
"""


def open_database(directory: str, warn: Callable[[str], None]) -> Database:
    """Return the database in a directory; all parts of a process that use it share one connection."""
    key = os.getpid(), os.path.join(directory, NAME), id(warn)
    database = _databases.get(key)
    if database is None:
        database = _databases[key] = Database(key[1], STEPS, warn, _LOST)
    return database
