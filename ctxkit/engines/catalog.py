"""Index the labels of stored content in SQLite: tool, call and session."""

from __future__ import annotations

import os
from time import time
from typing import TYPE_CHECKING

from ctxkit.core.store.label import Label
from ctxkit.engines.schema import open_database

if TYPE_CHECKING:
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
        self._database.write(lambda db: db.execute("INSERT OR REPLACE INTO blob VALUES (?,?,?,?,?,?,?,?)", row))

    def labels(self) -> dict[str, Label]:
        """Return every label by its ref."""
        none: list[tuple[str, str, str, str, str]] = []
        query = "SELECT ref, name, tool, call, session FROM blob"
        rows = self._database.read(lambda db: db.execute(query).fetchall(), none)
        return {ref: Label(name, tool, call, session) for ref, name, tool, call, session in rows}

    def remove(self, refs: list[str], before: float | None = None) -> None:
        """Remove the rows of blobs; with ``before`` (seconds since 1970), only of blobs stored earlier."""
        if os.path.exists(self.path):
            rows = [(ref, before) for ref in refs]
            query = "DELETE FROM blob WHERE ref = ? AND created < ifnull(?, 9e999)"
            self._database.erase(lambda db: db.executemany(query, rows))
