"""Daily situations in the shell of each adapter: what the hook makes of a command is run, and compared with the command."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.daily_situations import ADAPTERS, FIRST_LINE_SECONDS, SITUATIONS, Adapter, Situation

PATIENCE = 10
"""How many times longer than on a quiet machine a test waits for a first line."""
PROGRAMS = {
    "vim": '#!/bin/sh\n[ -t 1 ] && echo "on a terminal" > "$1"\nexit 2\n',
    "watch": '#!/bin/sh\n[ -t 1 ] && echo "Every ${2}s: $3"\nexit 3\n',
}
"""Programs that need a terminal, and say whether they have it."""
NOTE = b"[ctxkit: env sh -c 'echo 1 failed; exit 1' exited 1 before | tail -n 3]\n"
STILL_RUNS = rb"\[ctxkit: a process that the command started still runs; what it prints from now on is kept: ctxkit cache get (\w+)\]\n"


class Done(NamedTuple):
    """What a command did: its output, its status as a shell gives it, and the files that it left behind."""

    output: bytes
    status: int
    files: dict[str, Any]


class AdapterShell:
    """The shell of a host with the adapter of ctxkit, and without it."""

    def __init__(self, adapter: Adapter, ctxkit: str, home: dict[str, str], folder: Path) -> None:
        self.adapter, self.ctxkit, self.folder = adapter, ctxkit, folder
        programs = folder / "programs"
        programs.mkdir()
        for name, text in PROGRAMS.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        self.env = {**home, "PATH": f"{programs}:{home['PATH']}", "SHELL": shutil.which("bash") or "", "TERM": "dumb"}
        subprocess.run([ctxkit, "init", adapter.host, "--yes"], env=self.env, capture_output=True, check=True)
        self.scripts = Path(home["XDG_DATA_HOME"]) / "ctxkit" / "hosts" / adapter.host
        self.prefix = Path(home["HOME"]) / ".claude" / "ctxkit-prefix"

    def make_argv(self, command: str, *, is_plain: bool) -> list[str]:
        """Return what the host starts for a command."""
        if is_plain or self.adapter.event:
            script = command if is_plain else self.rewrite(command)
            return [str(shutil.which(self.adapter.shell)), "-c", self.adapter.make_script(script)]
        return [str(self.prefix), self.adapter.make_script(command)]

    def rewrite(self, command: str) -> str:
        """Return the command that the hook answers, the same one for no answer."""
        argv, event = [str(self.scripts / "hook")], self.adapter.fill_event(command).encode()
        answer = subprocess.run(argv, input=event, env=self.env, capture_output=True, check=True, timeout=60).stdout
        return next(find_commands(json.loads(answer or b"{}")), command)

    def start(self, situation: Situation, place: Path, *, is_plain: bool, **streams: Any) -> "subprocess.Popen[bytes]":
        """Start the script of a situation in a directory, in a process group of its own as hosts do."""
        env = {name: value for name, value in self.env.items() if name != "HOME" or not situation.without_home}
        argv = self.make_argv(situation.script, is_plain=is_plain)
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **streams}
        return subprocess.Popen(argv, env=env, cwd=place, start_new_session=True, **streams)

    def run(self, situation: Situation, *, is_plain: bool) -> Done:
        """Run the script in a directory of its own; its name in output and files is PLACE."""
        place = self.folder / f"{'plain' if is_plain else 'wrapped'} {time.monotonic_ns()}"
        (place / "sub").mkdir(parents=True)
        if situation.on_terminal:
            output, status = self._run_on_terminal(situation, place, is_plain=is_plain)
        else:
            with self.start(situation, place, is_plain=is_plain) as process:
                if situation.interrupted:
                    wait_for(place / "ready")
                    os.killpg(process.pid, signal.SIGINT)
                output, status = process.communicate(timeout=120)[0], process.returncode
        files = {path.relative_to(place).as_posix(): describe_file(path, place) for path in place.rglob("*")}
        return Done(output.replace(os.fsencode(place), b"PLACE"), 128 - status if status < 0 else status, files)

    def _run_on_terminal(self, situation: Situation, place: Path, *, is_plain: bool) -> tuple[bytes, int]:
        ours, theirs = os.openpty()
        with self.start(situation, place, is_plain=is_plain, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            output = b"".join(iter(lambda: read_terminal(ours), b""))
        os.close(ours)
        return output, process.returncode

    def read_stored(self, ref: bytes) -> bytes:
        """Return stored content."""
        argv = [self.ctxkit, "cache", "get", ref.decode()]
        return subprocess.run(argv, env=self.env, capture_output=True, check=True, timeout=120).stdout


def find_commands(value: Any) -> Iterator[str]:
    """Yield the commands in the answer of a hook."""
    if isinstance(value, dict):
        if isinstance(value.get("command"), str):
            yield value["command"]
        yield from value.get("commands", [])
        for inner in value.values():
            yield from find_commands(inner)


def read_terminal(descriptor: int) -> bytes:
    """Return what comes from a terminal, nothing once its other end is closed."""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""


def describe_file(path: Path, place: Path) -> Any:
    """Return the mode of a file, and its content where it is not the number of a process."""
    content = path.read_bytes().replace(os.fsencode(place), b"PLACE") if path.is_file() else b""
    return stat.filemode(path.stat().st_mode), content if path.name != "mine" else content.count(b"\n")


def wait_for(path: Path) -> None:
    end = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < end, f"{path.name} does not come"
        time.sleep(0.01)


@pytest.fixture
def open_shell(ctxkit: str, home: dict[str, str], tmp_path: Path) -> Callable[[Adapter], AdapterShell]:
    return lambda adapter: AdapterShell(adapter, ctxkit, home, tmp_path)


@pytest.fixture(autouse=True)
def check_leftovers(home: dict[str, str]) -> Iterator[None]:
    yield
    end = time.monotonic() + 10
    while list(Path(home["TMPDIR"]).glob("ctxkit-*")) and time.monotonic() < end:
        time.sleep(0.05)  # of the reader of a group that a test killed
    assert not list(Path(home["TMPDIR"]).glob("ctxkit-*"))


def check_same(shell: AdapterShell, situation: Situation) -> None:
    assert shell.run(situation, is_plain=False) == shell.run(situation, is_plain=True)


def check_noted(shell: AdapterShell, situation: Situation) -> None:
    """A line on stderr is all that differs."""
    plain, done = shell.run(situation, is_plain=True), shell.run(situation, is_plain=False)
    assert done.output.startswith(plain.output)
    assert done.output.removeprefix(plain.output) == NOTE
    assert (done.status, done.files) == (plain.status, plain.files)


def check_map(shell: AdapterShell, situation: Situation) -> None:
    plain, done = shell.run(situation, is_plain=True), shell.run(situation, is_plain=False)
    assert (done.status, done.files) == (plain.status, plain.files)
    assert len(done.output) < 15_000
    assert f"Exit status {plain.status}".encode() in done.output
    ref = re.search(rb"ctxkit cache get (\w+)", done.output)
    assert ref, done.output[-500:]
    assert sha256(shell.read_stored(ref[1])).digest() == sha256(plain.output).digest()


def check_kept(shell: AdapterShell, situation: Situation) -> None:
    """The child prints after the end of the command, and lives on."""
    done = shell.run(situation, is_plain=False)
    assert done.status == 0
    line = re.fullmatch(rb"started\n" + STILL_RUNS, done.output)
    assert line, done.output
    (place,) = shell.folder.glob("wrapped *")
    wait_for(place / "survived")
    end = time.monotonic() + 30
    while shell.read_stored(line[1]) != b"late\n":
        assert time.monotonic() < end
        time.sleep(0.05)


def check_seen(shell: AdapterShell, situation: Situation) -> None:
    place = shell.folder / "place"
    place.mkdir()
    with shell.start(situation, place, is_plain=False) as process:
        begin = time.monotonic()
        assert process.stdout.readline() == b"listening on 8080\n"
        assert time.monotonic() - begin < FIRST_LINE_SECONDS * PATIENCE
        os.killpg(process.pid, signal.SIGKILL)
        assert process.stdout.read() == b""


CHECKS = {"same": check_same, "noted": check_noted, "map": check_map, "kept": check_kept, "seen": check_seen}
CASES = [
    pytest.param(adapter, situation, id=f"{adapter.host}-{situation.name}")
    for adapter in ADAPTERS
    for situation in SITUATIONS
    if situation.name != "two at once"
]


@pytest.mark.quick_cases(13)  # of each adapter another situation
@pytest.mark.parametrize(("adapter", "situation"), CASES)
def test_a_daily_situation_is_as_without_ctxkit(open_shell: Any, adapter: Adapter, situation: Situation) -> None:
    CHECKS[adapter.find_outcome(situation)](open_shell(adapter), situation)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.host)
def test_two_at_once_do_not_mix(open_shell: Any, adapter: Adapter) -> None:
    shell, situation = open_shell(adapter), SITUATIONS[-1]
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda _: shell.run(situation, is_plain=False), range(2))
    assert first == second == shell.run(situation, is_plain=True)
