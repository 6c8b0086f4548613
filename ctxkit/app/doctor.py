"""Check the engines and what the settings name, for doctor, and remove what ctxkit keeps on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.checkup import Check
from ctxkit.edge import user_dirs
from ctxkit.edge.host_removal import HostRemoval, plan_removals
from ctxkit.edge.settings import Settings
from ctxkit.engines.own_state import PRIVATE, SETTINGS, OwnFiles, OwnPlace, list_own_files, remove_own_files

if TYPE_CHECKING:
    from collections.abc import Sequence


def check_engines(settings: Settings) -> Iterator[Check]:
    """Yield the checks of the libraries, the vocabularies and the store."""
    from ctxkit.engines.checkup import libraries

    yield from libraries.check_libraries()
    yield from libraries.check_vocabularies(user_dirs.cache_dir())
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
        from ctxkit.engines.checkup.services import check_server

        yield check_server(settings["store"])
    server = settings["server"]
    if server:
        from ctxkit.engines.checkup.services import check_socket

        is_named = isinstance(server, str)
        check = check_socket(server if is_named else user_dirs.socket_path(), is_named=is_named)
        yield from filter(None, (check,))


class PurgePlan(NamedTuple):
    """What a purge removes: the setups of hosts, and the files in each directory."""

    hosts: Sequence[HostRemoval]
    directories: Sequence[OwnFiles]


class PurgeResult(NamedTuple):
    """What a purge removed: the settings files by host, and the files; ``left`` are the paths that stay."""

    hosts: Sequence[tuple[str, str]]
    directories: Sequence[OwnFiles]
    left: Sequence[str]


def plan_purge(settings: Settings) -> PurgePlan:
    """Return what a purge removes; raise CtxkitError if the settings of a host cannot be read."""
    hosts = [removal for path in _list_data_dirs(settings) for removal in plan_removals(path)]
    return PurgePlan(hosts, [files for files in map(list_own_files, _list_places(settings)) if files.files])


def purge(plan: PurgePlan, settings: Settings) -> PurgeResult:
    """Remove the setups of the hosts first, whose scripts are below the data directory, then all files."""
    left = [removal.setup.directory for removal in plan.hosts if not removal.apply()]
    removed = list(map(remove_own_files, _list_places(settings)))
    hosts = [(removal.setup.host.name, plan.file.path) for removal in plan.hosts for plan in removal.plans]
    links = [link for files in removed for link in files.links]
    return PurgeResult(hosts, [files for files in removed if files.files], [*left, *links])


def _list_places(settings: Settings) -> Iterator[OwnPlace]:
    """Yield the directories of ctxkit."""
    paths = [*_list_data_dirs(settings), str(settings["cache_dir"]), user_dirs.cache_dir()]
    yield from (OwnPlace(path) for path in dict.fromkeys(paths) if os.path.isabs(path))
    yield from (OwnPlace(path, PRIVATE, is_private=True) for path in user_dirs.fallback_dirs())
    yield OwnPlace(os.path.dirname(user_dirs.models_file()), SETTINGS)


def _list_data_dirs(settings: Settings) -> list[str]:
    paths = dict.fromkeys((str(settings["data_dir"]), user_dirs.data_dir()))
    return [path for path in paths if os.path.isabs(path)]
