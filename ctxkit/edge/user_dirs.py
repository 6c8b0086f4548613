"""Locate the directories of ctxkit on this machine, and the settings files: the user's, and that of a project."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ctxkit.core.errors import SettingsError

_APP = "ctxkit"


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
_HOME_HINT = "there is no home directory: set HOME, or both CTXKIT_CACHE_DIR and CTXKIT_DATA_DIR"


def find_home_hint(message: str) -> str:
    """Return which variable to set if a message names a directory of a user without a home, "" otherwise."""
    return _HOME_HINT if os.path.join(NOWHERE, "") in message else ""


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
        path = os.path.join(home if os.path.isabs(home) else os.path.expanduser(default), _APP)
    else:
        import platformdirs

        path = str(getattr(platformdirs, f"user_{kind}_dir")(_APP, appauthor=False))
    return path if os.path.isabs(path) else os.path.join(NOWHERE, kind, _APP)


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
    return os.path.join(runtime if is_usable else private_dir(), f"{_APP}.sock")


def is_writable(path: str) -> bool:
    """Return whether a directory is writable, or can be created."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return os.path.isdir(path) and os.access(path, os.W_OK | os.X_OK)


def _private_name() -> str:
    return f"{_APP}-{os.geteuid()}" if hasattr(os, "geteuid") else _APP


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


LARGEST = 1 << 20
"""Maximum bytes of a settings file; a larger one was not written by a person."""
_MOST_STEPS = 2_000_000
"""Maximum steps of tomllib for dotted keys, for which it takes quadratic time: some tenths of a second."""


class SettingsFile:
    """A file's path, its bytes, and the keys of the settings table in it."""

    def __init__(self, path: str, data: bytes, table: tuple[str, ...]) -> None:
        self.path, self.data, self.table = path, data, table


class ForeignFile(Exception):  # noqa: N818 (not an error to report)
    """A project's file belongs to neither the user nor root."""


def read_user_file(_directory: str = "") -> SettingsFile | None:
    """Return the user's file, or None if there is none; it is the same in every directory."""
    path = settings_file()
    return SettingsFile(path, _read_checked(path), ()) if os.path.isfile(path) else None


def read_project_file(directory: str, foreign: list[str] | None = None) -> SettingsFile | None:
    """Return the nearest project file, upwards from ``directory``, or None.

    Skip files of other users, and add them to ``foreign``.
    """
    for folder in _list_parents(directory):
        path = os.path.join(folder, ".ctxkit.toml")
        if os.path.isfile(path):
            try:
                return SettingsFile(path, _read_checked(path, must_own=True), ())
            except ForeignFile:
                _add_foreign(foreign, path)
        path = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(path):
            data = _read_file(path)
            if b"ctxkit" not in data:
                continue
            if _is_foreign(path):
                _add_foreign(foreign, path)
            elif _has_our_table(check_size(path, data)):
                return SettingsFile(path, data, ("tool", "ctxkit"))
    return None


def _read_checked(path: str, *, must_own: bool = False) -> bytes:
    return check_size(path, _read_file(path, must_own=must_own))


def _has_our_table(data: bytes) -> bool:
    """Return whether a pyproject.toml has a table of ctxkit; True for a broken file, which is reported later."""
    try:
        tool = parse_toml(data).get("tool", {})
    except (ValueError, RecursionError):
        return True
    return not isinstance(tool, dict) or "ctxkit" in tool


@lru_cache(maxsize=2)
def parse_toml(data: bytes) -> dict[str, Any]:
    """Return the values of a TOML document; raise ValueError or RecursionError if it is invalid."""
    import tomllib

    return tomllib.loads(data.decode("utf-8-sig"))


def _add_foreign(foreign: list[str] | None, path: str) -> None:
    if foreign is not None:
        foreign.append(path)


def _list_parents(directory: str) -> Iterator[str]:
    """Yield a directory and its parents, up to the top of its repository or file system."""
    while True:
        yield directory
        above = os.path.dirname(directory)
        if above == directory or os.path.exists(os.path.join(directory, ".git")):
            return
        directory = above


_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):  # opening a pipe or a device must not block
    _FLAGS |= getattr(os, _name, 0)


def _read_file(path: str, *, must_own: bool = False) -> bytes:
    """Return the bytes of a regular file, at most one more than ``LARGEST``.

    Raise ForeignFile if the user ``must_own`` it and does not.
    """
    try:
        with open(os.open(path, _FLAGS), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise SettingsError(f"{path} is not a regular file")
            if must_own and (_is_others(status) or _is_foreign(path)):
                raise ForeignFile(path)
            return file.read(LARGEST + 1)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error


def _is_foreign(path: str) -> bool:
    """Return whether a file, or a link to it, belongs to neither the user nor root, or was removed."""
    try:
        return _is_others(os.lstat(path)) or _is_others(os.stat(path))
    except OSError:
        return True


def _is_others(status: os.stat_result) -> bool:
    user = getattr(os, "geteuid", None)
    return user is not None and status.st_uid not in (0, user())


def check_size(path: str, data: bytes) -> bytes:
    """Return the bytes of a settings file; raise SettingsError for too many bytes or parts of a key."""
    if len(data) > LARGEST:
        raise SettingsError(f"{path}: is larger than {LARGEST >> 10:,} KB")
    lines = data.split(b"\n")
    parts = max(line.count(b".") for line in lines)
    if parts * (parts + len(lines)) > _MOST_STEPS:
        raise SettingsError(f"{path}: has keys of too many parts")
    return data
