"""Ask git for removed paths and for ignored paths."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from weakref import finalize

from ctxkit.core.lint.document.workspace import RemovedPath
from ctxkit.engines.workspace.git_process import CHUNK, Git, end_process, kill_at

if TYPE_CHECKING:
    from subprocess import Popen


LOG_BYTES = 16 << 20
"""Maximum bytes of the log: 200,000 removals, more than in any large repository."""


MAX_COMMITS = 50_000
"""Maximum commits that are read, the newest: the time that git takes must not decide what is found."""


class RemovalHistory:
    """Returns the removal of a path; the first call reads the log."""

    def __init__(self, git: Git, root: str) -> None:
        self._git, self._root = git, root
        self._removals: dict[str, RemovedPath] | None = None
        self._problem = ""

    def __call__(self, path: str) -> RemovedPath | None:
        """Return the final removal or renaming of a path, through all its renames."""
        removals = self._load()
        past, seen = removals.get(path), {path}
        while past and past.renamed_to in removals and past.renamed_to not in seen:
            if os.path.lexists(os.path.join(self._root, past.renamed_to)):
                break
            seen.add(past.renamed_to)
            past = removals[past.renamed_to]
        return past

    def find_problem(self) -> str:
        """Return why the history is not known as a whole, "" if it is."""
        self._load()
        return self._problem

    def _load(self) -> dict[str, RemovedPath]:
        """Return the removed paths; none if git did not end, so that two runs never find different ones."""
        if self._removals is None:
            self._removals, complete = read_removals(self._git)
            if not complete:
                self._removals, self._problem = {}, "the history could not be read"
            elif self._git.run("rev-parse", "--is-shallow-repository").data.strip() == b"true":
                self._problem = "the clone is shallow"
        return self._removals


def read_removals(git: Git) -> tuple[dict[str, RemovedPath], bool]:
    """Return the files and directories that commits removed or renamed, with the newest removal of each.

    The second value is false if git did not print the whole log. Git needs the files' contents to detect renames. If a
    clone lacks some, report the renames that git cannot detect as removals.
    """
    removals: dict[str, RemovedPath] = {}
    oldest = git.run("log", "--format=%H", "--max-count=1", f"--skip={MAX_COMMITS}").data.strip()
    since = (f"{oldest.decode('ascii', 'replace')}..HEAD",) if oldest else ()
    for moves in ("-M", "--no-renames"):
        options = ("--no-color", "--no-merges", moves, "--diff-filter=DR", "--name-status", "-z", "--relative")
        output = git.run("log", *options, "--format=%x01%h%x02%cs", *since, limit=LOG_BYTES)
        _parse_log(output.data[: output.data.rfind(b"\0") + 1], removals)  # drop a truncated path
        if output.complete:
            return removals, True
    return removals, len(output.data) == LOG_BYTES


def _parse_log(out: bytes, removals: dict[str, RemovedPath]) -> None:
    """Add the removals of a log, newest first."""
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
    """Add a removal of a file and of its directories; the first one added is the newest, and stays."""
    path = os.fsdecode(name)
    removals.setdefault(path, past)
    parent = os.path.dirname(path)
    while parent:
        removals.setdefault(parent, past._replace(renamed_to=""))
        parent = os.path.dirname(parent)


class IgnoredPaths:
    """Returns whether git ignores a path; one git process answers all questions."""

    def __init__(self, git: Git, root: str) -> None:
        self._git = git
        self._root = root
        self._starts = 0
        self._link_flags: dict[str, bool] = {"": False}
        self._process: Popen[bytes] | None = None
        self._answers: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        """Return whether git ignores a path in the workspace; False if git cannot answer."""
        if path not in self._answers:
            is_answerable = _is_inside(path) and not self._is_linked(os.path.dirname(path.rstrip("/")))
            self._answers[path] = is_answerable and self._ask(os.fsencode(path))
        return self._answers[path]

    def _is_linked(self, directory: str) -> bool:
        """Return whether a directory or a parent is a link: git ends at a path behind a link."""
        if directory not in self._link_flags:
            above = self._is_linked(os.path.dirname(directory)) if directory.count("/") < DEEPEST else True
            self._link_flags[directory] = above or os.path.islink(os.path.join(self._root, directory))
        return self._link_flags[directory]

    def _ask(self, path: bytes) -> bool:
        """Return git's answer for one path; if the process has ended, return False and start another next time."""
        process = self._process or self._start()
        if process is None:
            return False
        assert process.stdin is not None
        try:
            process.stdin.write(b"./" + path + b"\0")  # git would interpret a leading colon
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
"""Maximum depth of a path that git is asked about."""
MOST_STARTS = 1000
"""Maximum number of processes, 3 ms each: a process ends at each path inside a submodule."""
PATH_BYTES = 4096
"""Maximum bytes of a path on any system."""
FIELDS = 4
"""Fields of an answer: the file with the pattern, its line number, the pattern, the path."""


def _read_fields(process: Popen[bytes]) -> list[bytes]:
    """Return the fields of the next answer, fewer if the process has ended."""
    assert process.stdout is not None
    answer = b""
    while answer.count(b"\0") < FIELDS and (chunk := process.stdout.read(CHUNK)):
        answer += chunk
    return answer.split(b"\0")[:-1]


def _is_inside(path: str) -> bool:
    """Return whether git can be asked about a path: relative, not too long, without NUL and broken characters."""
    try:
        length = len(os.fsencode(path))
    except UnicodeEncodeError:
        return False
    return 0 < length <= PATH_BYTES and not path.startswith(("..", "/")) and "\0" not in path
