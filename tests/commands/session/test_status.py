import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import Run


def new(run, *args):
    assert run("session", "new", "s", *args).status == 0


def test_text_says_what_is_used_and_left(run: Run) -> None:
    new(run, "--model", "qwen3-30b", "--used", "1000")
    lines = run("session", "status", "s").out.decode().splitlines()
    assert lines[0] == "s: qwen3-30b, window 32,768, reserve 6,554"
    assert lines[1] == "used 1,000 of 26,214 (4%), 25,214 available"
    assert lines[2] == "0 items, 0 as maps, 0 compactions"
    assert lines[3].startswith("updated 20")
    assert len(lines) == 4


@pytest.mark.parametrize(("used", "tight", "blocked"), [(949, False, False), (950, True, False), (979, True, False), (980, True, True), (2000, True, True)])
def test_past_the_triggers_it_is_tight_then_blocked(run: Run, used: int, tight: bool, blocked: bool) -> None:
    new(run, "--window", "1000", "--reserve", "0", "--used", str(used))
    found = json.loads(run("session", "status", "s", "--json").out)
    assert (found["tight"], found["blocked"], found["available"]) == (tight, blocked, max(1000 - used, 0))
    last = run("session", "status", "s").out.decode().splitlines()[-1]
    assert last.partition(":")[0] == ("full" if blocked else "tight" if tight else last.partition(":")[0])
    softer = {"CTXKIT_COMPACT_TRIGGER": "1", "CTXKIT_HARD_BLOCK": "1"}
    assert json.loads(run("session", "status", "s", "--json", env=softer).out)["tight"] == (used >= 1000)


def test_the_variable_names_the_session_too(run: Run) -> None:
    new(run, "--window", "1000")
    assert run("session", "status", env={"CTXKIT_SESSION": "s"}).out.startswith(b"s: no model")
    assert run("session", "status").status == 2
    done = run("session", "status", env={"CTXKIT_SESSION": "a/b"})
    assert (done.status, done.err.splitlines()[0]) == (78, "ctxkit: CTXKIT_SESSION: 'a/b' is not the name of a session")


def test_a_session_that_is_not_there_is_a_no(run: Run) -> None:
    done = run("session", "status", "s")
    assert (done.status, done.out) == (1, b"")
    assert done.err == "ctxkit: no session s\n  hint: ctxkit session list shows all sessions\n"


def test_what_others_hold_is_waited_for_and_said(run: Run, home: dict[str, str]) -> None:
    new(run, "--window", "1000")
    with closing(sqlite3.connect(Path(home["XDG_DATA_HOME"]) / "ctxkit" / "ctxkit.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        assert run("session", "status", "s").status == 0
        done = run("session", "reset", "s", "--used", "0", limits={"ctxkit.engines.database.WAIT": 0.3})
    assert done.status == 75
    assert "is locked by another process" in done.err
