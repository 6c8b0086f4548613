"""Open the ledger, histories, snapshots and marks of sessions on a server, with those of this machine behind them."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ctxkit.app.services.stores import data_dir, find_server, hold_shared, open_shared_store, warn_of_server
from ctxkit.core.session.fallback import Fallback, FallbackHistories, FallbackMarks, FallbackSnapshots
from ctxkit.core.text.quantity import pluralize
from ctxkit.edge import say
from ctxkit.system.own_files import LinkError, open_own_folder, touch_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.session.fallback import FallbackLedger
    from ctxkit.core.session.history import Snapshot
    from ctxkit.core.session.ledger_interface import Ledger
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.redis_server import RedisServer

    Service = TypeVar("Service", bound=Fallback[Any])
    OpenLedger = Callable[[str], Ledger]

_FOLDER = "unshared"
"""Directory of the sessions that are kept while a server does not answer; each server has one of its own."""
PENDING = "pending"
"""File that exists while such a directory has something that the server does not have."""
LEVELS = 2
"""Number of folders of ctxkit's own at the end of the path of such a directory."""
_opened: dict[tuple[str, str], Fallback[Any]] = {}
"""What this process has opened, by the name of the service and its directory on this machine."""


def _forget_opened() -> None:
    """Open everything anew after a fork, because a local database belongs to the process that opened it."""
    _opened.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_opened)


def open_shared_ledger(settings: Settings, open_ledger: OpenLedger) -> FallbackLedger:
    """Return the ledger on the server of the settings; ``open_ledger`` returns the ledger of a directory.

    While the server fails, sessions are counted on this machine; these counts are added to the server's later.
    """
    from ctxkit.core.session.fallback import FallbackLedger

    def renew(refs: Iterable[str]) -> None:
        """Keep the content that an active session refers to."""
        from ctxkit.core.session.ledger import ACTIVE_SECONDS

        if store := open_shared_store(settings, None):
            store.renew(refs, ACTIVE_SECONDS)

    def open_service(server: RedisServer) -> FallbackLedger:
        """Return the ledger on a server."""
        from ctxkit.engines.redis_ledger import RedisLedger
        from ctxkit.engines.redis_scripts import BlobKeys
        from ctxkit.engines.session_copies import SessionCopies

        def open_local() -> Ledger:
            """Return the ledger of this machine."""
            return open_ledger(open_directory(server, settings))

        warn = _make_warning("sessions are counted", settings)
        copies = SessionCopies(find_copies(server))
        shared = RedisLedger(server, renew, BlobKeys(server).list_shared, copies)
        return FallbackLedger(shared, open_local, warn, shared.record_if_fits, copies)

    return _open(settings, open_ledger, open_service, FallbackLedger)


def find_copies(server: RedisServer) -> str:
    """Return the directory of what this machine knows of the sessions of a server."""
    return f"{server.mark}.sessions"


def open_histories(settings: Settings, open_ledger: OpenLedger) -> FallbackHistories:
    """Return the histories on the server of the settings; ``open_ledger`` returns the ledger of a directory."""

    def open_service(server: RedisServer) -> FallbackHistories:
        """Return the histories on a server."""
        from ctxkit.engines.history import Histories
        from ctxkit.engines.redis_history import RedisHistories

        def open_local() -> Histories:
            """Return the histories of this machine."""
            return Histories(open_directory(server, settings), say.warn)

        return FallbackHistories(RedisHistories(server), open_local, _make_warning("histories are kept", settings))

    return _open(settings, open_ledger, open_service, FallbackHistories)


def open_snapshots(
    settings: Settings, open_ledger: OpenLedger, prepare: Callable[[Snapshot], Snapshot]
) -> FallbackSnapshots:
    """Return the snapshots on the server of the settings; ``prepare`` returns the form that may be stored."""

    def hold(refs: Iterable[str]) -> None:
        """Keep the content that a snapshot mentions."""
        hold_shared(refs, settings)

    def open_service(server: RedisServer) -> FallbackSnapshots:
        """Return the snapshots on a server."""
        from ctxkit.engines.catalog import SQLiteSnapshots
        from ctxkit.engines.redis_history import RedisSnapshots

        def open_local() -> SQLiteSnapshots:
            """Return the snapshots of this machine."""
            return SQLiteSnapshots(open_directory(server, settings), say.warn, prepare)

        shared = RedisSnapshots(server, prepare, hold)
        return FallbackSnapshots(shared, open_local, _make_warning("snapshots are kept", settings))

    return _open(settings, open_ledger, open_service, FallbackSnapshots)


def open_marks(settings: Settings, open_ledger: OpenLedger) -> FallbackMarks:
    """Return the marks on the server of the settings."""

    def open_service(server: RedisServer) -> FallbackMarks:
        """Return the marks on a server."""
        from ctxkit.engines.redis_ledger import RedisContextMarks
        from ctxkit.engines.session_tables import SQLiteContextMarks

        def open_local() -> SQLiteContextMarks:
            """Return the marks of this machine."""
            return SQLiteContextMarks(open_directory(server, settings), say.warn)

        return FallbackMarks(RedisContextMarks(server), open_local, _make_warning("marks are kept", settings))

    return _open(settings, open_ledger, open_service, FallbackMarks)


def _open(
    settings: Settings, open_ledger: OpenLedger, open_service: Callable[[RedisServer], Service], kind: type[Service]
) -> Service:
    """Return a service that is open, unless it is local and the server may be tried again; else open it."""
    server = find_server(settings)
    assert server is not None, "the settings name a server"
    key = kind.__name__, _find_directory(server, settings)
    opened = _opened.get(key)
    if not isinstance(opened, kind) or (opened.is_local and not server.is_paused()):
        share_again(server, settings, open_ledger)
        opened = _opened[key] = open_service(server)
    return opened


def _make_warning(result: str, settings: Settings) -> Callable[[OSError], None]:
    """Return a function that warns once of what happens on this machine only."""
    return lambda error: warn_of_server(error, f"{result} on this machine only", settings)


def _find_directory(server: RedisServer, settings: Settings) -> str:
    """Return the directory of the sessions of a server on this machine."""
    return os.path.join(data_dir(settings), _FOLDER, os.path.basename(server.mark))


def open_directory(server: RedisServer, settings: Settings) -> str:
    """Create the directory of the sessions of a server, mark that the server must get them later, and return it."""
    from ctxkit.core.errors import InputOutputError

    directory = _find_directory(server, settings)
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
    directory = _find_directory(server, settings)
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
    from ctxkit.core.session.fallback import merge_history, merge_ledger, merge_marks, merge_snapshots
    from ctxkit.engines.catalog import SQLiteSnapshots
    from ctxkit.engines.history import Histories
    from ctxkit.engines.redis_history import RedisHistories, RedisSnapshots
    from ctxkit.engines.redis_ledger import RedisContextMarks, RedisLedger
    from ctxkit.engines.session_tables import SQLiteContextMarks

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
