"""List the edits of settings that a setup makes, and the scripts that the new settings name."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ctxkit.core.hosts.host import Host, McpSettings, Programs, SettingsPlace
from ctxkit.core.hosts.mcp_server import PROGRAM, make_mcp_script


class SettingsEdit(NamedTuple):
    """The edits of one settings file: its setup, and the removal of that. ``scripts`` are texts by path."""

    place: SettingsPlace
    install: Callable[[str], str]
    remove: Callable[[str], str | None]
    scripts: Mapping[str, str]


def list_edits(
    host: Host, scope: str, directory: str, programs: Programs, *, serves: bool = False
) -> list[SettingsEdit]:
    """Return the edits for a scope, with those of the MCP server if ctxkit serves one; a file has one edit."""
    edit = SettingsEdit(
        host.settings[scope],
        lambda text: host.install(text, directory),
        lambda text: host.remove(text, directory),
        host.make_scripts(directory, programs),
    )
    if not serves or host.mcp is None or scope not in host.mcp.places:
        return [edit]
    server_edit = _make_server_edit(host.name, host.mcp, scope, directory, programs)
    return [_join(edit, server_edit)] if server_edit.place == edit.place else [edit, server_edit]


def _make_server_edit(name: str, mcp: McpSettings, scope: str, directory: str, programs: Programs) -> SettingsEdit:
    program = f"{directory}/{PROGRAM}"
    return SettingsEdit(
        mcp.places[scope],
        lambda text: mcp.install(text, program),
        lambda text: mcp.remove(text, program),
        {program: make_mcp_script(name, programs.ctxkit)},
    )


def _join(first: SettingsEdit, second: SettingsEdit) -> SettingsEdit:
    """Return two edits of the same file as one."""

    def remove(text: str) -> str | None:
        """Return the text without both, None if the file goes."""
        rest = first.remove(text)
        return None if rest is None else second.remove(rest)

    scripts = {**first.scripts, **second.scripts}
    return SettingsEdit(first.place, lambda text: second.install(first.install(text)), remove, scripts)
