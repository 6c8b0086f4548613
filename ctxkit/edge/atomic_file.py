"""Write files atomically: other processes see the old file or the new one, never a part."""

import os
from collections.abc import Callable
from contextlib import suppress
from time import time

from ctxkit.core.errors import InputOutputError
from ctxkit.processes import may_have_written

ABANDONED = 3600.0
"""Seconds after which the temporary file of a dead process is removed."""


def write(path: str, data: bytes, confirm: Callable[[], None] | None = None) -> None:
    """Write a file atomically; keep the permissions of an existing file. Raise InputOutputError on failure.

    ``confirm`` is called right before the replacement, and may raise to keep the old file.
    """
    path = os.path.realpath(path)
    temporary = f"{path}.{os.getpid()}.new"
    try:
        remove_abandoned(path)
        mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o600
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(file, "wb") as out:
            out.write(data)
            out.flush()
            os.chmod(file if os.chmod in os.supports_fd else temporary, mode)
            os.fsync(file)
        if confirm:
            confirm()
        os.replace(temporary, path)
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from error
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def remove_abandoned(path: str) -> None:
    """Remove the temporary files of killed processes beside ``path``."""
    directory, name = os.path.split(path)
    with suppress(OSError):
        for entry in os.scandir(directory):
            number = entry.name.removeprefix(f"{name}.").removesuffix(".new")
            if entry.name == f"{name}.{number}.new" and number.isdecimal() and _is_abandoned(entry, int(number)):
                os.unlink(entry.path)


def _is_abandoned(entry: "os.DirEntry[str]", process: int) -> bool:
    """Return whether a temporary file is old and the process in its name is gone."""
    if not entry.is_file(follow_symlinks=False):
        return False
    modified = entry.stat(follow_symlinks=False).st_mtime
    return time() - modified >= ABANDONED and not may_have_written(process, modified)


def read(path: str) -> str:
    """Return the text of a file, "" if it does not exist. Raise InputOutputError."""
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from error
