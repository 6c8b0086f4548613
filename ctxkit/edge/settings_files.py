"""Find and read the settings files: the user's, and that of a project."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ctxkit.core.errors import SettingsError
from ctxkit.edge import user_dirs

LARGEST = 1 << 20
"""Maximum bytes of a settings file; a larger one was not written by a person."""

MOST_STEPS = 2_000_000
"""Maximum steps of tomllib for dotted keys, for which it takes quadratic time: some tenths of a second."""


class SettingsFile:
    """A file's path, its bytes, and the keys of the settings table in it."""

    def __init__(self, path: str, data: bytes, table: tuple[str, ...]) -> None:
        self.path, self.data, self.table = path, data, table


class ForeignFile(Exception):  # noqa: N818 (not an error to report)
    """A project's file belongs to neither the user nor root."""


def read_user_file(_directory: str = "") -> SettingsFile | None:
    """Return the user's file, or None if there is none; it is the same in every directory."""
    path = user_dirs.settings_file()
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
    if parts * (parts + len(lines)) > MOST_STEPS:
        raise SettingsError(f"{path}: has keys of too many parts")
    return data
