"""Store the marks, the directory and the uses of tools of a session in SQLite; list names for completion."""

from __future__ import annotations

import _sqlite3 as sqlite3
import os
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ctxkit.core.session.history import ContextMark
from ctxkit.engines.database import NAME, open_database

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctxkit.core.tools.catalog import ToolUse

_SET_MARK = """
INSERT INTO mark (session, digest, mark) SELECT id, :digest, :mark FROM session WHERE name = :session
ON CONFLICT (session, digest) DO UPDATE SET mark = excluded.mark
"""
_FIND_MARKS = "SELECT digest, mark FROM mark WHERE session = (SELECT id FROM session WHERE name = :session)"


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
        return dict(self._database.read(lambda db: db.execute(_FIND_MARKS, {"session": session}).fetchall(), rows))

    def set_mark(self, session: str, digests: Iterable[str], mark: ContextMark) -> None:
        """Mark messages; a new mark replaces an older one."""
        rows = [{"session": session, "digest": digest, "mark": mark} for digest in digests]

        def set_all(db: sqlite3.Connection) -> None:
            for row in rows:
                db.execute(_SET_MARK, row)

        if rows:
            self._database.write(set_all)


class SessionDirectories:
    """The directories of sessions, in the ledger's database; methods raise LockedError or InputOutputError."""

    def __init__(self, directory: str, warn: Callable[[str], None]) -> None:
        self._database = open_database(directory, warn)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def record(self, session: str, directory: str) -> None:
        """Record the directory of a session, in place of an earlier one."""
        row = (session, os.fsencode(directory))
        self._database.write(lambda db: db.execute("INSERT OR REPLACE INTO directory VALUES (?, ?)", row))

    def sessions_in(self, directory: str) -> set[str]:
        """Return the sessions that were started in a directory or below it."""
        rows: list[tuple[str, bytes]] = []
        pairs = self._database.read(lambda db: db.execute("SELECT session, path FROM directory").fetchall(), rows)
        inside = os.path.join(directory, "")
        paths = {session: os.fsdecode(path) for session, path in pairs}
        return {session for session, path in paths.items() if path == directory or path.startswith(inside)}


_SESSION = "(SELECT id FROM session WHERE name = :session)"
_LAST = f"(SELECT coalesce(max(last), 0) + 1 FROM tool_use WHERE session = {_SESSION})"
_ADD = """
INSERT INTO tool_use (session, name, last, promoted) SELECT id, :name, {last}, {promoted} FROM session
WHERE name = :session ON CONFLICT (session, name) DO UPDATE SET {column} = excluded.{column}
"""
_RECORD = _ADD.format(last=_LAST, promoted=1, column="last") + ", promoted = 1"
_PIN = _ADD.format(last=0, promoted=1, column="promoted")
_UNPIN = f"UPDATE tool_use SET promoted = 0 WHERE session = {_SESSION}"
_FIND_USES = f"SELECT name, last, promoted FROM tool_use WHERE session = {_SESSION}"


class SQLiteToolUses:
    """The uses of tools in the database of sessions; a session that does not exist has none."""

    def __init__(self, directory: str, warn: Callable[[str], None]) -> None:
        self._database = open_database(directory, warn)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def find(self, session: str) -> dict[str, ToolUse]:
        """Return the uses by the name of the tool; a tool that was called later has a larger ``last``."""
        from ctxkit.core.tools.catalog import ToolUse

        rows: list[tuple[str, int, int]] = []
        rows = self._database.read(lambda db: db.execute(_FIND_USES, {"session": session}).fetchall(), rows)
        return {name: ToolUse(last, bool(promoted)) for name, last, promoted in rows}

    def record(self, session: str, names: Iterable[str]) -> None:
        """Record calls of tools, in order, and pin the tools."""
        self._add_all(_RECORD, session, names)

    def pin(self, session: str, names: Iterable[str]) -> None:
        """Pin tools that a search found."""
        self._add_all(_PIN, session, names)

    def unpin_all(self, session: str) -> None:
        """Unpin the tools of a session after a compaction; without any, write nothing."""
        if any(use.is_pinned for use in self.find(session).values()):
            self._database.write(lambda db: db.execute(_UNPIN, {"session": session}))

    def _add_all(self, statement: str, session: str, names: Iterable[str]) -> None:
        rows = [{"session": session, "name": name} for name in names]

        def add_rows(db: sqlite3.Connection) -> None:
            """Execute the statement for each row."""
            for row in rows:
                db.execute(statement, row)

        if rows:
            self._database.write(add_rows)


MOST_NAMES = 200
"""Number of names that a shell shows without a question; the newest win."""
WAIT = 0.05
"""Seconds to wait for a writing process."""
LAST = "\U0010ffff"
"""A character after every character of a name."""
_REFS = "SELECT ref, size, tool, name FROM blob WHERE ref >= ? AND ref < ? ORDER BY created DESC LIMIT ?"
_SESSIONS = "SELECT name, used, window, model FROM session WHERE name >= ? AND name < ? ORDER BY id DESC LIMIT ?"


def list_refs(directory: str, prefix: str) -> list[tuple[str, int, str, str]]:
    """Return (ref, bytes, tool, name) of the newest content whose ref begins with a prefix."""
    return list(_query(directory, _REFS, prefix))


def list_sessions(directory: str, prefix: str) -> list[tuple[str, int, int, str]]:
    """Return (name, used tokens, window, model) of the newest sessions whose name begins with a prefix."""
    return list(_query(directory, _SESSIONS, prefix))


def _query(directory: str, query: str, prefix: str) -> Iterator[Any]:
    """Yield the rows of a query; none if there is no database, or if it cannot be read at once."""
    path = os.path.join(directory, NAME)
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=WAIT)) as db:
            yield from db.execute(query, (prefix, prefix + LAST, MOST_NAMES))
    except sqlite3.Error:
        return
