"""Store which files and snapshots refer to stored content, so that collections keep it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ctxkit.core.errors import CtxkitError
from ctxkit.core.store.label import make_held_ref
from ctxkit.engines.schema import open_database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

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
