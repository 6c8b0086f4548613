"""Snapshots of a session with two messages are saved, read, compared, promoted and removed."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

SIZED = ("--window", "8000", "--tokenizer", "bytes/3")
ONE, TWO, LATER = (b'{"role":"user","content":"%s", "n": 1.10}\n' % word for word in (b"one", b"two", b"later"))
SHORT = b'{"role":"system","content":"one and two"}\n'


def status(run: Run) -> Any:
    """Return what session status prints of the session s."""
    return json.loads(run("session", "status", "s", "--json").out)


@pytest.fixture(autouse=True)
def begun(run: Run) -> None:
    """A session with two messages."""
    run("session", "new", "s", *SIZED)
    assert run("session", "append", "s", stdin=ONE + TWO).status == 0


def test_it_is_described(run: Run) -> None:
    saved = json.loads(run("snapshot", "save", "s", "--json", stdin=SHORT).out)
    tokens = int(run("count", "--input", "chat", "--tokenizer", "bytes/3", stdin=SHORT).out)
    created = saved.pop("created")
    assert saved == {
        "session": "s",
        "number": 1,
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


def test_a_compaction_is_booked_only_when_it_is_one(run: Run) -> None:
    before = status(run)
    run("snapshot", "save", "s", stdin=SHORT)
    assert status(run) == before
    tokens = json.loads(run("snapshot", "save", "s", "--compacted", "--json", stdin=SHORT).out)["tokens"]
    after = status(run)
    assert (after["used"], after["estimated"], after["compactions"]) == (tokens, tokens, 1)


@pytest.mark.slow
def test_what_it_mentions_is_not_collected(run: Run, collect) -> None:
    ref = run("cache", "put", stdin=b"stored").out.decode().strip()
    run("cache", "put", stdin=b"nobody's")
    run("snapshot", "save", "s", stdin=b'{"role":"user","content":"ctxkit cache get %s"}' % ref.encode())
    collect()
    assert run("cache", "get", ref).out == b"stored"
    assert len(run("cache", "list").out.splitlines()) == 1
    run("session", "rm", "s")
    collect()
    assert run("cache", "get", ref).status == 1


@pytest.mark.parametrize("data", [b"", b'{"a":1}'])
def test_what_is_no_conversation_is_not_saved(run: Run, data: bytes) -> None:
    assert run("snapshot", "save", "s", stdin=data).status == 65
    assert run("snapshot", "list").out == b""


def test_what_was_saved_is_loaded_byte_for_byte(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "short.json"
    path.write_bytes(b'\xef\xbb\xbf[ {"role":"user",  "content":"caf\\u00e9 \xff"} ]\n\n')
    done = run("snapshot", "save", "s", path)
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert run("snapshot", "load", "s").out == path.read_bytes()
    assert run("snapshot", "resume", "s").out == path.read_bytes()


def test_a_session_resumes_from_its_snapshot_and_what_came_after(run: Run) -> None:
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


def test_a_document_goes_on_as_one(run: Run) -> None:
    run("snapshot", "save", "s", stdin=b'{"model": "m",\n "messages": [\n  ' + SHORT.strip() + b"\n ]}\n")
    run("session", "append", "s", stdin=LATER)
    resumed = run("snapshot", "resume", "s").out
    assert resumed == b'{"model": "m",\n "messages": [\n  ' + SHORT.strip() + b",\n  " + LATER.strip() + b"\n ]}\n"


@pytest.mark.slow
def test_it_stands_for_as_many_lines_as_it_is_told(run: Run) -> None:
    run("snapshot", "save", "s", "--covers", "1", stdin=SHORT)
    assert run("snapshot", "resume", "s").out == SHORT + TWO
    run("snapshot", "save", "s", "--covers", "0", stdin=SHORT)
    assert run("snapshot", "resume", "s").out == SHORT + ONE + TWO
    done = run("snapshot", "save", "s", "--covers", "3", stdin=SHORT)
    assert (done.status, done.err.splitlines()[0]) == (1, "ctxkit: the history of s has 2 lines")


def test_lines_that_were_cut_short_are_skipped_with_a_warning(run: Run, home: dict[str, str]) -> None:
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


def test_listing_is_from_the_newest(run: Run) -> None:
    run("session", "new", "t", *SIZED)
    for name in "ts":
        run("snapshot", "save", name, stdin=SHORT)
    assert [row.split()[0] for row in run("snapshot", "list").out.decode().splitlines()] == ["s", "t"]


LONG = SHORT + ONE


def test_snapshots_are_compared_with_each_other_and_with_files(run: Run, tmp_path) -> None:
    (tmp_path / "short.json").write_bytes(SHORT)
    run("snapshot", "save", "s", stdin=SHORT)
    run("snapshot", "save", "s", stdin=LONG)
    done = run("snapshot", "diff", "s")
    assert done.status == 1
    assert done.out.startswith(b"--- s@2\n+++ s\n@@ +2 user added @@\n+")
    assert run("snapshot", "diff", "s@2").out == done.out
    equal = run("snapshot", "diff", "s@2", str(tmp_path / "short.json"))
    assert (equal.status, equal.out) == (0, b"")
    report = json.loads(run("snapshot", "diff", "s", "s@2", "--json").out)
    assert (report["from"], report["to"], report["kept"]) == ("s", "s@2", 1)
    assert [(row["change"], row["before"], row["after"]) for row in report["changes"]] == [("removed", 2, None)]


def test_what_does_not_exist_is_named(run: Run, tmp_path) -> None:
    run("snapshot", "save", "s", stdin=SHORT)
    missing = run("snapshot", "diff", "s")
    assert missing.status == 66
    assert missing.err.startswith("ctxkit: s@2: neither a snapshot nor a file")
    assert run("snapshot", "diff", "s@0", "s").status == 66
    (tmp_path / "chat").write_bytes(SHORT)
    assert run("snapshot", "diff", "chat", cwd=tmp_path).status == 2


PAGE = "[ctxkit summary] Earlier.\n\n# Context\n\n## Decisions\n- Keep the parser apart.\n\n## Facts\n- Only here: %s.\n"


def talk(name: str) -> bytes:
    messages = ({"role": "system", "content": PAGE % name}, {"role": "user", "content": "go on"})
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


@pytest.mark.slow
def test_a_repeated_decision_is_a_patch_and_written_only_if_asked(run, tmp_path):
    here = tmp_path / "project"
    here.mkdir()
    for name in ("p", "q"):
        assert run("session", "new", name, *SIZED, cwd=here).status == 0
        assert run("snapshot", "save", name, stdin=talk(name)).status == 0
    patch = run("snapshot", "promote", cwd=here)
    assert patch.status == 0
    assert patch.out.decode().endswith("+# Memory\n+\n+- Keep the parser apart.\n")
    assert not (here / "MEMORY.md").exists()
    proposed = json.loads(run("snapshot", "promote", "--json", cwd=here).out)
    assert proposed["proposals"] == [
        {"text": "Keep the parser apart.", "section": "Decisions", "sessions": ["q", "p"], "original": None}
    ]
    worded = json.loads(run("snapshot", "promote", "--json", "--summarizer", "cmd:echo '1. Keep parser apart.'", cwd=here).out)
    assert (worded["proposals"][0]["text"], worded["proposals"][0]["original"]) == ("Keep parser apart.", "Keep the parser apart.")
    refused = run("snapshot", "promote", "--json", "--summarizer", "cmd:echo '1. Never keep the parser apart.'", cwd=here)
    assert json.loads(refused.out) == proposed
    failed = run("snapshot", "promote", "--json", "--summarizer", "cmd:false", cwd=here)
    assert (json.loads(failed.out), "the lines stay as they are" in failed.err) == (proposed, True)
    assert run("snapshot", "promote", "--summarizer", "magic", cwd=here).status == 2
    written = run("snapshot", "promote", "--write", cwd=here)
    assert (written.status, "1 line appended to MEMORY.md" in written.err) == (0, True)
    assert (here / "MEMORY.md").read_text() == "# Memory\n\n- Keep the parser apart.\n"
    assert run("snapshot", "promote", cwd=here).out == b""


def test_sessions_of_other_directories_propose_nothing(run, tmp_path):
    assert run("snapshot", "save", "s", stdin=SHORT).status == 0
    ran = run("snapshot", "promote", str(tmp_path))
    assert (ran.out, "Nothing to propose: 0 sessions with a summary." in ran.err) == (b"", True)
    assert run("snapshot", "promote", str(tmp_path / "absent")).status == 66


@pytest.mark.slow
def test_a_session_takes_its_snapshot_along(run: Run, home: dict[str, str]) -> None:
    run("snapshot", "save", "s", stdin=SHORT)
    run("session", "rm", "s")
    assert run("snapshot", "list").out == b""
    for verb in ("load", "resume", "rm"):
        assert run("snapshot", verb, "s").status == 1
    done = run("snapshot", "save", "s", stdin=SHORT)
    assert (done.status, done.err.splitlines()[0]) == (1, "ctxkit: no session s")


def test_either_all_snapshots_go_or_none(run: Run) -> None:
    run("snapshot", "save", "s", stdin=SHORT)
    assert run("snapshot", "rm", "s", "t").status == 1
    assert run("snapshot", "load", "s").out == SHORT
    assert run("snapshot", "rm", "s").status == 0
    assert run("snapshot", "load", "s").status == 1
    assert run("session", "status", "s").status == 0
