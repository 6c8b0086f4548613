"""Open the ledger of sessions on a server, with a ledger of this machine behind it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ctxkit.stores import find_server, open_shared_store, warn_of_server
from ctxkit.unshared_sessions import find_directory, open_directory, share_again

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.session.fallback_ledger import FallbackLedger
    from ctxkit.core.session.ledger import Ledger
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.redis_server import RedisServer

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
    directory = find_directory(server, settings)
    opened = _ledgers.get((server.mark, directory))
    if opened is None or (opened.is_local and not server.is_paused()):
        share_again(server, settings, open_local)
        opened = _ledgers[server.mark, directory] = _open(server, settings, open_local)
    return opened


def _open(server: RedisServer, settings: Settings, open_local: Callable[[str], Ledger]) -> FallbackLedger:
    from ctxkit.core.session.fallback_ledger import FallbackLedger
    from ctxkit.engines.redis_ledger import RedisLedger

    def renew(refs: Iterable[str]) -> None:
        """Keep the content that an active session refers to."""
        from ctxkit.core.session.ledger import ACTIVE_SECONDS

        if store := open_shared_store(settings, None):
            store.renew(refs, ACTIVE_SECONDS)

    def open_unshared() -> Ledger:
        """Return the ledger of this machine."""
        return open_local(open_directory(server, settings))

    def warn_of_failure(error: OSError) -> None:
        """Warn once that sessions are counted on this machine only."""
        warn_of_server(error, "sessions are counted on this machine only", settings)

    return FallbackLedger(RedisLedger(server, renew), open_unshared, warn_of_failure)
