"""Define the tables of the database as migration steps, and open it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from ctxkit.engines.database import Database

if TYPE_CHECKING:
    from collections.abc import Callable

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
LOST = "stored content and histories are intact; names, snapshots and what sessions have used begin anew"
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
        database = _databases[key] = Database(key[1], STEPS, warn, LOST)
    return database
