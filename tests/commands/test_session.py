"""Sessions begin, take messages, show what they used, and are removed."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from ctxkit.engines.catalog import SQLiteSnapshots
from ctxkit.engines.history import Histories
from ctxkit.engines.ledger import SQLiteLedger
from tests.conftest import Run


def status_of(run, name):
    return json.loads(run("session", "status", name, "--json").out)


def test_an_id_is_made_up_that_sorts_by_age(run: Run) -> None:
    names = [run("session", "new", "--window", "1000").out.decode() for _ in range(2)]
    assert all(re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{8}\n", name) for name in names)
    assert names[0] != names[1]
    assert [name[:16] for name in names] == sorted(name[:16] for name in names)
    assert status_of(run, names[0].strip())["used"] == 0


def test_a_session_is_begun_as_it_is_asked_for(run: Run) -> None:
    done = run("session", "new", "s", "--model", "qwen3-30b", "--window", "1000", "--reserve", "10%", "--used", "70")
    assert (done.status, done.out, done.err) == (0, b"s\n", "")
    found = status_of(run, "s")
    assert abs(found.pop("created") - found.pop("updated")) < 1
    assert found == {
        "session": "s",
        "model": "qwen3-30b",
        "window": 1000,
        "reserve": 100,
        "used": 70,
        "held": 0,
        "available": 830,
        "estimated": 0,
        "items": 0,
        "gatings": 0,
        "compactions": 0, "edits": 0,
        "tight": False,
        "blocked": False,
        "due": False,
    }


def test_a_name_is_taken_once(run: Run) -> None:
    run("session", "new", "s", "--window", "1000", "--used", "5")
    done = run("session", "new", "s", "--window", "2000")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("ctxkit: session s exists\n  hint: ctxkit session reset s")
    assert status_of(run, "s")["used"] == 5


@pytest.mark.parametrize("name", ["a/b", "../x", ".x", "", "a b", "x" * 129])
def test_a_bad_name_is_a_slip_with_a_hint(run: Run, name: str) -> None:
    done = run("session", "new", name, "--window", "1000")
    assert done.status == 2
    assert "is not the name of a session\n  hint: letters, digits and . _ - :" in done.err


def test_a_window_must_be_known(run: Run) -> None:
    done = run("session", "new")
    assert (done.status, done.out) == (2, b"")
    assert "--model" in done.err
    assert run("session", "new", env={"CTXKIT_MODEL": "qwen3-30b"}).status == 0


SIZED = ("--window", "8000", "--tokenizer", "llama2")
"""An exact vocabulary that loads fast."""
USER = b'{"role": "user",  "content": "hi there", "n": 1.10, "big": 123456789012345678901234567890}'
ANSWER = b'{"role":"assistant","content":"yes"}'
CALLS = 16


@pytest.fixture
def new(run: Run):
    """Begin a session."""
    done = run("session", "new", "s", *SIZED)
    assert done.status == 0, done.err


@pytest.fixture
def append(run: Run):
    return lambda data, *more, **given: run("session", "append", "s", *more, stdin=data, **given)


@pytest.fixture
def history(home: dict[str, str]):
    return Path(home["XDG_DATA_HOME"]) / "ctxkit" / "histories" / "s.jsonl"


def used(run) -> int:
    return json.loads(run("session", "status", "s", "--json").out)["used"]


def test_lines_are_added_as_they_are(new, append, history, run: Run) -> None:
    done = append(USER + b"\r\n\n" + ANSWER)
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert history.read_bytes() == USER + b"\n" + ANSWER + b"\n"
    assert run("session", "history", "s").out == USER + b"\n" + ANSWER + b"\n"


@pytest.mark.usefixtures("new")
def test_a_message_or_a_list_of_them_is_added_too(append, history, tmp_path: Path) -> None:
    path = tmp_path / "turn.json"
    path.write_text('{\n  "role": "user",\n  "content": "a\\nb", "n": 1.10\n}\n')
    assert append(b"", path).status == 0
    assert append(b'[\n  {"role": "user",\n   "content": "c"},' + ANSWER + b"]").status == 0
    assert history.read_bytes().splitlines() == [
        b'{"role":"user","content":"a\\nb","n":1.10}',
        b'{"role":"user","content":"c"}',
        ANSWER,
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("new")
def test_what_it_takes_is_booked_as_count_says(append, run: Run) -> None:
    whole = int(run("count", "--input", "chat", "--tokenizer", "llama2", stdin=USER + b"\n" + ANSWER).out)
    first = json.loads(append(USER, "--json").out)
    found = json.loads(append(ANSWER, "--json").out)
    assert first["tokens"] + found["tokens"] == whole == used(run)
    assert found == {
        "session": "s",
        "added": 1,
        "first": 2,
        "lines": 2,
        "bytes": len(USER + ANSWER) + 2,
        "tokens": found["tokens"],
        "method": "estimate",
    }
    status = json.loads(run("session", "status", "s", "--json").out)
    assert (status["items"], status["gatings"]) == (2, 0)


@pytest.mark.usefixtures("new")
def test_without_counting_nothing_is_booked(append, run: Run, history) -> None:
    found = json.loads(append(USER, "--no-count", "--json").out)
    assert (found["tokens"], found["method"], found["lines"]) == (None, None, 1)
    assert used(run) == 0
    assert history.read_bytes() == USER + b"\n"


@pytest.mark.usefixtures("new")
def test_what_stands_beside_messages_is_counted_once_and_told_of(append, run: Run, history) -> None:
    document = json.dumps({"model": "m", "system": "Be brief.", "max_tokens": 9, "messages": [json.loads(ANSWER)]})
    done = append(document, "--format", "anthropic")
    assert (done.status, done.err.count("the history does not include what is beside the messages")) == (0, 1)
    once = used(run)
    assert append(document, "--format", "anthropic", "-q").err == ""
    assert once < used(run) < 2 * once
    assert len(history.read_bytes().splitlines()) == 2


def test_a_session_that_is_not_there_is_a_no(append, run: Run, home: dict[str, str]) -> None:
    done = append(USER)
    assert (done.status, done.out) == (1, b"")
    assert done.err == "ctxkit: no session s\n  hint: ctxkit session new s --model NAME starts it\n"
    assert run("session", "append", "a/b", stdin=USER).status == 2
    assert list(Path(home["XDG_DATA_HOME"]).iterdir()) == []


@pytest.mark.usefixtures("new")
@pytest.mark.parametrize("data", [b"", b"text\n", b'{"a": 1}', USER + b'\n{"role": "user"\n' + ANSWER])
def test_what_is_no_conversation_is_malformed_and_nothing_is_added(append, history, run: Run, data: bytes) -> None:
    done = append(data)
    assert (done.status, done.out) == (65, b"")
    assert not history.exists()
    assert used(run) == 0
    if ANSWER in data:
        assert "line 2" in done.err


@pytest.mark.usefixtures("new")
def test_a_file_that_is_not_there_is_missing(append) -> None:
    assert append(b"", "nowhere.json").status == 66


@pytest.mark.slow
@pytest.mark.usefixtures("new")
def test_a_line_that_was_cut_short_is_told_of_once(append, history, run: Run) -> None:
    append(USER)
    with history.open("ab") as file:
        file.write(b'{"role": "assis')
    done = append(ANSWER)
    assert (done.status, done.err.count("warning: line 2 of the history was cut short")) == (0, 1)
    assert append(ANSWER).err == ""
    done = run("session", "history", "s")
    assert (done.status, done.out) == (0, USER + b"\n" + ANSWER + b"\n" + ANSWER + b"\n")
    assert f"line 2 was cut short and is skipped: sed -n 2p {history} shows its bytes" in done.err


@pytest.mark.slow
def test_calls_at_once_add_all_their_lines_and_book_all_their_tokens(new, ctxkit: str, home: dict[str, str], history, run: Run, tmp_path: Path) -> None:
    one = used_by(run, append_of(0))

    def started(number: int) -> subprocess.Popen[bytes]:
        path = tmp_path / f"in-{number}"
        path.write_bytes(append_of(number))
        return subprocess.Popen([ctxkit, "session", "append", "s", path], env=home, stdout=-1, stderr=-1)

    with ThreadPoolExecutor(CALLS) as pool:
        said = list(pool.map(lambda call: call.communicate(), [started(number) for number in range(CALLS)]))
    assert {err for _, err in said} == {b""}
    lines = history.read_bytes().splitlines(keepends=True)
    assert sorted(lines[0::2] + lines[1::2]) == sorted(
        line for number in range(CALLS) for line in append_of(number).splitlines(keepends=True)
    )
    assert all(first.replace(b"user", b"assistant") == second for first, second in zip(lines[::2], lines[1::2], strict=True))
    assert used(run) == 2 * one[0] * CALLS + one[1]


def append_of(number: int) -> bytes:
    turn = b'{"role":"user","content":"message %02d"}\n' % number
    return turn + turn.replace(b"user", b"assistant")


def used_by(run, data: bytes) -> tuple[int, int]:
    """Return what a message of some takes, and what stands around a conversation."""
    rows = [json.loads(row) for row in run("count", "--by", "message", "--json", "--tokenizer", "llama2", stdin=data).out.splitlines()]
    around = sum(row["tokens"] for row in rows if not row["message"])
    (each,) = {row["tokens"] for row in rows if row["message"]}
    return each, around


@pytest.mark.usefixtures("new")
def test_a_locked_ledger_is_a_warning_and_the_message_is_there(append, history, home: dict[str, str]) -> None:
    with closing(sqlite3.connect(Path(home["XDG_DATA_HOME"]) / "ctxkit" / "ctxkit.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        done = append(USER, limits={"ctxkit.engines.database.WAIT": 0.3})
    assert (done.status, done.err.count("ctxkit: warning")) == (0, 1)
    assert "session s is not kept" in done.err
    assert history.read_bytes() == USER + b"\n"


@pytest.mark.slow
@pytest.mark.usefixtures("new")
def test_without_the_library_tokens_are_estimated(home: dict[str, str], tmp_path: Path, ctxkit: str, run: Run) -> None:
    hidden = tmp_path / "hidden" / "splintr"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ImportError('not here')")
    env = {"PYTHONPATH": str(hidden.parent)}
    done = run("session", "append", "s", "--strict", stdin=USER, env=env)
    assert done.status == 69
    done = run("session", "append", "s", "--json", stdin=USER, env=env)
    assert (done.status, json.loads(done.out)["method"], done.err.count("warning")) == (0, "estimate", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("new")
def test_messages_of_another_format_are_added_with_a_warning(append, history) -> None:
    append(USER)
    used_tool = b'{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ls","input":{}}]}'
    assert append(used_tool).err == ""
    line = b'{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"}}'
    done = append(line)
    assert (done.status, done.err) == (
        0,
        "ctxkit: warning: the history is in openai, and the input in claude-code: they cannot be read together\n",
    )
    assert history.read_bytes() == b"\n".join([USER, used_tool, line, b""])


LINES = [b'{"role":"user","content":"message %d"}\n' % number for number in range(1, 6)]


@pytest.fixture
def begun(run: Run):
    """A session with five messages."""
    run("session", "new", "s", "--window", "8000", "--tokenizer", "bytes/3")
    for lines in (LINES[:2], LINES[2:]):
        assert run("session", "append", "s", stdin=b"".join(lines)).status == 0


@pytest.mark.quick_cases(3)
@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ((), 1, 5),
        (("--last", "2"), 4, 5),
        (("--last", "9"), 1, 5),
        (("--lines", "2:3"), 2, 3),
        (("--lines", "4:"), 4, 5),
        (("--lines", "-1:"), 5, 5),
        (("--since", "1h"), 1, 5),
        (("--since", "2020-01-01"), 1, 5),
        (("--since", "2020-01-01T10:00+02:00"), 1, 5),
        (("--since", "2100-01-01"), 6, 5),
    ],
)
def test_a_part_is_written(run: Run, asked, first: int, last: int) -> None:
    done = run("session", "history", "s", *asked)
    assert (done.status, done.out, done.err) == (0, b"".join(LINES[first - 1 : last]), "")


@pytest.mark.usefixtures("begun")
def test_since_goes_by_when_lines_were_added(run: Run, home: dict[str, str]) -> None:
    times = Path(home["XDG_DATA_HOME"]) / "ctxkit" / "histories" / "s.times"
    first, second = times.read_text().splitlines()
    times.write_text("1000000000.5 " + first.partition(" ")[2] + "\n" + second + "\n")
    assert run("session", "history", "s", "--since", "1h").out == b"".join(LINES[2:])
    assert run("session", "history", "s", "--since", "2001-09-09T01:46:40+00:00").out == b"".join(LINES)
    times.write_text(second + "\n")
    done = run("session", "history", "s", "--since", "2001-01-01")
    assert (done.out, done.err.count("warning: the time of the lines up to 2 is not known")) == (b"".join(LINES[2:]), 1)


@pytest.mark.usefixtures("begun")
def test_as_objects_lines_have_their_numbers_and_times(run: Run) -> None:
    rows = [json.loads(row) for row in run("session", "history", "s", "--lines", "2:3", "--json").out.splitlines()]
    assert [(row["line"], row["entry"]["content"]) for row in rows] == [(2, "message 2"), (3, "message 3")]
    assert 0 < rows[1]["added"] - rows[0]["added"] < 60
    assert set(rows[0]) == {"line", "added", "entry"}


def test_a_session_without_messages_has_an_empty_history(run: Run) -> None:
    run("session", "new", "s", "--window", "8000")
    done = run("session", "history", "s")
    assert (done.status, done.out, done.err) == (0, b"", "")


def test_the_history_of_a_session_that_is_not_there_is_a_no(run: Run) -> None:
    done = run("session", "history", "s")
    assert (done.status, done.err.splitlines()[0]) == (1, "ctxkit: no session s")


@pytest.mark.quick_cases(3)
@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize(
    ("asked", "status"),
    [(("--lines", "6:"), 1), (("--last", "0"), 2), (("--since", "noon"), 2), (("--last", "1", "--lines", "1"), 2)],
)
def test_what_cannot_be_is_said(run: Run, asked, status: int) -> None:
    done = run("session", "history", "s", *asked)
    assert (done.status, done.out) == (status, b"")


@pytest.mark.usefixtures("begun")
def test_it_outlives_the_ledger_and_goes_with_the_session(run: Run, home: dict[str, str]) -> None:
    data = Path(home["XDG_DATA_HOME"]) / "ctxkit"
    for path in data.glob("ctxkit.db*"):
        path.unlink()
    assert run("session", "history", "s").out == b"".join(LINES)
    assert run("session", "status", "s").status == 1
    assert run("session", "rm", "s").status == 0
    assert list((data / "histories").iterdir()) == []
    assert run("session", "history", "s").status == 1
    assert run("session", "rm", "s").status == 1


def start(run, *args):
    assert run("session", "new", "s", *args).status == 0


def test_text_says_what_is_used_and_left(run: Run) -> None:
    start(run, "--model", "qwen3-30b", "--used", "1000")
    lines = run("session", "status", "s").out.decode().splitlines()
    assert lines[0] == "s: qwen3-30b, window 32,768, reserve 6,554"
    assert lines[1] == "used 1,000 of 26,214 (4%), 25,214 available"
    assert lines[2] == "0 items, 0 as maps, 0 compactions"
    assert lines[3].startswith("updated 20")
    assert len(lines) == 4


@pytest.mark.parametrize(("used", "tight", "blocked"), [(949, False, False), (950, True, False), (979, True, False), (980, True, True), (2000, True, True)])
def test_past_the_triggers_it_is_tight_then_blocked(run: Run, used: int, tight: bool, blocked: bool) -> None:
    start(run, "--window", "1000", "--reserve", "0", "--used", str(used))
    found = json.loads(run("session", "status", "s", "--json").out)
    assert (found["tight"], found["blocked"], found["available"]) == (tight, blocked, max(1000 - used, 0))
    last = run("session", "status", "s").out.decode().splitlines()[-1]
    assert last.partition(":")[0] == ("full" if blocked else "tight" if tight else last.partition(":")[0])
    softer = {"CTXKIT_COMPACT_TRIGGER": "1", "CTXKIT_HARD_BLOCK": "1"}
    assert json.loads(run("session", "status", "s", "--json", env=softer).out)["tight"] == (used >= 1000)


def test_the_variable_names_the_session_too(run: Run) -> None:
    start(run, "--window", "1000")
    assert run("session", "status", env={"CTXKIT_SESSION": "s"}).out.startswith(b"s: no model")
    assert run("session", "status").status == 2
    done = run("session", "status", env={"CTXKIT_SESSION": "a/b"})
    assert (done.status, done.err.splitlines()[0]) == (78, "ctxkit: CTXKIT_SESSION: 'a/b' is not the name of a session")


def test_the_status_of_a_session_that_is_not_there_is_a_no(run: Run) -> None:
    done = run("session", "status", "s")
    assert (done.status, done.out) == (1, b"")
    assert done.err == "ctxkit: no session s\n  hint: ctxkit session list shows all sessions\n"


def test_what_others_hold_is_waited_for_and_said(run: Run, home: dict[str, str]) -> None:
    start(run, "--window", "1000")
    with closing(sqlite3.connect(Path(home["XDG_DATA_HOME"]) / "ctxkit" / "ctxkit.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        assert run("session", "status", "s").status == 0
        done = run("session", "reset", "s", "--used", "0", limits={"ctxkit.engines.database.WAIT": 0.3})
    assert done.status == 75
    assert "is locked by another process" in done.err


def test_what_is_used_is_what_is_said(run: Run) -> None:
    run("session", "new", "s", "--window", "1000", "--tokenizer", "bytes/3")
    run("gate", "--session", "s", stdin="some text of twenty-seven\n")
    assert (status_of(run, "s")["used"], status_of(run, "s")["estimated"]) == (9, 9)
    done = run("session", "reset", "s", "--used", "300")
    assert (done.status, done.out, done.err) == (0, b"", "")
    found = status_of(run, "s")
    assert (found["used"], found["estimated"], found["items"], found["available"]) == (300, 0, 1, 500)
    assert run("session", "reset", "s", "--used", "0").status == 0
    assert status_of(run, "s")["used"] == 0


def test_a_forgotten_number_is_no_number(run: Run) -> None:
    run("session", "new", "s", "--window", "1000", "--used", "40")
    done = run("session", "reset", "s")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("ctxkit: missing option: --used N\n  hint: ctxkit session reset s --used 1200")
    assert status_of(run, "s")["used"] == 40


def test_what_is_not_there_or_not_a_number_is_refused(run: Run) -> None:
    assert run("session", "reset", "s", "--used", "0").status == 1
    assert run("session", "reset", "a/b", "--used", "0").status == 2
    assert run("session", "reset", "s", "--used", "-1").status == 2


def test_sessions_come_newest_first(run: Run) -> None:
    assert run("session", "list").out == b""
    run("session", "new", "a", "--model", "qwen3-30b", "--used", "7")
    run("session", "new", "b", "--window", "1000")
    rows = [row.split() for row in run("session", "list").out.decode().splitlines()]
    assert [row[:3] for row in rows] == [["b", "0", "800"], ["a", "7", "26,214"]]
    assert rows[1][-1] == "qwen3-30b"
    found = [json.loads(row) for row in run("session", "list", "--json").out.splitlines()]
    assert found == [json.loads(run("session", "status", name, "--json").out) for name in "ba"]


WRITES = {"renameat": 1, "unlinkat": 1, "write": 1, "pwrite64": 9}
"""The calls of the system that change something, and the first of each that does: the index of a log is no change."""
TEXT = b"".join(b"row %d of the report holds %d\n" % (row, row * 7919 % 1000) for row in range(400))
SIZED_SESSION = ("--window", "2000", "--tokenizer", "bytes/3")


def refs(run):
    return [line.split()[0] for line in run("cache", "list").out.decode().splitlines()]


@pytest.mark.slow
def test_a_session_goes_with_the_content_that_is_its_own(run: Run) -> None:
    run("gate", *SIZED_SESSION, "--session", "s", stdin=TEXT + b"one\n")
    run("gate", *SIZED_SESSION, "--session", "s", stdin=TEXT + b"both\n")
    run("gate", *SIZED_SESSION, "--session", "t", stdin=TEXT + b"both\n")
    run("gate", *SIZED_SESSION, stdin=TEXT + b"nobody's\n")
    assert len(refs(run)) == 3
    done = run("session", "rm", "s")
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert len(refs(run)) == 2
    assert run("session", "status", "s").status == 1
    assert run("session", "rm", "t").status == 0
    assert len(refs(run)) == 1


def test_either_all_go_or_none(run: Run) -> None:
    run("session", "new", "s", *SIZED_SESSION)
    assert run("session", "rm", "s", "t").status == 1
    assert run("session", "status", "s").status == 0
    assert run("session", "rm").status == 2


@pytest.mark.slow
def test_collecting_leaves_what_an_active_session_refers_to(run: Run, collect) -> None:
    run("gate", *SIZED_SESSION, "--session", "s", stdin=TEXT)
    run("gate", *SIZED_SESSION, stdin=TEXT + b"nobody's\n")
    assert collect().status == 0
    assert len(refs(run)) == 1
    run("session", "rm", "s")
    assert refs(run) == []


def test_what_is_held_elsewhere_stays(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b'{"role":"user","content":"a"}\n{"role":"user","content":"b"}\n')
    before = path.read_bytes()
    for name in "st":
        run("session", "new", name, *SIZED_SESSION)
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
    run("session", "new", "s", *SIZED_SESSION)
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
    assert {("renameat", (True,) * 3), ("pwrite64", (True,) * 3), ("unlinkat", (False,) * 3)} <= set(outcomes)
