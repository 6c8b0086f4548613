"""Give warnings once, by recording them in the data directory if possible, and ask the user for consent."""

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.escapes import escape_line
from ctxkit.edge import say

if TYPE_CHECKING:
    from ctxkit.system.own_files import StoreFolder

FOLDER = "notices"
MOST = 500
"""Maximum number of recorded warnings; the oldest are removed first."""
HOUR = 3600.0
EVER = float("inf")


class Notice(NamedTuple):
    """A warning, what it is about, and a hint; ``suffix`` returns the end of the line, which is not recorded."""

    message: str
    about: bytes = b""
    hint: str = ""
    suffix: Callable[[], str] = str


def warn_once(notice: Notice, directory: str, seconds: float = EVER) -> None:
    """Warn, unless the same message was given about the same subject within ``seconds``.

    A warning that cannot be recorded is repeated.
    """
    record = f"{notice.message}\0".encode("utf-8", "replace") + notice.about
    if say.is_quiet() or not _is_new(record, directory, seconds):
        return
    say.warn(notice.message + notice.suffix())
    if notice.hint:
        say.say(f"  hint: {notice.hint}")


def _is_new(notice: bytes, directory: str, seconds: float) -> bool:
    """Return whether a notice is not recorded, and record it."""
    from ctxkit.system.own_files import open_folder

    try:
        with open_folder(directory, FOLDER, make=True, restrict=True) as folder:
            return _record(folder, _name_file(notice), seconds)
    except OSError:
        return True


def _record(folder: "StoreFolder", name: str, seconds: float) -> bool:
    """Record a notice in a file of that name; return False if it was recorded within ``seconds``. Raise OSError."""
    state = folder.stat(name)
    if state is not None:
        if time.time() - state.st_mtime < seconds:
            return False
        folder.touch(name, (time.time_ns(), time.time_ns()))
        return True
    try:
        os.close(folder.create(name))
    except FileExistsError:  # another process has just created it, or it is no file
        return folder.stat(name) is None
    _forget_oldest(folder)
    return True


def _forget_oldest(folder: "StoreFolder") -> None:
    states = [(state.st_mtime, name) for name in folder.list_names() if (state := folder.stat(name))]
    for _, name in sorted(states)[: max(len(states) - MOST, 0)]:
        folder.remove(name)


def _name_file(notice: bytes) -> str:
    """Return the file name of a notice; importing hashlib would cost 5 ms."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return str(blake2b(notice, digest_size=16).hexdigest())


def is_terminal() -> bool:
    """Return whether a question can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()


def ask(question: str) -> bool:
    """Return whether the user answers yes on the terminal."""
    print(f"ctxkit: {escape_line(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
