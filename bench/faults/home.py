"""Homes of users who share nothing: directories, environment, and commands that are run in them."""

import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic, sleep

from bench.place import Place
from bench.weigh import make_scale, read_note

PLACES = {"XDG_CACHE_HOME": "cache", "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config"}
"""The variables that name a user's directories, and the directories of a home."""


@dataclass(frozen=True)
class Ended:
    """Hold what a command did; a negative status is the signal that it died of."""

    status: int
    out: bytes
    err: str
    wall: float = 0.0
    cpu: float = 0.0
    peak: int = 0
    late: bool = False


@dataclass
class Home:
    """Run commands for one user, in the directory ``work`` of the home at ``root``."""

    root: str
    ctxkit: Sequence[str]
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def work(self) -> str:
        """Return the directory that commands run in."""
        return os.path.join(self.root, "work")

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables of this user."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CTXKIT_")}
        places = {name: os.path.join(self.root, folder) for name, folder in PLACES.items()}
        return {**kept, "HOME": self.root, "TMPDIR": os.path.join(self.root, "tmp"), **places, **self.extra}

    def path(self, *parts: str) -> str:
        """Return a path inside the home."""
        return os.path.join(self.root, *parts)

    def write(self, name: str, data: bytes) -> str:
        """Write a file in the working directory and return its path."""
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def run(
        self,
        argv: Sequence[str],
        data: bytes = b"",
        *,
        before: Sequence[str] = (),
        kill_after: float = 0,
        most: float = 60,
    ) -> Ended:
        """Run ctxkit with ``argv``; kill it, and all that it started, after some seconds where that is asked for.

        ``before`` is put before the command, such as a tracer. What takes longer than ``most`` is killed and ``late``.
        """
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(data)
            given.seek(0)
            started = monotonic()
            process = subprocess.Popen(
                [*before, *self.ctxkit, *argv],
                stdin=given, stdout=out, stderr=err, cwd=self.work, env=self.environment, start_new_session=True,
            )  # fmt: skip
            late, usage = _watch(process, started, kill_after, most)
            out.seek(0)
            err.seek(0)
            wall = monotonic() - started
            cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10
            return Ended(process.returncode, out.read(), err.read().decode("utf-8", "replace"), wall, cpu, peak, late)

    def weigh(self, argv: Sequence[str], data: bytes = b"", *, most: float = 60) -> Ended:
        """Run ctxkit as ``run`` does, and tell its CPU time and its peak apart from those of this process."""
        note = self.path("tmp", "weight")
        ended = self.run(argv, data, before=make_scale(note), most=most)
        if ended.late:
            return ended
        status, cpu, peak = read_note(note)
        return replace(ended, status=status, cpu=cpu, peak=peak)


def _watch(
    process: "subprocess.Popen[bytes]", started: float, kill_after: float, most: float
) -> tuple[bool, "resource.struct_rusage"]:
    """Wait for a process, and kill its group when it is time; return whether it was late, and what it used."""
    deadline, late = started + (kill_after or most), False
    nap = 0.0005
    while True:
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        if done:
            process.returncode = os.waitstatus_to_exitcode(status)
            return late, usage
        if monotonic() >= deadline:
            late = not kill_after
            os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            return late, usage
        sleep(min(nap, max(deadline - monotonic(), 0)))
        nap = min(nap * 1.5, 0.02)


def new_home(place: Place, files: Mapping[str, bytes] | None = None) -> Home:
    """Return a home in which nothing was ever run."""
    root = tempfile.mkdtemp(prefix="home-", dir=place.root)
    for folder in ("work", "tmp", "config"):
        os.mkdir(os.path.join(root, folder))
    home = Home(root, place.ctxkit)
    for name, data in (files or {}).items():
        home.write(name, data)
    return home


def copy_of(template: Home, place: Place) -> Home:
    """Return a home that is as another one; paths in what it holds are those of the copy where they are relative."""
    root = tempfile.mkdtemp(prefix="home-", dir=place.root)
    shutil.copytree(template.root, root, symlinks=True, dirs_exist_ok=True)
    return Home(root, template.ctxkit, dict(template.extra))


def remove(home: Home) -> None:
    """Remove a home."""
    shutil.rmtree(home.root, ignore_errors=True)
