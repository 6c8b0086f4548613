"""Store the marks of a session's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.session.history import ContextMark
from ctxkit.engines.schema import open_database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

_SET = """
INSERT INTO mark (session, digest, mark) SELECT id, :digest, :mark FROM session WHERE name = :session
ON CONFLICT (session, digest) DO UPDATE SET mark = excluded.mark
"""
_FIND = "SELECT digest, mark FROM mark WHERE session = (SELECT id FROM session WHERE name = :session)"


class SQLiteContextMarks:
    """The marks in the database of sessions; a session that does not exist has none."""

    def __init__(self, directory: str, warn: Callable[[str], None]) -> None:
        self._database = open_database(directory, warn)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def find(self, session: str) -> dict[str, str]:
        """Return the mark of each marked message by its digest."""
        rows: list[tuple[str, str]] = []
        return dict(self._database.read(lambda db: db.execute(_FIND, {"session": session}).fetchall(), rows))

    def set_mark(self, session: str, digests: Iterable[str], mark: ContextMark) -> None:
        """Mark messages; a new mark replaces an older one."""
        rows = [{"session": session, "digest": digest, "mark": mark} for digest in digests]

        def set_all(db: sqlite3.Connection) -> None:
            for row in rows:
                db.execute(_SET, row)

        if rows:
            self._database.write(set_all)
