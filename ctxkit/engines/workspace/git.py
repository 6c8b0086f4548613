"""What git remembers of paths that are gone, and what it ignores."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING
from weakref import finalize

from ctxkit.core.lint.document.workspace import RemovedPath
from ctxkit.engines.workspace.git_process import CHUNK, Git, end_process, kill_at

if TYPE_CHECKING:
    from subprocess import Popen

    from ctxkit.core.lint.document.workspace import PathHistory

LOG_BYTES = 16 << 20
"""Bytes of the log that are read: 200,000 removals, more than any large repository has."""


def make_history(git: Git, root: str) -> PathHistory:
    """Return a lookup of paths that once were in the repository; it is read when the first is asked for.

    What was moved more than once is followed to where it is now, or to where it was removed.
    """

    @cache
    def load_removals() -> dict[str, RemovedPath]:
        return read_removals(git)

    def find_latest(path: str) -> RemovedPath | None:
        """Return what became of a path in the end, through all its names."""
        past, seen = load_removals().get(path), {path}
        while past and past.renamed_to in load_removals() and past.renamed_to not in seen:
            if os.path.lexists(os.path.join(root, past.renamed_to)):
                break
            seen.add(past.renamed_to)
            past = load_removals()[past.renamed_to]
        return past

    return find_latest


def read_removals(git: Git) -> dict[str, RemovedPath]:
    """Return the files and directories that commits removed or renamed, with the newest removal of each.

    To tell a move from a removal git has to read the files; where a clone lacks some of them, what it cannot say
    about moves is told as removals.
    """
    removals: dict[str, RemovedPath] = {}
    for moves in ("-M", "--no-renames"):
        options = ("--no-color", "--no-merges", moves, "--diff-filter=DR", "--name-status", "-z", "--relative")
        output = git.run("log", *options, "--format=%x01%h%x02%cs", limit=LOG_BYTES)
        _parse_log(output.data[: output.data.rfind(b"\0") + 1], removals)  # a path that was cut off is not read
        if output.complete:
            break
    return removals


def _parse_log(out: bytes, removals: dict[str, RemovedPath]) -> None:
    """Add what a log tells, newest first, to what is known."""
    commit = date = ""
    parts = iter(out.split(b"\0"))
    for part in parts:
        word = part.lstrip(b"\n")
        if word.startswith(b"\x01"):
            commit, _, date = word[1:].decode("ascii", "replace").partition("\x02")
            date = date.strip()
        elif word[:1] == b"D":
            _add_removal(removals, next(parts, b""), RemovedPath(commit, date))
        elif word[:1] == b"R":
            old, new = next(parts, b""), next(parts, b"")
            if new:
                _add_removal(removals, old, RemovedPath(commit, date, os.fsdecode(new)))


def _add_removal(removals: dict[str, RemovedPath], name: bytes, past: RemovedPath) -> None:
    """Remember a removal, of the file and of the directories that held it; the first one told is the newest."""
    path = os.fsdecode(name)
    removals.setdefault(path, past)
    parent = os.path.dirname(path)
    while parent:
        removals.setdefault(parent, past._replace(renamed_to=""))
        parent = os.path.dirname(parent)


class IgnoredPaths:
    """Answer whether git ignores a path; one process answers all questions."""

    def __init__(self, git: Git, root: str) -> None:
        self._git = git
        self._root = root
        self._starts = 0
        self._link_flags: dict[str, bool] = {"": False}
        self._process: Popen[bytes] | None = None
        self._answers: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        """Return whether git ignores a path in the workspace; one that git cannot answer for is not ignored."""
        if path not in self._answers:
            is_answerable = _is_inside(path) and not self._is_linked(os.path.dirname(path.rstrip("/")))
            self._answers[path] = is_answerable and self._ask(os.fsencode(path))
        return self._answers[path]

    def _is_linked(self, directory: str) -> bool:
        """Return whether a directory, or one above it, is a link: git answers for nothing behind it, and ends."""
        if directory not in self._link_flags:
            above = self._is_linked(os.path.dirname(directory)) if directory.count("/") < DEEPEST else True
            self._link_flags[directory] = above or os.path.islink(os.path.join(self._root, directory))
        return self._link_flags[directory]

    def _ask(self, path: bytes) -> bool:
        """Put one question; a process that cannot answer it has ended, and the next question starts another."""
        process = self._process or self._start()
        if process is None:
            return False
        assert process.stdin is not None
        try:
            process.stdin.write(b"./" + path + b"\0")  # a leading colon would be an instruction to git
            fields = _read_fields(process)
        except OSError:
            fields = []
        if len(fields) < FIELDS:
            self._process = None
            self._stop()
            return False
        source, _line, pattern, _path = fields
        return bool(source) and not pattern.startswith(b"!")

    def _start(self) -> Popen[bytes] | None:
        if self._starts >= MOST_STARTS:
            return None
        self._starts += 1
        self._process = self._git.start("check-ignore", "--stdin", "-z", "--verbose", "--non-matching", piped=True)
        if self._process is not None:
            self._stop = finalize(self, end_process, self._process, kill_at(self._process, self._git.deadline))
        return self._process


DEEPEST = 100
"""Directories in a path that git is asked about."""
MOST_STARTS = 1000
"""Processes that are started, 3 ms each: one ends at each path that lies in a submodule."""
PATH_BYTES = 4096
"""Bytes of the longest path that any system opens."""
FIELDS = 4
"""Fields of an answer: the file with the pattern, its line there, the pattern, the path."""


def _read_fields(process: Popen[bytes]) -> list[bytes]:
    """Return the fields of the next answer, fewer if the process has ended."""
    assert process.stdout is not None
    answer = b""
    while answer.count(b"\0") < FIELDS and (chunk := process.stdout.read(CHUNK)):
        answer += chunk
    return answer.split(b"\0")[:-1]


def _is_inside(path: str) -> bool:
    """Return whether a path can be asked for: relative, not too long, without NUL and broken characters."""
    try:
        length = len(os.fsencode(path))
    except UnicodeEncodeError:
        return False
    return 0 < length <= PATH_BYTES and not path.startswith(("..", "/")) and "\0" not in path
