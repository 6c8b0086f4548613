"""What a process prints after the command that left it behind has ended."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
ENDS = r"\[ctxkit: a process that the command started still runs, and ends with this sandbox; what it prints until then is kept: ctxkit cache get (\w+)\]\n"
SMALL = ("--window", "4000", "--tokenizer", "bytes/3")


def wait_for(path: Path) -> str:
    until = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < until, f"{path} never came"
        time.sleep(0.05)
    return path.read_text()


def leave_behind(tmp_path: Path, script: str) -> str:
    """Return a script that leaves a process behind, which writes how it ended."""
    return f"( sleep 1; {script}; echo $? > {tmp_path}/end ) & echo started; exit 4"


def read_later(run: Run, note: str, size: int) -> bytes:
    """Return what a note names, once it has some bytes."""
    id_ = re.search(r"ctxkit cache get (\w+)\]\n", note)
    assert id_, note
    until = time.monotonic() + 30
    while len(data := run("cache", "get", id_[1]).out) < size:
        assert time.monotonic() < until, data
        time.sleep(0.05)
    return bytes(data)


def test_a_process_that_prints_later_is_not_killed_and_its_output_is_kept(run: Run, tmp_path: Path) -> None:
    done = run("run", *SMALL, "--", "bash", "-c", leave_behind(tmp_path, "echo late; sleep 0.2; echo later"))
    assert (done.status, done.out) == (4, b"started\n")
    assert read_later(run, done.err, 11) == b"late\nlater\n"
    assert wait_for(tmp_path / "end") == "0\n"


def test_without_a_store_it_is_read_and_lost(run: Run, tmp_path: Path) -> None:
    done = run("run", *SMALL, "--no-store", "--", "bash", "-c", leave_behind(tmp_path, "echo late"))
    assert done.err.endswith("what it prints from now on is not kept]\n")
    assert wait_for(tmp_path / "end") == "0\n"


def test_its_secrets_are_masked(run: Run, tmp_path: Path) -> None:
    script = leave_behind(tmp_path, "echo api_key=abcdefgh12345678")
    done = run("run", *SMALL, "--redact", "--", "bash", "-c", script)
    assert b"abcdefgh" not in read_later(run, done.err[done.err.index("[ctxkit") :], 9)


@pytest.mark.slow
def test_what_exceeds_the_limit_is_counted(run: Run, tmp_path: Path) -> None:
    done = run("run", *SMALL, "--", "bash", "-c", leave_behind(tmp_path, "head -c 20000000 /dev/zero"))
    assert wait_for(tmp_path / "end") == "0\n"
    assert len(read_later(run, done.err, 16 << 20)) == 16 << 20
    until = time.monotonic() + 30
    while "3,222,784 more bytes" not in (listed := run("cache", "list").out.decode()):
        assert time.monotonic() < until, listed
        time.sleep(0.1)


def test_a_command_that_is_stopped_leaves_nothing(run: Run) -> None:
    done = run("run", *SMALL, "--timeout", "0.5", "--", "bash", "-c", "sleep 60 & sleep 60")
    assert (done.status, done.err) == (124, "")


@pytest.mark.parametrize("script", ['exec "$@"', '"$@"; exit $?'], ids=["process 1", "its child"])
def test_in_a_sandbox_a_line_says_that_the_process_ends_with_it(
    ctxkit: str, home: dict[str, str], tmp_path: Path, script: str
) -> None:
    """The end of process 1 of a namespace ends all others there."""
    spaces = ["unshare", *(["-r"] if os.getuid() else []), "--pid", "--fork", "--mount-proc", "sh", "-c", script, "sh"]
    if not shutil.which("unshare") or subprocess.run([*spaces, "true"], capture_output=True).returncode:
        pytest.skip("this user may make no namespace")
    argv = [*spaces, ctxkit, "run", *SMALL, "--", "bash", "-c", leave_behind(tmp_path, "echo late")]
    done = subprocess.run(argv, capture_output=True, text=True, env=home, timeout=60)
    assert (done.returncode, done.stdout) == (4, "started\n")
    line = re.fullmatch(ENDS, done.stderr)
    assert line, done.stderr
    time.sleep(1.5)
    assert not (tmp_path / "end").exists()
    stored = subprocess.run([ctxkit, "cache", "get", line[1]], capture_output=True, env=home, timeout=60)
    assert (stored.returncode, stored.stdout) == (0, b"")
