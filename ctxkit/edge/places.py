"""Where ctxkit keeps its files on this machine."""

import os
import sys

APP = "ctxkit"


def settings_file() -> str:
    """Return the path of the user's settings file, whether or not it exists.

    On Linux this is worked out here, by the rule that platformdirs follows: every command asks for
    it, and importing platformdirs costs 13 ms. A test holds the two answers equal.
    """
    if sys.platform == "linux":
        home = os.environ.get("XDG_CONFIG_HOME", "").strip() or os.path.expanduser("~/.config")
        return os.path.join(home, APP, "config.toml")
    from platformdirs import user_config_dir

    return os.path.join(user_config_dir(APP, appauthor=False), "config.toml")


def cache_dir() -> str:
    """Return the directory of stored content."""
    from platformdirs import user_cache_dir

    return user_cache_dir(APP, appauthor=False)


def data_dir() -> str:
    """Return the directory of the index, which no cleaner of caches purges."""
    from platformdirs import user_data_dir

    return user_data_dir(APP, appauthor=False)

