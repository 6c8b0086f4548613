"""Store the directory in which each session was started, in SQLite."""

import os
from collections.abc import Callable

from ctxkit.engines.schema import open_database


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
