"""Run git in an untrusted repository, so that its configuration executes nothing.

Every call of git in this package goes through ``Git``. The repository's configuration may name a program for the file
system monitor, hooks, signatures, pagers, external diffs, transports and merges. Options on the command line and in the
environment override it, and only subcommands that run no filter are allowed.
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress
from select import select
from threading import Timer
from time import monotonic
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
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
                end_process(process)
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
    timer = Timer(seconds, kill_process, (process,))
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


def is_readable(pipe: IO[bytes], seconds: float) -> bool:
    """Return whether a pipe has data or has ended within so many seconds.

    On Windows, where no file is a pipe that git waits for, and ``select`` takes sockets alone, the answer is True.
    """
    if os.name == "nt":
        return True
    return bool(select([pipe], [], [], max(seconds, 0.0))[0])


def kill_process(process: Popen[bytes]) -> None:
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


def end_process(process: Popen[bytes]) -> None:
    """Kill a process if it still runs, reap it and close its pipes."""
    kill_process(process)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
