"""What git remembers of paths that are gone, and what it ignores."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from ctxkit.core.lint.workspace import Past

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.lint.workspace import History

SECONDS = 60
"""How long git may take to answer."""


def _run(root: str, *arguments: str) -> bytes | None:
    """Return what git prints, or None when it fails."""
    import subprocess

    try:
        done = subprocess.run(
            ["git", "-C", root, *arguments], capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def history(root: str) -> History:
    """Return a lookup of paths that once were in the repository; it is read when the first is asked for."""

    @cache
    def gone() -> dict[str, Past]:
        return removed(root)

    return lambda path: gone().get(path)


def removed(root: str) -> dict[str, Past]:
    """Return the files and directories that commits removed or renamed, with the newest removal of each."""
    out = _run(
        root,
        *("log", "--no-color", "--no-merges", "-M", "--diff-filter=DR", "--name-status", "-z", "--relative"),
        "--format=%x01%h%x02%cs",
    )
    found: dict[str, Past] = {}
    commit = date = ""
    parts = iter((out or b"").split(b"\0"))
    for part in parts:
        word = part.lstrip(b"\n")
        if word.startswith(b"\x01"):
            commit, _, date = word[1:].decode("ascii", "replace").partition("\x02")
            date = date.strip()
        elif word[:1] == b"D":
            _note(found, next(parts, b""), Past(commit, date))
        elif word[:1] == b"R":
            old, new = next(parts, b""), next(parts, b"")
            _note(found, old, Past(commit, date, os.fsdecode(new)))
    return found


def _note(found: dict[str, Past], name: bytes, past: Past) -> None:
    """Remember a removal, of the file and of the directories that held it; the first one told is the newest."""
    path = os.fsdecode(name)
    found.setdefault(path, past)
    parent = os.path.dirname(path)
    while parent:
        found.setdefault(parent, past._replace(renamed_to=""))
        parent = os.path.dirname(parent)


def ignored(root: str) -> Callable[[str], bool]:
    """Return a question: does git ignore a path?"""

    @cache
    def ask(path: str) -> bool:
        return bool(path) and not path.startswith("..") and _run(root, "check-ignore", "-q", "--", path) is not None

    return ask
