"""Index the labels of stored content in SQLite: tool, call, session and projects."""

from __future__ import annotations

import os
from time import time
from typing import TYPE_CHECKING

from ctxkit.core.store.label import Label
from ctxkit.engines.schema import open_database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable


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

            self._database.write(remove_rows)
