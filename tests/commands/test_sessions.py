"""What enters under a session is what its ledger says, whoever else is at the gate."""

import json
import random
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

from tests.conftest import Run

EXACT = ("--tokenizer", "llama2")
"""An exact vocabulary that loads fast."""
WINDOW, GATES, RUNS = 8000, 24, 8
SHORT_WAIT = {"ctxkit.engines.database.WAIT": 0.3}
"""A wait for the ledger that a test can afford."""


@cache
def counter():
    from splintr import Tokenizer

    encode = Tokenizer.from_pretrained("llama2").encode_ordinary
    return lambda data: len(encode(data.decode()))


def report(rows: int, name: str = "the report") -> bytes:
    return b"".join(b"row %d of %s holds %d\n" % (row, name.encode(), row * 7919 % 1000) for row in range(1, rows + 1))


@pytest.fixture
def status(run: Run):
    """Return how a session stands."""
    return lambda name="s": json.loads(run("session", "status", name, "--json").out)


@pytest.fixture
def new(run: Run):
    """Begin a session."""

    def begun(window: int = WINDOW, *more: str) -> None:
        done = run("session", "new", "s", "--window", str(window), "--reserve", "0", *EXACT, *more)
        assert done.status == 0, done.err

    return begun


@pytest.fixture
def database(home: dict[str, str]):
    return Path(home["XDG_DATA_HOME"]) / "ctxkit" / "ctxkit.db"


def items(database):
    with closing(sqlite3.connect(database)) as db:
        return db.execute("SELECT name, tokens, method, result, tight, ref FROM item ORDER BY id").fetchall()


@pytest.mark.slow
def test_raw_content_and_maps_are_booked_as_they_went_out(run: Run, new, status, database) -> None:
    new()
    raw = run("gate", "--session", "s", stdin=report(50)).out
    map_ = run("gate", "--session", "s", "--name", "log", stdin=report(2000)).out
    assert raw == report(50)
    assert map_.splitlines()[-1].startswith(b"To read a part: ")
    found = status()
    assert (found["items"], found["gatings"], found["estimated"]) == (2, 1, 0)
    assert found["used"] == counter()(raw) + counter()(map_)
    first, second = items(database)
    assert first == ("stdin", counter()(raw), "exact", "raw", 0, sha256(raw).hexdigest())
    assert second[:4] == ("log", counter()(map_), "exact", "briefing")
    assert second[5][:16].encode() in map_


def test_json_and_events_carry_the_ledger_after_the_fact(run: Run, new, status, tmp_path: Path) -> None:
    new()
    events = tmp_path / "events.jsonl"
    found = json.loads(run("gate", "--session", "s", "--json", "--events", events, stdin=report(5)).out)
    tokens = counter()(report(5))
    assert (found["session"], found["tokens"], found["method"]) == ("s", tokens, "exact")
    assert found["budget"] == {"window": WINDOW, "reserve": 0, "used": tokens, "available": WINDOW - tokens}
    event = json.loads(events.read_text())
    assert (event["session"], event["budget"]) == ("s", found["budget"])
    assert status()["used"] == tokens


def test_a_session_begins_with_its_first_use_and_goes_by_it_from_then_on(run: Run, status) -> None:
    done = run("brief", "--session", "s", stdin=b"text\n")
    assert (done.status, done.out) == (2, b"")
    assert "the window is not known" in done.err
    assert run("gate", "--session", "s", "--model", "qwen3-30b", "--window", "900", *EXACT, stdin=b"text\n").status == 0
    assert (status()["model"], status()["window"], status()["reserve"]) == ("qwen3-30b", 900, 180)
    found = json.loads(run("gate", "--json", env={"CTXKIT_SESSION": "s", "CTXKIT_MODEL": "opus"}, stdin=b"text\n").out)
    assert (found["tokenizer"], found["budget"]["window"]) == ("llama2", 900)


def test_options_win_for_one_call(run: Run, new, status) -> None:
    new()
    found = json.loads(run("gate", "--session", "s", "--json", "--window", "100", stdin=b"text\n").out)
    assert found["budget"]["window"] == 100
    found = json.loads(run("gate", "--session", "s", "--json", "--tokenizer", "bytes/3", stdin=b"text\n").out)
    assert found["tokenizer"] == "bytes/3"
    assert (status()["window"], status()["items"], status()["estimated"]) == (WINDOW, 2, 2)


def test_used_does_not_go_with_a_session(run: Run, new) -> None:
    new()
    done = run("gate", "--session", "s", "--used", "5", stdin=b"text\n")
    assert (done.status, done.out) == (2, b"text\n")
    assert "ctxkit session reset s --used 5" in done.err


@pytest.mark.parametrize("name", ["a/b", "..", "-x", "a b"])
def test_a_bad_name_is_left_out(run: Run, name: str) -> None:
    done = run("gate", f"--session={name}", "--window", "1000", stdin=b"text\n")
    assert (done.status, done.out) == (2, b"text\n")
    assert "hint: letters, digits" in done.err


@pytest.mark.slow
def test_checking_and_refusals_book_nothing(run: Run, new, status) -> None:
    new(40)
    assert run("gate", "--session", "s", "--check", stdin=b"text\n").status == 0
    assert run("gate", "--session", "s", "--check", stdin=report(500)).status == 1
    done = run("gate", "--session", "s", "--name", "x" * 90, stdin=report(500))
    assert (done.status, done.out) == (1, b"")
    assert (status()["used"], status()["held"], status()["items"]) == (0, 0, 0)
    assert run("gate", "--session", "t", "--window", "900", "--check", stdin=b"text\n").status == 0
    assert run("session", "status", "t").status == 1


def test_what_is_tight_is_flagged_on_the_record(run: Run, new, status, database) -> None:
    content = report(20)
    new(counter()(content) + 1)
    found = json.loads(run("gate", "--session", "s", "--json", stdin=content).out)
    assert found["result"] == "tight"
    assert [row[3:5] for row in items(database)] == [("tight", 1)]
    assert (status()["tight"], status()["blocked"]) == (True, True)


@pytest.mark.slow
def test_a_full_session_takes_no_more_unless_that_is_asked_for_and_books_it(run: Run, new, status) -> None:
    new(WINDOW, "--used", str(WINDOW - 30))
    assert (status()["blocked"], status()["items"]) == (True, 0)
    content = b"some words\n"
    refused = run("gate", "--session", "s", "--json", stdin=content)
    assert (refused.status, json.loads(refused.out)["result"], status()["items"]) == (1, "refused", 0)
    assert json.loads(refused.out)["budget"]["available"] == 30
    assert run("gate", "--session", "s", "--admit", stdin=content).out == content
    assert (status()["items"], status()["used"]) == (1, WINDOW - 30 + counter()(content))


@pytest.mark.slow
def test_a_reader_that_leaves_does_not_undo_the_booking(ctxkit: str, home: dict[str, str], new, status) -> None:
    new(10_000_000)
    content = report(30_000)
    gate = subprocess.Popen([ctxkit, "gate", "--session", "s"], stdin=-1, stdout=-1, stderr=-1, env=home)
    gate.stdout.close()
    gate.stdin.write(content)
    gate.stdin.close()
    with gate.stderr as stderr:
        assert stderr.read() == b""
    gate.wait(60)
    assert status()["used"] == counter()(content)


@pytest.mark.slow
def test_run_and_brief_and_parts_that_are_read_back_are_booked_too(run: Run, new, status, tmp_path: Path) -> None:
    new()
    path = tmp_path / "log.txt"
    path.write_bytes(report(300))
    said = [
        run("run", "--session", "s", "--", "head", "-n", "5", path).out,
        run("run", "--session", "s", "--", "sh", "-c", f"cat {path}; cat {path}; exit 3").out,
        run("brief", path, "--session", "s").out,
        run("cache", "get", path, "--lines", "7:9", "--gate", "--session", "s").out,
        run("cache", "get", path, "--gate", "--session", "s").out,
    ]
    assert said[1].startswith(b"Exit status 3\n")
    assert b"--session s" in said[4].splitlines()[-1]
    assert all(said)
    assert status()["items"] == len(said)
    assert status()["used"] == sum(map(counter(), said))


@pytest.mark.slow
def test_a_map_that_passes_again_is_the_same_and_is_booked_again(run: Run, new, status) -> None:
    new()
    map_ = run("gate", "--session", "s", stdin=report(2000)).out
    assert run("gate", "--session", "s", stdin=map_).out == map_
    assert status()["used"] == 2 * counter()(map_)


# ---------------------------------------------------------------- many at once


def started(ctxkit, home, tmp_path, verb: str, number: int) -> subprocess.Popen[bytes]:
    """Start a gate, or a run, of content of some size."""
    path = tmp_path / f"in-{number}"
    path.write_bytes(report(random.Random(number).randint(10, 160), f"report {number}"))
    command = [ctxkit, verb, "--session", "s", *(("--", "cat", path) if verb == "run" else (path,))]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=-1, stderr=-1, env=home, cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "number"), [("gate", GATES), ("run", RUNS)])
def test_calls_at_once_let_in_what_the_ledger_says_and_never_more_than_there_is(
    ctxkit: str, home: dict[str, str], tmp_path: Path, new, status, verb: str, number
) -> None:
    window = WINDOW * number // GATES
    new(window)
    calls = [started(ctxkit, home, tmp_path, verb, index) for index in range(number)]
    said = [call.communicate() for call in calls]
    assert {call.returncode for call in calls} <= {0, 1}
    total = sum(counter()(out) for out, _ in said)
    found = status()
    assert total == found["used"] <= window
    assert found["held"] == 0
    assert found["items"] == sum(bool(out) for out, _ in said)
    assert not any(b"warning" in err for _, err in said)


@pytest.mark.slow
def test_calls_that_are_killed_leave_their_room_to_others(ctxkit: str, home: dict[str, str], tmp_path: Path, run: Run, new, status) -> None:
    new()
    calls = [started(ctxkit, home, tmp_path, "gate", index) for index in range(16)]
    for call in calls[::2]:
        call.kill()
    said = [call.communicate()[0] for call in calls]
    survived = sum(counter()(out) for call, out in zip(calls, said, strict=True) if call.returncode >= 0)
    killed = sum(counter()(out) for call, out in zip(calls, said, strict=True) if call.returncode < 0)
    found = status()
    assert survived <= found["used"] <= min(survived + killed, WINDOW)
    assert (found["held"], found["available"]) == (0, WINDOW - found["used"])


# ---------------------------------------------------------------- trouble


def test_a_locked_ledger_lets_content_pass_by_its_budget_with_one_warning(run: Run, new, database) -> None:
    new()
    gate = ("gate", "--session", "s", "--tokenizer", "bytes/3")
    with closing(sqlite3.connect(database)) as other, ThreadPoolExecutor() as pool:
        other.execute("BEGIN EXCLUSIVE")
        done, strict = pool.map(lambda more: run(*gate, *more, stdin=b"text\n", limits=SHORT_WAIT), ((), ("--strict",)))
    assert (done.status, done.out, done.err.count("ctxkit: warning")) == (0, b"text\n", 1)
    assert "session s" in done.err
    assert (strict.status, strict.out) == (75, b"")


def test_a_damaged_ledger_is_begun_anew(run: Run, new, database, status) -> None:
    new()
    for path in database.parent.glob("ctxkit.db-*"):
        path.unlink()
    database.write_bytes(b"no database " * 1000)
    done = run("gate", "--session", "s", "--window", "900", *EXACT, stdin=b"text\n")
    assert (done.status, done.out, done.err.count("ctxkit: warning")) == (0, b"text\n", 1)
    assert (status()["window"], status()["items"]) == (900, 1)


def test_a_place_that_cannot_hold_a_ledger_is_a_warning(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    env = {"CTXKIT_DATA_DIR": str(tmp_path / "file" / "data")}
    done = run("gate", "--session", "s", "--window", "900", *EXACT, stdin=b"text\n", env=env)
    assert (done.status, done.out, done.err.count("ctxkit: warning")) == (0, b"text\n", 1)
    assert run("gate", "--session", "s", "--window", "900", "--strict", stdin=b"text\n", env=env).status == 74
    done = run("run", "--session", "s", "--window", "900", "--", "sh", "-c", "echo out; exit 3", env=env)
    assert (done.status, done.out) == (3, b"out\n")


@pytest.mark.slow
def test_without_the_library_tokens_are_estimated_and_the_ledger_says_so(home: dict[str, str], tmp_path: Path) -> None:
    """The gate counts by an estimate where splintr-rs is not there, unless it is strict."""
    hidden = tmp_path / "hidden" / "splintr"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ImportError('not here')")
    env = {**home, "PYTHONPATH": str(hidden.parent)}

    def ran(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([sys.executable, "-m", "ctxkit", *args], input=stdin, capture_output=True, env=env)

    done = ran("gate", "--session", "s", "--model", "qwen3-30b", "--json", stdin=report(20))
    assert (done.returncode, done.stderr.count(b"ctxkit: warning")) == (0, 1), done.stderr
    found = json.loads(done.stdout)
    assert (found["result"], found["method"]) == ("raw", "estimate")
    assert found["tokens"] > 100
    assert json.loads(ran("session", "status", "s", "--json").stdout)["estimated"] == found["tokens"]
    done = ran("gate", "--session", "s", "--limit", "300", stdin=report(2000))
    assert (done.returncode, done.stdout.splitlines()[-1][:15]) == (0, b"To read a part:"), done.stderr
    assert ran("gate", "--session", "s", "--strict", stdin=report(20)).returncode == 69
