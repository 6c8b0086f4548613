"""A snapshot is what a session resumes from, with what was appended after it."""

import json
from pathlib import Path

import pytest

SIZED = ("--window", "8000", "--tokenizer", "bytes/3")
ONE, TWO, LATER = (b'{"role":"user","content":"%s", "n": 1.10}\n' % word for word in (b"one", b"two", b"later"))
SHORT = b'{"role":"system","content":"one and two"}\n'


@pytest.fixture(autouse=True)
def begun(run):
    """A session with two messages."""
    run("session", "new", "s", *SIZED)
    assert run("session", "append", "s", stdin=ONE + TWO).status == 0


def status(run):
    return json.loads(run("session", "status", "s", "--json").out)


def test_what_was_saved_is_loaded_byte_for_byte(run, tmp_path):
    path = tmp_path / "short.json"
    path.write_bytes(b'\xef\xbb\xbf[ {"role":"user",  "content":"caf\\u00e9 \xff"} ]\n\n')
    done = run("snapshot", "save", "s", path)
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert run("snapshot", "load", "s").out == path.read_bytes()
    assert run("snapshot", "resume", "s").out == path.read_bytes()


def test_it_is_described(run):
    saved = json.loads(run("snapshot", "save", "s", "--json", stdin=SHORT).out)
    tokens = int(run("count", "--input", "chat", "--tokenizer", "bytes/3", stdin=SHORT).out)
    created = saved.pop("created")
    assert saved == {
        "session": "s",
        "format": "openai",
        "messages": 1,
        "tokens": tokens,
        "method": "estimate",
        "covers": 2,
    }
    assert abs(created - status(run)["updated"]) < 60
    assert json.loads(run("snapshot", "load", "s", "--json").out) == {**saved, "created": created}
    assert json.loads(run("snapshot", "list", "--json").out) == {**saved, "created": created}
    row = run("snapshot", "list").out.decode()
    assert row.split()[:3] == ["s", str(tokens), "1"]
    assert row.endswith("openai        for 2 lines\n")


def test_a_session_resumes_from_its_snapshot_and_what_came_after(run):
    assert run("snapshot", "resume", "s").out == ONE + TWO
    run("snapshot", "save", "s", stdin=SHORT)
    run("session", "append", "s", stdin=LATER)
    assert run("snapshot", "resume", "s").out == SHORT + LATER
    assert run("session", "history", "s").out == ONE + TWO + LATER
    found = json.loads(run("snapshot", "resume", "s", "--json").out)
    assert (found["from"], found["covers"], found["appended"]) == ("snapshot", 2, 1)
    assert found["content"].encode() == SHORT + LATER
    run("snapshot", "rm", "s")
    found = json.loads(run("snapshot", "resume", "s", "--json").out)
    assert (found["from"], found["created"], found["appended"]) == ("history", None, 3)
    assert run("snapshot", "resume", "s").out == ONE + TWO + LATER


def test_a_document_goes_on_as_one(run):
    run("snapshot", "save", "s", stdin=b'{"model": "m",\n "messages": [\n  ' + SHORT.strip() + b"\n ]}\n")
    run("session", "append", "s", stdin=LATER)
    resumed = run("snapshot", "resume", "s").out
    assert resumed == b'{"model": "m",\n "messages": [\n  ' + SHORT.strip() + b",\n  " + LATER.strip() + b"\n ]}\n"


def test_it_stands_for_as_many_lines_as_it_is_told(run):
    run("snapshot", "save", "s", "--covers", "1", stdin=SHORT)
    assert run("snapshot", "resume", "s").out == SHORT + TWO
    run("snapshot", "save", "s", "--covers", "0", stdin=SHORT)
    assert run("snapshot", "resume", "s").out == SHORT + ONE + TWO
    done = run("snapshot", "save", "s", "--covers", "3", stdin=SHORT)
    assert (done.status, done.err.splitlines()[0]) == (1, "ctxkit: the history of s has 2 lines")


def test_a_compaction_is_booked_only_when_it_is_one(run):
    before = status(run)
    run("snapshot", "save", "s", stdin=SHORT)
    assert status(run) == before
    tokens = json.loads(run("snapshot", "save", "s", "--compacted", "--json", stdin=SHORT).out)["tokens"]
    after = status(run)
    assert (after["used"], after["estimated"], after["compactions"]) == (tokens, tokens, 1)


def test_lines_that_were_cut_short_are_skipped_with_a_warning(run, home):
    run("snapshot", "save", "s", stdin=SHORT)
    history = Path(home["XDG_DATA_HOME"]) / "ctxkit" / "histories" / "s.jsonl"
    with history.open("ab") as file:
        file.write(b'{"role":"us')
    run("session", "append", "s", stdin=LATER)
    done = run("snapshot", "resume", "s")
    assert (done.status, done.out) == (0, SHORT + LATER)
    assert "line 3 was cut short" in done.err
    history.write_bytes(ONE)
    done = run("snapshot", "resume", "s")
    assert (done.out, done.err.count("has 1 lines, and had 2")) == (SHORT, 1)


def test_what_it_mentions_is_not_collected(run, collect):
    ref = run("cache", "put", stdin=b"stored").out.decode().strip()
    run("cache", "put", stdin=b"nobody's")
    run("snapshot", "save", "s", stdin=b'{"role":"user","content":"ctxkit cache get %s"}' % ref.encode())
    collect()
    assert run("cache", "get", ref).out == b"stored"
    assert len(run("cache", "list").out.splitlines()) == 1
    run("session", "rm", "s")
    collect()
    assert run("cache", "get", ref).status == 1


def test_a_session_takes_its_snapshot_along(run, home):
    run("snapshot", "save", "s", stdin=SHORT)
    run("session", "rm", "s")
    assert run("snapshot", "list").out == b""
    for verb in ("load", "resume", "rm"):
        assert run("snapshot", verb, "s").status == 1
    done = run("snapshot", "save", "s", stdin=SHORT)
    assert (done.status, done.err.splitlines()[0]) == (1, "ctxkit: no session s")


def test_either_all_snapshots_go_or_none(run):
    run("snapshot", "save", "s", stdin=SHORT)
    assert run("snapshot", "rm", "s", "t").status == 1
    assert run("snapshot", "load", "s").out == SHORT
    assert run("snapshot", "rm", "s").status == 0
    assert run("snapshot", "load", "s").status == 1
    assert run("session", "status", "s").status == 0


@pytest.mark.parametrize("data", [b"", b'{"a":1}'])
def test_what_is_no_conversation_is_not_saved(run, data):
    assert run("snapshot", "save", "s", stdin=data).status == 65
    assert run("snapshot", "list").out == b""


def test_listing_is_from_the_newest(run):
    run("session", "new", "t", *SIZED)
    for name in "ts":
        run("snapshot", "save", name, stdin=SHORT)
    assert [row.split()[0] for row in run("snapshot", "list").out.decode().splitlines()] == ["s", "t"]
