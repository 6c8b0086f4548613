"""Open the ledger of sessions on a server, with a ledger of this machine behind it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ctxkit.edge import say
from ctxkit.stores import data_dir, find_server, open_shared_store, warn_of_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.session.fallback_ledger import FallbackLedger
    from ctxkit.core.session.ledger import Ledger
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.redis_server import RedisServer

FOLDER = "unshared"
"""Directory of the ledgers that count while a server does not answer; each server has one of its own."""
PENDING = "pending"
"""File that exists while such a ledger has sessions that the server does not know."""
_ledgers: dict[tuple[str, str], FallbackLedger] = {}


def _forget_ledgers() -> None:
    """Open new ledgers after a fork, because a local ledger belongs to the process that opened it."""
    _ledgers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_ledgers)


def open_shared_ledger(settings: Settings, open_local: Callable[[str], Ledger]) -> Ledger:
    """Return the ledger on the server of the settings; ``open_local`` returns the ledger of a directory.

    While the server fails, sessions are counted on this machine; these counts are added to the server's later.
    """
    server = find_server(settings)
    assert server is not None, "the settings name a server"
    directory = os.path.join(data_dir(settings), FOLDER, os.path.basename(server.mark))
    opened = _ledgers.get((server.mark, directory))
    if opened is None or (opened.is_local and not server.is_paused()):
        opened = _ledgers[server.mark, directory] = _open(server, directory, settings, open_local)
    return opened


def _open(
    server: RedisServer, directory: str, settings: Settings, open_local: Callable[[str], Ledger]
) -> FallbackLedger:
    from ctxkit.core.session.fallback_ledger import FallbackLedger
    from ctxkit.engines.redis_ledger import RedisLedger

    def renew(refs: Iterable[str]) -> None:
        """Keep the content that an active session refers to."""
        from ctxkit.core.session.ledger import ACTIVE_SECONDS

        if store := open_shared_store(settings, None):
            store.renew(refs, ACTIVE_SECONDS)

    def open_unshared() -> Ledger:
        """Return the ledger of this machine, and mark that the server must get its sessions later."""
        with suppress(OSError):
            os.makedirs(directory, mode=0o700, exist_ok=True)
            os.close(os.open(os.path.join(directory, PENDING), os.O_WRONLY | os.O_CREAT, 0o600))
        return open_local(directory)

    def warn_of_failure(error: OSError) -> None:
        """Warn once that sessions are counted on this machine only."""
        warn_of_server(error, "sessions are counted on this machine only", settings)

    shared = RedisLedger(server, renew)
    if os.path.exists(os.path.join(directory, PENDING)) and not server.is_paused():
        _merge(directory, shared, open_local)
    return FallbackLedger(shared, open_unshared, warn_of_failure)


def _merge(directory: str, shared: Ledger, open_local: Callable[[str], Ledger]) -> None:
    """Add the sessions that were counted on this machine to the server; try again later if it still fails."""
    from ctxkit.core.session.fallback_ledger import merge_ledger

    mark = os.path.join(directory, PENDING)
    with suppress(OSError):
        shared.find("ctxkit")  # the server answers
        os.unlink(mark)
        try:
            if number := merge_ledger(open_local(directory), shared):
                say.inform(f"{number} sessions that were counted on this machine are shared again")
        except OSError:
            os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600))
