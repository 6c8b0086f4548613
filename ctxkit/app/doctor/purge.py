"""Remove what ctxkit keeps on this machine: the setups of hosts, and its files in all of its directories."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.edge import user_dirs
from ctxkit.edge.host_removal import HostRemoval, plan_removals
from ctxkit.engines.own_state import PRIVATE, SETTINGS, OwnFiles, OwnPlace, list_own_files, remove_own_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctxkit.edge.settings import Settings


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
