"""Remove the setups of all hosts, from each settings file that ctxkit has changed."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.errors import CtxkitError, UsageError
from ctxkit.core.hosts.mcp_server import SettingsEdit
from ctxkit.core.hosts.profiles import MODULES, load_host
from ctxkit.edge.host_setup import HostSetup, SetupPlan, check_project_file


class HostRemoval(NamedTuple):
    """The removal of a host: its setup, and the change of each settings file."""

    setup: HostSetup
    plans: tuple[SetupPlan, ...]

    def apply(self) -> bool:
        """Change the settings, and remove the scripts; return False if the scripts stay, as ``apply_removal`` does."""
        answers = [self.setup.apply_removal(plan) for plan in self.plans]
        return all(answers)


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
