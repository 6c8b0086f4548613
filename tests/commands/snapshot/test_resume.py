"""A session resumes from its snapshot and what was appended after it."""

import json
from pathlib import Path

import pytest

from tests.commands.snapshot.talk import LATER, ONE, SHORT, TWO
from tests.conftest import Run


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
