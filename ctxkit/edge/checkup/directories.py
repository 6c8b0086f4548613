"""Check the directories that ctxkit writes to, and the directory of its settings."""

import os
from collections.abc import Iterator

from ctxkit.core.checkup import Check
from ctxkit.core.text.quantity import format_size
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import user_dirs
from ctxkit.edge.settings import Settings
from ctxkit.system import file_locks

TOPIC = "directories"
SCARCE = 100 << 20
"""Bytes of free space below which storing content may soon fail."""


def checks(settings: Settings) -> Iterator[Check]:
    """Yield whether each directory is usable, its permissions, and its free space."""
    for name, path in (
        ("cache", settings["cache_dir"] or user_dirs.cache_dir()),
        ("data", settings["data_dir"] or user_dirs.data_dir()),
    ):
        yield _check_writable(name, path, f"set CTXKIT_{name.upper()}_DIR to a directory of yours")
    yield _check_readable(os.path.dirname(user_dirs.settings_file()))


def _check_writable(name: str, path: str, remedy: str) -> Check:
    existing = _find_existing_parent(path)
    if hint := user_dirs.find_home_hint(path):
        return Check(TOPIC, name, "there is no home directory", "bad", hint.partition(": ")[2])
    if not os.path.isdir(existing):
        return Check(TOPIC, name, f"{path}: {existing} is not a directory", "bad", remedy)
    if not os.access(existing, os.W_OK | os.X_OK):
        return Check(TOPIC, name, f"{path}: cannot be written", "bad", remedy)
    free = _count_free_bytes(existing)
    space = f"{format_size(free)} free"
    if free < SCARCE:
        return Check(TOPIC, name, f"{path}: only {space}", "bad", f"free some space, or {remedy}")
    if existing != path:
        return Check(TOPIC, name, f"{path}: created when it is needed, {space}")
    if file_locks.lacks_locks(path):
        return Check(TOPIC, name, f"{path}: {file_locks.MISSING}", "bad", remedy)
    mode = os.stat(path).st_mode & 0o777
    if mode & 0o022:
        message = f"{path}: others can write to it (mode {mode:04o}), {space}"
        return Check(TOPIC, name, message, "bad", f"chmod 700 {quote_path(path)}")
    return Check(TOPIC, name, f"{path}: mode {mode:04o}, {space}")


def _check_readable(path: str) -> Check:
    if not os.path.isdir(path):
        return Check(TOPIC, "config", f"{path}: does not exist, and nothing needs it")
    if not os.access(path, os.R_OK | os.X_OK):
        return Check(TOPIC, "config", f"{path}: cannot be read", "bad", f"chmod 700 {quote_path(path)}")
    return Check(TOPIC, "config", path)


def _find_existing_parent(path: str) -> str:
    """Return a path, or its nearest parent that exists."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path or os.curdir


def _count_free_bytes(path: str) -> int:
    """Return the bytes that are free for this user."""
    import shutil

    return shutil.disk_usage(path).free
