"""Check the engines and what the settings name, for doctor, and remove what ctxkit keeps on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.checkup import Check
from ctxkit.core.errors import CtxkitError, UsageError
from ctxkit.core.hosts.mcp_server import SettingsEdit
from ctxkit.core.hosts.profiles import MODULES, load_host
from ctxkit.edge import user_dirs
from ctxkit.edge.host_setup import HostSetup, SetupPlan, check_project_file
from ctxkit.edge.settings import Settings
from ctxkit.engines.own_state import PRIVATE, SETTINGS, OwnFiles, OwnPlace, list_own_files, remove_own_files

if TYPE_CHECKING:
    from collections.abc import Sequence


class HostRemoval(NamedTuple):
    """The removal of a host: its setup, and the change of each settings file."""

    setup: HostSetup
    plans: tuple[SetupPlan, ...]

    def apply(self) -> bool:
        """Change the settings, and remove the scripts; return False if the scripts stay, as ``apply_removal`` does."""
        answers = [self.setup.apply_removal(plan) for plan in self.plans]
        return all(answers)


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


def plan_removals(data_dir: str) -> list[HostRemoval]:
    """Return the removal of each host that is set up; raise MalformedInputError for settings that cannot be parsed."""
    setups = [HostSetup(load_host(name), data_dir) for name in MODULES]
    removals = (HostRemoval(setup, tuple(_plan_host(setup))) for setup in setups)
    return [removal for removal in removals if removal.plans]


def _plan_host(setup: HostSetup) -> Iterator[SetupPlan]:
    """Yield the changes of the settings of the user and of this project, and of those that the record names."""
    edits, recorded = _list_edits(setup), setup.list_changed()
    for path in {**edits, **dict.fromkeys(recorded)}:
        try:
            plan = setup.plan_removal(path, edits.get(path) or _find_edit(path, edits))
        except CtxkitError:
            if path in recorded:
                raise
            continue
        if path in recorded or plan.changes_settings:
            yield plan


def _list_edits(setup: HostSetup) -> dict[str, SettingsEdit]:
    edits: dict[str, SettingsEdit] = {}
    for scope in setup.host.settings:
        for path, edit in setup.list_edits(scope, serves=True).items():
            try:
                if scope == "project":
                    check_project_file(path)
            except UsageError:  # a link out of the project
                continue
            edits[path] = edit
    return edits


def _find_edit(path: str, edits: dict[str, SettingsEdit]) -> SettingsEdit | None:
    """Return the edit of the settings of another project, which have the same name there."""
    return next((edit for edit in edits.values() if path.endswith(os.path.join(os.sep, edit.place.path))), None)
