"""Keep sessions on this machine while the shared store fails, and share them when it is back."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ctxkit.core.text.measure import pluralize
from ctxkit.edge import say
from ctxkit.stores import data_dir, hold_shared

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.session.ledger_interface import Ledger
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.redis_server import RedisServer

    OpenLedger = Callable[[str], Ledger]

FOLDER = "unshared"
"""Directory of the sessions that are kept while a server does not answer; each server has one of its own."""
PENDING = "pending"
"""File that exists while such a directory has something that the server does not have."""


def find_directory(server: RedisServer, settings: Settings) -> str:
    """Return the directory of the sessions of a server on this machine."""
    return os.path.join(data_dir(settings), FOLDER, os.path.basename(server.mark))


def open_directory(server: RedisServer, settings: Settings) -> str:
    """Create the directory of the sessions of a server, mark that the server must get them later, and return it."""
    directory = find_directory(server, settings)
    with suppress(OSError):
        os.makedirs(directory, mode=0o700, exist_ok=True)
        os.close(os.open(os.path.join(directory, PENDING), os.O_WRONLY | os.O_CREAT, 0o600))
    return directory


def share_again(server: RedisServer, settings: Settings, open_ledger: OpenLedger) -> None:
    """Move the sessions on this machine to their server, if there are any; try again later if it still fails."""
    directory = find_directory(server, settings)
    mark = os.path.join(directory, PENDING)
    if not os.path.exists(mark) or server.is_paused():
        return
    with suppress(OSError):
        server.execute("ECHO", "ctxkit")  # the server answers
        os.unlink(mark)  # one process alone does it
        try:
            number = _move_sessions(directory, server, settings, open_ledger)
        except OSError:
            os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600))
        else:
            if number:
                say.inform(f"shared again: {pluralize(number, 'session')} of this machine")


def _move_sessions(directory: str, server: RedisServer, settings: Settings, open_ledger: OpenLedger) -> int:
    """Move histories, snapshots, marks and ledger of a directory to a server; return the number of sessions."""
    from ctxkit.core.session.fallback import merge_history, merge_marks, merge_snapshots
    from ctxkit.core.session.fallback_ledger import merge_ledger
    from ctxkit.engines.context_marks import SQLiteContextMarks
    from ctxkit.engines.history import Histories
    from ctxkit.engines.redis_context_marks import RedisContextMarks
    from ctxkit.engines.redis_history import RedisHistories
    from ctxkit.engines.redis_ledger import RedisLedger
    from ctxkit.engines.redis_snapshots import RedisSnapshots
    from ctxkit.engines.snapshots import SQLiteSnapshots

    local, ledger = Histories(directory, say.warn), open_ledger(directory)
    snapshots, marks = SQLiteSnapshots(directory, say.warn), SQLiteContextMarks(directory, say.warn)
    names = {*local.names(), *(snapshot.session for snapshot in snapshots.all())}
    extents = {name: merge_history(name, local, RedisHistories(server)) for name in sorted(names)}
    shared = RedisSnapshots(server, hold=lambda refs: hold_shared(refs, settings))
    merge_snapshots(snapshots, shared, extents)
    merge_marks([session.name for session in ledger.sessions()], marks, RedisContextMarks(server))
    snapshots.close()
    marks.close()
    return merge_ledger(ledger, RedisLedger(server))
