import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ctxkit.engines.history import Histories
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.engines.snapshots import SQLiteSnapshots
from tests.conftest import Run

WRITES = {"rename": 1, "unlink": 1, "write": 1, "pwrite64": 9}
"""The calls of the system that change something, and the first of each that does: the index of a log is no change."""
TEXT = b"".join(b"row %d of the report holds %d\n" % (row, row * 7919 % 1000) for row in range(400))
SIZED = ("--window", "2000", "--tokenizer", "bytes/3")


def refs(run):
    return [line.split()[0] for line in run("cache", "list").out.decode().splitlines()]


@pytest.mark.slow
def test_a_session_goes_with_the_content_that_is_its_own(run: Run) -> None:
    run("gate", *SIZED, "--session", "s", stdin=TEXT + b"one\n")
    run("gate", *SIZED, "--session", "s", stdin=TEXT + b"both\n")
    run("gate", *SIZED, "--session", "t", stdin=TEXT + b"both\n")
    run("gate", *SIZED, stdin=TEXT + b"nobody's\n")
    assert len(refs(run)) == 3
    done = run("session", "rm", "s")
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert len(refs(run)) == 2
    assert run("session", "status", "s").status == 1
    assert run("session", "rm", "t").status == 0
    assert len(refs(run)) == 1


def test_either_all_go_or_none(run: Run) -> None:
    run("session", "new", "s", *SIZED)
    assert run("session", "rm", "s", "t").status == 1
    assert run("session", "status", "s").status == 0
    assert run("session", "rm").status == 2


@pytest.mark.slow
def test_collecting_leaves_what_an_active_session_refers_to(run: Run, collect) -> None:
    run("gate", *SIZED, "--session", "s", stdin=TEXT)
    run("gate", *SIZED, stdin=TEXT + b"nobody's\n")
    assert collect().status == 0
    assert len(refs(run)) == 1
    run("session", "rm", "s")
    assert refs(run) == []


def test_what_is_held_elsewhere_stays(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b'{"role":"user","content":"a"}\n{"role":"user","content":"b"}\n')
    before = path.read_bytes()
    for name in "st":
        run("session", "new", name, *SIZED)
    assert run("edit", "remove", "2", path, "--in-place", env={"CTXKIT_SESSION": "s"}).status == 0
    ref = run("gate", "--session", "s", stdin=TEXT).out.decode().partition("cache get ")[2][:16]
    run("snapshot", "save", "t", stdin=f'{{"role":"user","content":"ctxkit cache get {ref}"}}')
    assert run("session", "rm", "s").status == 0
    assert run("cache", "get", ref).out == TEXT
    assert run("edit", "restore", path).out == before
    assert run("session", "rm", "t").status == 0


def killed_at(ctxkit, env, call, number, *args):
    """Run ctxkit, killed at the given one of these calls; return whether it was killed, or ended before."""
    trace = ["strace", "-f", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"]
    return subprocess.run([*trace, ctxkit, *args], env=env, capture_output=True).returncode != 0


def left(directory):
    """Return what there still is of a session: its ledger, its snapshot, its history."""
    ledger, snapshots = SQLiteLedger(directory, pytest.fail), SQLiteSnapshots(directory, pytest.fail)
    session = ledger.find("s")
    history = Histories(directory, pytest.fail, lambda _: repr(session.created) if session else "")
    return session is not None, snapshots.find("s") is not None, history.open("s") is not None


@pytest.mark.slow
@pytest.mark.skipif(
    subprocess.run("strace -o /dev/null true", shell=True, capture_output=True).returncode != 0,
    reason="needs strace, and to be allowed to trace",
)
def test_a_removal_killed_at_any_write_is_done_or_not_begun(run, ctxkit: str, home: dict[str, str], tmp_path: Path) -> None:
    message = '{"role":"user","content":"old"}'
    run("session", "new", "s", *SIZED)
    run("session", "append", "s", stdin=message)
    run("snapshot", "save", "s", stdin=message)
    data, saved = Path(home["XDG_DATA_HOME"]), tmp_path / "saved"
    shutil.copytree(data, saved)
    outcomes = []
    for call, first in WRITES.items():
        for number in range(first, 50):
            shutil.rmtree(data)
            shutil.copytree(saved, data)
            if not killed_at(ctxkit, home, call, number, "session", "rm", "s"):
                break
            outcomes.append((call, left(str(data / "ctxkit"))))
        assert number < 49
    assert {found for _, found in outcomes} == {(True, True, True), (False, False, False)}
    assert {("rename", (True,) * 3), ("pwrite64", (True,) * 3), ("unlink", (False,) * 3)} <= set(outcomes)
