"""Open the ledger, histories, snapshots and marks of sessions on a server, with those of this machine behind them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

from ctxkit.app.services.session_failover import find_directory, open_directory, share_again
from ctxkit.app.services.stores import find_server, hold_shared, open_shared_store, warn_of_server
from ctxkit.core.session.fallback import Fallback, FallbackHistories, FallbackMarks, FallbackSnapshots
from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.app.services.session_failover import OpenLedger
    from ctxkit.core.session.fallback_ledger import FallbackLedger
    from ctxkit.core.session.ledger_interface import Ledger
    from ctxkit.core.session.snapshot import Snapshot
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.redis_server import RedisServer

    Service = TypeVar("Service", bound=Fallback[Any])

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
    from ctxkit.core.session.fallback_ledger import FallbackLedger

    def renew(refs: Iterable[str]) -> None:
        """Keep the content that an active session refers to."""
        from ctxkit.core.session.ledger import ACTIVE_SECONDS

        if store := open_shared_store(settings, None):
            store.renew(refs, ACTIVE_SECONDS)

    def open_service(server: RedisServer) -> FallbackLedger:
        """Return the ledger on a server."""
        from ctxkit.engines.redis_ledger import RedisLedger
        from ctxkit.engines.session_copies import SessionCopies
        from ctxkit.engines.store_scripts import BlobKeys

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
        from ctxkit.engines.redis_snapshots import RedisSnapshots
        from ctxkit.engines.snapshots import SQLiteSnapshots

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
        from ctxkit.engines.context_marks import SQLiteContextMarks
        from ctxkit.engines.redis_context_marks import RedisContextMarks

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
    key = kind.__name__, find_directory(server, settings)
    opened = _opened.get(key)
    if not isinstance(opened, kind) or (opened.is_local and not server.is_paused()):
        share_again(server, settings, open_ledger)
        opened = _opened[key] = open_service(server)
    return opened


def _make_warning(result: str, settings: Settings) -> Callable[[OSError], None]:
    """Return a function that warns once of what happens on this machine only."""
    return lambda error: warn_of_server(error, f"{result} on this machine only", settings)
