"""Messages go into the history as they are, and what a model reads of them onto the ledger."""

import json
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import Run

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
