"""Choose the stores of content and the directory of the database, the first usable of several."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctxkit.core.store.chained_store import ChainedStore
    from ctxkit.core.store.search import Index
    from ctxkit.core.store.store_interface import Store
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.redis_server import RedisServer
    from ctxkit.engines.redis_store import RedisStore


SOME_REF = "0" * 64
"""A ref that nobody stores."""


def open_store(settings: Settings) -> ChainedStore:
    """Return the store: the shared one of the settings, if any, then the directories of this machine.

    These are the directory of the settings, the default one, and a temporary one.
    """
    from ctxkit.core.store.chained_store import ChainedStore
    from ctxkit.edge import user_dirs
    from ctxkit.engines.local_store import LocalStore

    def open_private_store(path: str) -> Store:
        """Return a store that only this user can read."""
        return LocalStore(path, f"{path}/data", say.warn, current_project, private=True)

    private_path, data, directories = _private_dir(settings), data_dir(settings), _cache_dirs(settings)
    stores: list[Store] = [*(LocalStore(path, data, say.warn, current_project) for path in directories)]
    stores.append(open_private_store(private_path))
    borrowed = directories[1:]  # with another cache_dir, calls without it own the default directory
    if shared := open_shared_store(settings, stores[0]):
        stores.insert(0, shared)
        borrowed.append(shared.place)  # it belongs to all machines

    def warn_of_move(store: Store, error: OSError) -> None:
        """Warn once that another store is used."""
        if shared and error.filename == shared.place:
            warn_of_server(error, f"content is stored in {store.place} instead", settings)
            return
        used_before = store.place == private_path and os.path.lexists(f"{private_path}/tidied")
        speak = say.note if used_before else say.warn
        cause = f"{error.strerror}: {error.filename or 'the store'}"
        speak(f"{user_dirs.find_home_hint(cause) or cause}; content is stored in {store.place} instead")

    def list_other_stores() -> list[Store]:
        """Return the private stores of other sessions."""
        return [open_private_store(path) for path in user_dirs.fallback_dirs() if path != private_path]

    return ChainedStore(stores, list_other_stores, warn_of_move, lambda store: store.place in borrowed)


def current_project() -> str:
    """Return the name of the project that the working directory belongs to."""
    from ctxkit.edge.setting_layers import working_directory
    from ctxkit.engines.content_hash import name_project

    return name_project(working_directory())


def open_emptied_store(settings: Settings) -> Store:
    """Return the store that a removal of all content empties: the shared one of the settings alone, if there is one."""
    shared = open_shared_store(settings, None)
    if shared is None:
        return open_store(settings).narrow_to_owned()
    shared.has_ref(SOME_REF)  # a server that cannot be reached is an error, and not an empty store
    return shared


def find_server(settings: Settings) -> RedisServer | None:
    """Return the server of the shared store, None if the settings name none."""
    url = settings["store"]
    if not isinstance(url, str):
        return None
    server = _servers.get(url)
    if server is None:
        from ctxkit.core.store.address import parse_address
        from ctxkit.edge import user_dirs
        from ctxkit.engines.redis_server import RedisServer

        folder = next(iter(_cache_dirs(settings)), user_dirs.fallback_dir())
        server = _servers[url] = RedisServer(
            parse_address(url), os.path.join(folder, "servers", _name_server(url)), say.warn
        )
    return server


_servers: dict[str, RedisServer] = {}
"""The servers of this process, which keep their connections."""


def _name_server(url: str) -> str:
    """Return the file name of the mark of a server."""
    from hashlib import blake2b

    return blake2b(url.encode("utf-8", "replace"), digest_size=8).hexdigest()


def open_shared_store(settings: Settings, copies: Store | None) -> RedisStore | None:
    """Return the store on the server of the settings, if any; ``copies`` gets the files of ``cache path``."""
    server = find_server(settings)
    if server is None:
        return None
    from ctxkit.core.text.quantity import parse_duration
    from ctxkit.engines.redis_store import RedisStore

    return RedisStore(server, say.warn, parse_duration(settings["cache_max_age"]), copies, current_project)


def hold_shared(refs: Iterable[str], settings: Settings) -> None:
    """Keep shared content to which a file refers for a month, if the settings name a shared store."""
    store = open_shared_store(settings, None)
    if store is None:
        return
    from ctxkit.engines.redis_store import HELD_SECONDS

    try:
        store.renew(refs, HELD_SECONDS, hold=True)
    except OSError as error:
        warn_of_server(error, "the time of shared content is not renewed", settings)


def warn_of_server(error: OSError, result: str, settings: Settings) -> None:
    """Warn once an hour that the shared store failed, and what happens instead; only note a known failure.

    Raise InputOutputError if the call is strict.
    """
    from ctxkit.edge import notices, user_dirs

    message, hint = f"{error.strerror}: {error.filename}", getattr(error, "hint", "")
    if settings.is_strict:
        from ctxkit.core.errors import InputOutputError

        raise InputOutputError(message, hint=hint)
    message += f"; {result}"
    if getattr(error, "is_repeated", False):
        say.note(message)
        return
    folder = settings["cache_dir"] or user_dirs.cache_dir()
    notices.warn_once(notices.Notice(message, hint=hint), folder, notices.HOUR)


def _cache_dirs(settings: Settings) -> list[str]:
    """Return the directories of stored content, the one to write to first; empty without a home directory."""
    from ctxkit.edge import user_dirs

    candidates = (settings["cache_dir"], user_dirs.cache_dir())
    return [path for path in dict.fromkeys(candidates) if os.path.isabs(path)]


def data_dir(settings: Settings) -> str:
    """Return the directory of the database and the histories; a temporary one without a home directory."""
    from ctxkit.edge import user_dirs

    path = str(settings["data_dir"] or user_dirs.data_dir())
    return path if os.path.isabs(path) else make_private_dir(_private_dir(settings), "data")


def _private_dir(settings: Settings) -> str:
    """Return the temporary directory for the content of the current session."""
    from ctxkit.core.errors import UsageError
    from ctxkit.core.session.ledger import check_session_name
    from ctxkit.edge import user_dirs

    try:
        return user_dirs.fallback_dir(check_session_name(settings["session"]))
    except UsageError:  # no session is set, or its name is invalid
        return user_dirs.fallback_dir()


def make_private_dir(*parts: str) -> str:
    """Create a directory with mode 0700 in a public place, and return its path.

    Raise OSError if other users can access it.
    """
    from ctxkit.system.own_files import open_folder

    open_folder(*parts, make=True, private=True).close()
    return os.path.join(*parts)


def index(settings: Settings) -> Index:
    """Return the full text index of the stores on this machine, in the first writable directory."""
    from ctxkit.edge import user_dirs
    from ctxkit.engines.index import FullTextIndex

    usable = (path for path in _cache_dirs(settings) if user_dirs.is_writable(path))
    directory = next(usable, "") or make_private_dir(_private_dir(settings))
    return FullTextIndex(directory, say.warn)
