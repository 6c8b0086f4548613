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


def _directory(kind: str, variable: str, default: str) -> str:
    """Return what platformdirs says.

    On Linux its rule is followed here, because importing it costs 13 ms and every command asks; a
    test holds the two answers equal.
    """
    if sys.platform == "linux":
        home = os.environ.get(variable, "")
        return os.path.join(home if os.path.isabs(home) else os.path.expanduser(default), APP)
    import platformdirs

    return str(getattr(platformdirs, f"user_{kind}_dir")(APP, appauthor=False))

