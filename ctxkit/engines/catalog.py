"""Index the labels of stored content in SQLite, and which files and snapshots refer to it, so that it is kept."""

from __future__ import annotations

import os
from contextlib import suppress
from time import time
from typing import TYPE_CHECKING

from ctxkit.core.errors import CtxkitError
from ctxkit.core.store.label import Label, make_held_ref
from ctxkit.engines.schema import open_database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable


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


def rename_holder(db: sqlite3.Connection, holder: str, name: str) -> None:
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
