"""Write files atomically: other processes see the old file or the new one, never a part."""

import os
from collections.abc import Callable
from contextlib import suppress
from time import time

from ctxkit.core.errors import InputOutputError
from ctxkit.core.lint.fixes.temporary import process_of
from ctxkit.edge.rooted_path import OutsideRoot, open_rooted_path, replace_file
from ctxkit.processes import may_have_written

ABANDONED = 3600.0
"""Seconds after which the temporary file of a dead process is removed."""


def write(path: str, data: bytes, confirm: Callable[[], None] | None = None) -> None:
    """Write a file atomically; keep the permissions of an existing file. Raise InputOutputError on failure.

    ``confirm`` is called right before the replacement, and may raise to keep the old file.
    """
    path = os.path.realpath(path)
    remove_abandoned(path)
    try:
        with open_rooted_path(*os.path.split(path)) as place:
            replace_file(place, data, confirm, new_mode=0o600)
    except OutsideRoot as reason:
        raise InputOutputError(f"{path}: {reason}") from None
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from error


def remove_abandoned(path: str) -> None:
    """Remove the temporary files of killed processes beside ``path``."""
    directory, name = os.path.split(path)
    with suppress(OSError):
        for entry in os.scandir(directory):
            process = _parse_process(entry.name, name)
            if process and _is_abandoned(entry, process):
                os.unlink(entry.path)


def _parse_process(temporary: str, name: str) -> int:
    """Return the process that wrote a temporary file, 0 for another file; some versions named it after the file."""
    number = temporary.removeprefix(f"{name}.").removesuffix(".new")
    if temporary == f"{name}.{number}.new" and number.isdecimal():
        return int(number)
    return process_of(temporary)


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
