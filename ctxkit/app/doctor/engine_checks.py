"""Check the engines and what the settings name outside of this process, for doctor."""

from collections.abc import Iterator

from ctxkit.core.checkup import Check
from ctxkit.edge import user_dirs
from ctxkit.edge.settings import Settings


def check_engines(settings: Settings) -> Iterator[Check]:
    """Yield the checks of the libraries, the vocabularies and the store."""
    from ctxkit.engines.checkup import libraries, vocabularies

    yield from libraries.checks()
    yield from vocabularies.checks(user_dirs.cache_dir())
    try:
        from ctxkit.engines.checkup import storage
    except ImportError:  # a Python without SQLite, which the library checks have reported
        return
    yield from storage.checks(
        settings["cache_dir"] or user_dirs.cache_dir(), settings["data_dir"] or user_dirs.data_dir()
    )


def check_services(settings: Settings) -> Iterator[Check]:
    """Yield the checks of the shared store, and of the socket of a server; each waits at most a second."""
    if isinstance(settings["store"], str):
        from ctxkit.engines.checkup.shared_store import check_server

        yield check_server(settings["store"])
    server = settings["server"]
    if server:
        from ctxkit.engines.checkup.server_socket import check_socket

        is_named = isinstance(server, str)
        check = check_socket(server if is_named else user_dirs.socket_path(), is_named=is_named)
        yield from filter(None, (check,))
