"""Ask git for removed and for ignored paths, so that the configuration of a repository executes nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from select import select
from threading import Timer
from time import monotonic
from typing import IO, TYPE_CHECKING, NamedTuple
from weakref import finalize

from ctxkit.core.lint.document.workspace import RemovedPath

if TYPE_CHECKING:
    from subprocess import Popen

SUBCOMMANDS = frozenset(("ls-files", "log", "check-ignore", "cat-file", "rev-parse"))
"""Subcommands that run no filter of the repository; status, diff and add do."""
SECONDS = 12.0
"""Maximum seconds that all calls for one workspace wait for git; what is done between them does not count.

Git opens files that the repository names, such as .gitignore and core.excludesFile, and waits forever if one is a pipe.
"""
BYTES = 64 << 20
"""Maximum bytes of output of one call: about 800,000 paths."""
CHUNK = 1 << 16
_CONFIG = (
    "core.fsmonitor=false",  # a program that ls-files runs
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",  # the four ways to reach a remote: nothing is fetched anyway
    "core.gitProxy=",
    "core.askPass=",
    "credential.helper=",
    "protocol.allow=never",
    "safe.bareRepository=explicit",  # a folder that looks like a bare repository is no repository
    "submodule.recurse=false",
    "log.showSignature=false",  # runs gpg.program
    "log.mailmap=false",
    "diff.renameLimit=1000",
    "gc.auto=0",
    "maintenance.auto=false",
)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # beats protocol.NAME.allow, which beats protocol.allow
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_PAGER": "cat",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
}
_KEPT = frozenset(("GIT_CEILING_DIRECTORIES",))
"""The only variable of git that is passed on: it makes git search fewer directories."""
_FORBIDDEN = ("--ext-diff", "--textconv", "--filters", "--show-signature", "--recurse-submodules", "--output")
_LOG = ("--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-notes", "--submodule=short", "-O/dev/null")


class GitOutput(NamedTuple):
    """The output of git; ``complete`` if git ended by itself with status 0."""

    data: bytes
    complete: bool


class Git:
    """Runs git in one directory; the waiting of all calls together is limited."""

    def __init__(self, root: str, seconds: float = SECONDS) -> None:
        self._root = root
        self.seconds = seconds
        self._waited = 0.0

    def is_late(self) -> bool:
        """Return whether no time is left."""
        return self._waited >= self.seconds

    @contextmanager
    def wait(self) -> Iterator[float]:
        """Count the time of a block as waiting; give the seconds that are left for it."""
        begin = monotonic()
        try:
            yield max(self.seconds - self._waited, 0.0)
        finally:
            self._waited += monotonic() - begin

    def run(self, subcommand: str, *arguments: str, limit: int = BYTES) -> GitOutput:
        """Return the output of a subcommand, cut off at the limit of bytes or time.

        Raise ValueError for a subcommand or an option that is not allowed.
        """
        with self.wait() as left:
            process = self.start(subcommand, *arguments)
            if process is None:
                return GitOutput(b"", False)
            timer = _kill_after(process, left)
            try:
                data = b"".join(_read_output(process, limit))
                complete = len(data) <= limit and process.wait() == 0
            finally:
                _stop_timer(timer)
                _end_process(process)
        return GitOutput(data[:limit], complete)

    def start(self, subcommand: str, *arguments: str, piped: bool = False) -> Popen[bytes] | None:
        """Start a subcommand in its own process group; return None if git is not installed or no time is left."""
        import subprocess

        words = command_line(self._root, subcommand, *arguments)
        if words is None or self.is_late():
            return None
        try:
            return subprocess.Popen(
                words,
                stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=make_environment(),
                start_new_session=True,
                bufsize=0,
            )
        except (OSError, ValueError):
            return None

    def is_worktree(self) -> bool:
        """Return whether git's work tree contains the directory: core.worktree may name any other."""
        output = self.run("rev-parse", "--show-toplevel")
        top = os.path.realpath(os.fsdecode(output.data.removesuffix(b"\n")))
        root = os.path.realpath(self._root)
        return output.complete and (root == top or root.startswith(os.path.join(top, "")))


_LOG_BYTES = 16 << 20
"""Maximum bytes of the log: 200,000 removals, more than in any large repository."""
MAX_COMMITS = 50_000
"""Maximum commits that are read, the newest: the time that git takes must not decide what is found."""
MAX_SEPARATE_COMMITS = 50
"""Maximum commits whose renames are asked for one by one, some milliseconds each; then all commits are read."""


class RemovalHistory:
    """Returns the removal of a path; the first call reads the log.

    The log names no renames: git compares contents to detect them, which costs half of its time, and only the commits
    that removed the paths asked for matter.
    """

    def __init__(self, git: Git, root: str) -> None:
        self._git, self._root = git, root
        self._removals: dict[str, RemovedPath] | None = None
        self._renames: dict[str, dict[str, str]] = {}
        self._problem = ""
        self._paths_by_name: dict[str, list[str]] = {}

    def __call__(self, path: str) -> RemovedPath | None:
        """Return the final removal or renaming of a path, through all its renames."""
        past, seen = self._find(path), {path}
        while past and past.renamed_to not in seen:
            following = self._find(past.renamed_to)
            if following is None or os.path.lexists(os.path.join(self._root, past.renamed_to)):
                break
            seen.add(past.renamed_to)
            past = following
        return past

    def list_named(self, name: str) -> list[str]:
        """Return the removed files and directories that have a name, in any case, sorted."""
        if not self._paths_by_name:
            for path in sorted(self._load()):
                self._paths_by_name.setdefault(path.rsplit("/", 1)[-1].lower(), []).append(path)
        return self._paths_by_name.get(name.lower(), [])

    def find_problem(self) -> str:
        """Return why the history is not known as a whole, "" if it is."""
        self._load()
        return self._problem

    def _find(self, path: str) -> RemovedPath | None:
        """Return the newest removal of a path, with its new name if that commit renamed it."""
        past = self._load().get(path)
        return past and past._replace(renamed_to=self._list_renames(past.commit).get(path, ""))

    def _list_renames(self, commit: str) -> dict[str, str]:
        """Return the new paths of the files that a commit renamed, by their old ones."""
        if commit not in self._renames and len(self._renames) <= MAX_SEPARATE_COMMITS:
            is_last = len(self._renames) == MAX_SEPARATE_COMMITS
            revisions = _list_revisions(self._git) if is_last else ("--no-walk", commit)
            self._renames = {**_read_renames(self._git, *revisions), **self._renames}
            self._renames.setdefault(commit, {})
        return self._renames.get(commit, {})

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

    The second value is false if git did not print the whole log.
    """
    removals: dict[str, RemovedPath] = {}
    output = _run_log(git, "--no-renames", "--diff-filter=D", *_list_revisions(git))
    past = RemovedPath("", "")
    parts = _split_log(output)
    for part in parts:
        if part.startswith(b"\x01"):
            commit, _, date = part[1:].decode("ascii", "replace").partition("\x02")
            past = RemovedPath(commit, date.strip())
        elif part[:1] == b"D":
            _add_removal(removals, os.fsdecode(next(parts, b"")), past)
    return removals, output.complete or len(output.data) == _LOG_BYTES


def _read_renames(git: Git, *revisions: str) -> dict[str, dict[str, str]]:
    """Return the new paths of renamed files by their old ones, by commit; none from where git lacks contents."""
    renames: dict[str, dict[str, str]] = {}
    commit = ""
    parts = _split_log(_run_log(git, "-M", "--diff-filter=R", *revisions))
    for part in parts:
        if part.startswith(b"\x01"):
            commit = part[1:].decode("ascii", "replace").partition("\x02")[0]
        elif part[:1] == b"R":
            old, new = next(parts, b""), next(parts, b"")
            if new:
                renames.setdefault(commit, {})[os.fsdecode(old)] = os.fsdecode(new)
    return renames


def _list_revisions(git: Git) -> tuple[str, ...]:
    """Return the words that limit a log to the newest commits."""
    oldest = git.run("log", "--format=%H", "--max-count=1", f"--skip={MAX_COMMITS}").data.strip()
    return (f"{oldest.decode('ascii', 'replace')}..HEAD",) if oldest else ()


def _run_log(git: Git, *options: str) -> GitOutput:
    """Return the commits, newest first, with the kinds and the paths of the changes that the options select."""
    fixed = ("--no-color", "--no-merges", "--name-status", "-z", "--relative", "--format=%x01%h%x02%cs")
    return git.run("log", *fixed, *options, limit=_LOG_BYTES)


def _split_log(output: GitOutput) -> Iterator[bytes]:
    """Yield the fields of a log, without a last one that was cut off."""
    return (part.lstrip(b"\n") for part in output.data[: output.data.rfind(b"\0") + 1].split(b"\0"))


def _add_removal(removals: dict[str, RemovedPath], path: str, past: RemovedPath) -> None:
    """Add a removal of a file and of its directories; the first one added is the newest, and stays."""
    while path and path not in removals:  # a path that is known has its directories
        removals[path] = past
        path = path.rpartition("/")[0]


class IgnoredPaths:
    """Returns whether git ignores a path, or leaves it to a submodule; one git process answers all questions.

    Of ``modules``, the directories of submodules, nobody can say which files they have: often they are not checked out.
    """

    def __init__(self, git: Git, root: str, modules: Sequence[str] = ()) -> None:
        self._git = git
        self._root = root
        self._modules = tuple(f"{module}/" for module in modules)
        self._starts = 0
        self._link_flags: dict[str, bool] = {"": False}
        self._process: Popen[bytes] | None = None
        self._answers: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        """Return whether git ignores a path in the workspace; False if git cannot answer."""
        if path.startswith(self._modules):
            return True
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
        with self._git.wait() as left:
            try:
                process.stdin.write(b"./" + path + b"\0")  # git would interpret a leading colon
                fields = _read_fields(process, left)
            except OSError:
                fields = []
        if len(fields) < _FIELDS:
            self._process = None
            self._stop()
            return False
        source, _line, pattern, _path = fields
        return bool(source) and not pattern.startswith(b"!")

    def _start(self) -> Popen[bytes] | None:
        if self._starts >= _MOST_STARTS:
            return None
        self._starts += 1
        self._process = self._git.start("check-ignore", "--stdin", "-z", "--verbose", "--non-matching", piped=True)
        if self._process is not None:
            self._stop = finalize(self, _end_process, self._process)
        return self._process


DEEPEST = 100
"""Maximum depth of a path that git is asked about."""
_MOST_STARTS = 1000
"""Maximum number of processes, 3 ms each: a process ends at each path inside a submodule."""
_PATH_BYTES = 4096
"""Maximum bytes of a path on any system."""
_FIELDS = 4
"""Fields of an answer: the file with the pattern, its line number, the pattern, the path."""


def _read_fields(process: Popen[bytes], seconds: float) -> list[bytes]:
    """Return the fields of the next answer, fewer if the process has ended or does not answer in time."""
    assert process.stdout is not None
    answer, deadline = b"", monotonic() + seconds
    while answer.count(b"\0") < _FIELDS and _is_readable(process.stdout, deadline - monotonic()):
        chunk = process.stdout.read(CHUNK)
        if not chunk:
            break
        answer += chunk
    return answer.split(b"\0")[:-1]


def _is_inside(path: str) -> bool:
    """Return whether git can be asked about a path: relative, not too long, without NUL and broken characters."""
    try:
        length = len(os.fsencode(path))
    except UnicodeEncodeError:
        return False
    return 0 < length <= _PATH_BYTES and not path.startswith(("..", "/")) and "\0" not in path


def command_line(root: str, subcommand: str, *arguments: str) -> list[str] | None:
    """Return the words of a call, or None if git is not installed; raise ValueError if it is not allowed."""
    if subcommand not in SUBCOMMANDS:
        raise ValueError(f"git {subcommand} is not allowed: it may run programs that the repository names")
    if any(word.startswith(_FORBIDDEN) for word in arguments):
        raise ValueError(f"git {subcommand} {' '.join(arguments)} is not allowed: it may run or write")
    git = find_git()
    if git is None:
        return None
    config = [word for setting in _CONFIG for word in ("-c", setting)]
    fixed = _LOG if subcommand == "log" else ()
    return [git, "--no-pager", *config, "-C", root, subcommand, *fixed, *arguments]


def find_git() -> str | None:
    """Return the path of git in the absolute directories of PATH; a relative one may be in the repository."""
    names = ("git.exe", "git.cmd") if os.name == "nt" else ("git",)
    for directory in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for name in names if os.path.isabs(directory) else ():
            path = os.path.join(directory, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None


def make_environment() -> dict[str, str]:
    """Return the environment for git: this process's variables without git's own, except the one that limits it."""
    return {
        **{name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_") or name in _KEPT},
        **_ENVIRONMENT,
    }


def _kill_after(process: Popen[bytes], seconds: float) -> Timer:
    """Return a running timer that kills a process unless it is cancelled."""
    timer = Timer(seconds, _kill_process, (process,))
    timer.daemon = True
    timer.start()
    return timer


def _read_output(process: Popen[bytes], limit: int) -> Iterator[bytes]:
    """Yield what a process prints, up to the chunk that exceeds the limit."""
    assert process.stdout is not None
    size = 0
    while size <= limit and (chunk := process.stdout.read(CHUNK)):
        size += len(chunk)
        yield chunk


def _is_readable(pipe: IO[bytes], seconds: float) -> bool:
    """Return whether a pipe has data or has ended within so many seconds.

    On Windows, where no file is a pipe that git waits for, and ``select`` takes sockets alone, the answer is True.
    """
    if os.name == "nt":
        return True
    return bool(select([pipe], [], [], max(seconds, 0.0))[0])


def _kill_process(process: Popen[bytes]) -> None:
    """Kill a process and its children, unless it has ended."""
    if process.returncode is not None:
        return
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _stop_timer(timer: Timer) -> None:
    """Cancel a timer, and wait until its thread has ended: a process with several threads cannot fork safely."""
    timer.cancel()
    timer.join()


def _end_process(process: Popen[bytes]) -> None:
    """Kill a process if it still runs, reap it and close its pipes."""
    _kill_process(process)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
