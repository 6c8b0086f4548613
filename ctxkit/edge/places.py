"""Where ctxkit keeps its files on this machine."""

import os
import sys

APP = "ctxkit"


def settings_file() -> str:
    """Return the path of the user's settings file, whether or not it exists."""
    return os.path.join(_directory("config", "XDG_CONFIG_HOME", "~/.config"), "config.toml")


def cache_dir() -> str:
    """Return the directory of stored content."""
    return _directory("cache", "XDG_CACHE_HOME", "~/.cache")


def data_dir() -> str:
    """Return the directory of the index, which no cleaner of caches purges."""
    return _directory("data", "XDG_DATA_HOME", "~/.local/share")


NOWHERE = os.path.join(os.sep, "dev", "null")
"""The home of a user who has none: nothing can be there, and a relative path would lead into a stranger's directory."""


def _directory(kind: str, variable: str, default: str) -> str:
    """Return what platformdirs says, or a directory that cannot be there if that is no absolute path.

    On Linux its rule is followed here, because importing it costs 13 ms and every command asks; a
    test holds the two answers equal.
    """
    if sys.platform == "linux":
        home = os.environ.get(variable, "")
        path = os.path.join(home if os.path.isabs(home) else os.path.expanduser(default), APP)
    else:
        import platformdirs

        path = str(getattr(platformdirs, f"user_{kind}_dir")(APP, appauthor=False))
    return path if os.path.isabs(path) else os.path.join(NOWHERE, kind, APP)

