"""Give warnings once, by recording them in the data directory if possible."""

import os
import time
from collections.abc import Callable
from contextlib import suppress

from ctxkit.edge import say

FOLDER = "notices"
MOST = 500
"""Maximum number of recorded warnings; the oldest are removed first."""
HOUR = 3600.0
EVER = float("inf")


def warn_once(
    message: str,
    about: bytes,
    directory: str,
    seconds: float = EVER,
    hint: str = "",
    suffix: Callable[[], str] = str,
) -> None:
    """Warn, unless the same message was given ``about`` the same subject within ``seconds``.

    A warning that cannot be recorded is repeated. ``suffix`` returns the end of the line, which is not recorded.
    """
    if say.is_quiet() or not _is_new(f"{message}\0".encode("utf-8", "replace") + about, directory, seconds):
        return
    say.warn(message + suffix())
    if hint:
        say.say(f"  hint: {hint}")


def _is_new(notice: bytes, directory: str, seconds: float) -> bool:
    """Return whether a notice is not recorded, and record it."""
    folder = os.path.join(directory, FOLDER)
    path = os.path.join(folder, _name_file(notice))
    try:
        if time.time() - os.lstat(path).st_mtime < seconds:
            return False
        os.utime(path, follow_symlinks=False)
    except OSError:
        return _remember(path, folder)
    return True


def _remember(path: str, folder: str) -> bool:
    """Create an empty file as a record; return False if another process has just created it."""
    with suppress(OSError):
        above = os.path.dirname(folder)
        os.makedirs(os.path.dirname(above), exist_ok=True)
        for private in (above, folder):
            with suppress(FileExistsError):
                os.mkdir(private, 0o700)
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            return False
        _forget_oldest(folder)
    return True


def _forget_oldest(folder: str) -> None:
    with os.scandir(folder) as entries:
        notes = [(entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in entries]
    for _, path in sorted(notes)[: max(len(notes) - MOST, 0)]:
        with suppress(OSError):
            os.unlink(path)


def _name_file(notice: bytes) -> str:
    """Return the file name of a notice; importing hashlib would cost 5 ms."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return str(blake2b(notice, digest_size=16).hexdigest())
