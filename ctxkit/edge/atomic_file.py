"""Write files atomically: other processes see the old file or the new one, never a part."""

import os
from collections.abc import Callable

from ctxkit.core.errors import InputOutputError
from ctxkit.edge.rooted_path import OutsideRoot, open_rooted_path, remove_leftovers, replace_file


def write(path: str, data: bytes, confirm: Callable[[], None] | None = None) -> None:
    """Write a file atomically; keep the permissions of an existing file. Raise InputOutputError on failure.

    ``confirm`` is called right before the replacement, and may raise to keep the old file.
    """
    path = os.path.realpath(path)
    remove_leftovers_beside(path)
    try:
        with open_rooted_path(*os.path.split(path)) as place:
            replace_file(place, data, confirm, new_mode=0o600)
    except OutsideRoot as reason:
        raise InputOutputError(f"{path}: {reason}") from None
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from error


def remove_leftovers_beside(path: str) -> None:
    """Remove the temporary files of killed processes from the directory of a file."""
    remove_leftovers(os.path.dirname(os.path.realpath(path)))


def read(path: str) -> str:
    """Return the text of a file, "" if it does not exist. Raise InputOutputError."""
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from error
