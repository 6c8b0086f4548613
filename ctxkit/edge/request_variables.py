"""Decide which variables a request to the server may carry: none that names a file, a program, an address or a place.

The definitions of the settings are the table. The client has the same rule: it does itself what the server could not do
as this process would.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ctxkit.core.errors import UsageError
from ctxkit.edge.setting_definitions import KEYS

if TYPE_CHECKING:
    from ctxkit.edge.settings import Settings

PREFIX = "CTXKIT_"
OTHER_VARIABLES = ("CTXKIT_DEBUG", "CTXKIT_DISABLE")
"""Variables of ctxkit that are no settings."""
DEFAULTS = {"XDG_CACHE_HOME": "~/.cache", "XDG_CONFIG_HOME": "~/.config", "XDG_DATA_HOME": "~/.local/share"}
"""Variables that move the store or the settings, and the directories that hold without them."""
SERVER_KEY = "server"
"""Setting that says which server is asked: it is of no use to the server."""


def explain_refusal(name: str, value: str) -> str:
    """Return why a request may not set a variable, "" if it may."""
    if name in OTHER_VARIABLES:
        return ""
    definition = KEYS.get(name.removeprefix(PREFIX).lower()) if name.startswith(PREFIX) else None
    if definition is None or definition.user_file_only:
        return "is not a variable that a request may set"
    return "names a file, a directory, a program or an address" if value and names_place(name, value) else ""


def names_place(name: str, value: str) -> bool:
    """Return whether the value of a setting's variable names a place; one that cannot be read does where others do."""
    definition = KEYS[name.removeprefix(PREFIX).lower()]
    try:
        return definition.names_place(definition.read(value))
    except ValueError:
        return definition.names_place(value)


def check_variables(variables: Iterable[tuple[str, str]]) -> None:
    """Raise UsageError for the first variable that a request may not set."""
    for name, value in variables:
        if reason := explain_refusal(name, value):
            raise UsageError(f"{name}: {reason}", hint="set it in the settings of the server's user")


def list_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a request of this process carries."""
    return {
        name: value
        for name, value in environ.items()
        if name.startswith(PREFIX) and name != f"{PREFIX}{SERVER_KEY.upper()}" and not explain_refusal(name, value)
    }


def has_own_place(environ: Mapping[str, str], settings: Settings) -> bool:
    """Return whether a variable or a project names a place, so that the server would use another one."""
    return any(_is_moved(environ.get(name, ""), default) for name, default in DEFAULTS.items()) or any(
        _is_set_outside_file(settings, key, definition) for key, definition in KEYS.items() if key != SERVER_KEY
    )


def _is_moved(path: str, default: str) -> bool:
    """Return whether a directory is another than the default; one that is not absolute does not count."""
    return os.path.isabs(path) and path.rstrip(os.sep) != os.path.expanduser(default)


def _is_set_outside_file(settings: Settings, key: str, definition: Any) -> bool:
    """Return whether a setting names a place, and whether its source is not the user's own file."""
    from ctxkit.edge.user_dirs import settings_file

    setting = settings.lookup(key)
    if setting.source == "default" or setting.source.startswith(f"{settings_file()}:"):
        return False
    return bool(definition.names_place(setting.value))
