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


def _run(root: str, *arguments: str) -> tuple[bytes, bool]:
    """Return what git prints, and whether that is all: it may fail, or be too slow, behind the first half.

    What a partial clone lacks is not fetched.
    """
    import subprocess

    try:
        done = subprocess.run(
            ["git", "-C", root, *arguments],
            capture_output=True,
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"},
        )
    except subprocess.TimeoutExpired as error:
        return error.stdout or b"", False
    except (OSError, subprocess.SubprocessError):
        return b"", False
    return done.stdout, done.returncode == 0


def history(root: str) -> History:
    """Return a lookup of paths that once were in the repository; it is read when the first is asked for.

    What was moved more than once is followed to where it is now, or to where it was removed.
    """

    @cache
    def gone() -> dict[str, Past]:
        return removed(root)

    def latest(path: str) -> Past | None:
        """Return what became of a path in the end, through all its names."""
        past, seen = gone().get(path), {path}
        while past and past.renamed_to in gone() and past.renamed_to not in seen:
            if os.path.lexists(os.path.join(root, past.renamed_to)):
                break
            seen.add(past.renamed_to)
            past = gone()[past.renamed_to]
        return past

    return latest


def removed(root: str) -> dict[str, Past]:
    """Return the files and directories that commits removed or renamed, with the newest removal of each.

    To tell a move from a removal git has to read the files; where a clone lacks some of them, what it cannot say
    about moves is told as removals.
    """
    found: dict[str, Past] = {}
    for moves in ("-M", "--no-renames"):
        out, whole = _run(
            root,
            *("log", "--no-color", "--no-merges", moves, "--diff-filter=DR", "--name-status", "-z", "--relative"),
            "--format=%x01%h%x02%cs",
        )
        _read(out, found)
        if whole:
            break
    return found


def _read(out: bytes, found: dict[str, Past]) -> None:
    """Add what a log tells, newest first, to what is known."""
    commit = date = ""
    parts = iter(out.split(b"\0"))
    for part in parts:
        word = part.lstrip(b"\n")
        if word.startswith(b"\x01"):
            commit, _, date = word[1:].decode("ascii", "replace").partition("\x02")
            date = date.strip()
        elif word[:1] == b"D":
            _note(found, next(parts, b""), Past(commit, date))
        elif word[:1] == b"R":
            old, new = next(parts, b""), next(parts, b"")
            if new:
                _note(found, old, Past(commit, date, os.fsdecode(new)))


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
        return bool(path) and not path.startswith("..") and _run(root, "check-ignore", "-q", "--", path)[1]

    return ask
