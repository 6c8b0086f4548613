"""Locate the directories of ctxkit on this machine."""

from __future__ import annotations

import os
import sys

APP = "ctxkit"


def settings_file() -> str:
    """Return the path of the user's settings file, whether or not it exists."""
    return os.path.join(_config_dir(), "config.toml")


def models_file() -> str:
    """Return the path of the user's table of models, whether or not it exists."""
    return os.path.join(_config_dir(), "models.jsonl")


def _config_dir() -> str:
    return _standard_dir("config", "XDG_CONFIG_HOME", "~/.config")


def cache_dir() -> str:
    """Return the directory of stored content."""
    return _standard_dir("cache", "XDG_CACHE_HOME", "~/.cache")


def data_dir() -> str:
    """Return the directory of the index, which cache cleaners do not purge."""
    return _standard_dir("data", "XDG_DATA_HOME", "~/.local/share")


NOWHERE = os.path.join(os.sep, "dev", "null")
"""Directory of a user without a home: it cannot exist, and a relative path could be in an untrusted directory."""


HOME_HINT = "there is no home directory: set HOME, or both CTXKIT_CACHE_DIR and CTXKIT_DATA_DIR"


def find_home_hint(message: str) -> str:
    """Return which variable to set if a message names a directory of a user without a home, "" otherwise."""
    return HOME_HINT if os.path.join(NOWHERE, "") in message else ""


def has_home() -> bool:
    """Return whether HOME or the list of users names a home directory."""
    return os.path.isabs(os.path.expanduser("~"))


def _standard_dir(kind: str, variable: str, default: str) -> str:
    """Return the directory of platformdirs, or a directory that cannot exist if that is not absolute.

    On Linux, apply its rule here, because importing it costs 13 ms and every command needs it. A test checks that both
    agree.
    """
    if sys.platform == "linux":
        home = os.environ.get(variable, "")
        path = os.path.join(home if os.path.isabs(home) else os.path.expanduser(default), APP)
    else:
        import platformdirs

        path = str(getattr(platformdirs, f"user_{kind}_dir")(APP, appauthor=False))
    return path if os.path.isabs(path) else os.path.join(NOWHERE, kind, APP)


def private_dir() -> str:
    """Return the temporary directory of this user for a server's socket; it may not exist."""
    return os.path.join(_temporary_dir(), _private_name())


def fallback_dir(session: str = "") -> str:
    """Return the temporary directory for a session's content if no other is writable; it may not exist."""
    return os.path.join(_temporary_dir(), "-".join(filter(None, (_fallback_name(), session))))


def fallback_dirs() -> list[str]:
    """Return the existing temporary directories for content of all sessions of this user and this home."""
    name = _fallback_name()
    try:
        names = sorted(os.listdir(_temporary_dir()))
    except OSError:
        return []
    return [os.path.join(_temporary_dir(), entry) for entry in names if entry == name or entry.startswith(f"{name}-")]


def socket_path() -> str:
    """Return the default path of the server's socket, in a directory that only this user can enter."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    is_usable = os.path.isabs(runtime) and os.path.isdir(runtime)
    return os.path.join(runtime if is_usable else private_dir(), f"{APP}.sock")


def is_writable(path: str) -> bool:
    """Return whether a directory is writable, or can be created."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return os.path.isdir(path) and os.access(path, os.W_OK | os.X_OK)


def _private_name() -> str:
    return f"{APP}-{os.geteuid()}" if hasattr(os, "geteuid") else APP


def _fallback_name() -> str:
    """Return a name of this user and this home: what one home stores, another must neither read nor remove."""
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return _private_name()
    from binascii import crc32

    return f"{_private_name()}-{crc32(os.fsencode(os.path.normpath(home))):08x}"


def _temporary_dir() -> str:
    """Return the directory of temporary files; importing tempfile costs several milliseconds."""
    directory = next((path for name in ("TMPDIR", "TEMP", "TMP") if (path := os.environ.get(name, ""))), "/tmp")
    return os.path.abspath(directory)
