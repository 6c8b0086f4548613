"""Keep sessions on this machine while the shared store fails, and share them when it is back."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ctxkit.app.services.stores import data_dir, hold_shared
from ctxkit.core.text.quantity import pluralize
from ctxkit.edge import say
from ctxkit.system.own_files import open_own_folder, touch_file
from ctxkit.system.safe_directory import LinkError

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
LEVELS = 2
"""Number of folders of ctxkit's own at the end of the path of such a directory."""


def find_directory(server: RedisServer, settings: Settings) -> str:
    """Return the directory of the sessions of a server on this machine."""
    return os.path.join(data_dir(settings), FOLDER, os.path.basename(server.mark))


def open_directory(server: RedisServer, settings: Settings) -> str:
    """Create the directory of the sessions of a server, mark that the server must get them later, and return it."""
    from ctxkit.core.errors import InputOutputError

    directory = find_directory(server, settings)
    try:
        with open_own_folder(directory, LEVELS, make=True) as folder:
            touch_file(folder, PENDING)
    except LinkError as error:
        raise InputOutputError(f"{error.filename}: {error.strerror}") from error
    except OSError:  # what is written there says so
        pass
    return directory


def share_again(server: RedisServer, settings: Settings, open_ledger: OpenLedger) -> None:
    """Move the sessions on this machine to their server, if there are any; try again later if it still fails."""
    directory = find_directory(server, settings)
    if not os.path.exists(os.path.join(directory, PENDING)) or server.is_paused():
        return
    with suppress(OSError), open_own_folder(directory, LEVELS) as folder:
        server.execute("ECHO", "ctxkit")  # the server answers
        if not folder.remove(PENDING):  # one process alone does it
            return
        try:
            number = _move_sessions(directory, server, settings, open_ledger)
        except OSError:
            touch_file(folder, PENDING)
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
