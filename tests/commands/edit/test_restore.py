"""What an edit took out comes back byte for byte."""

import json
import stat
from pathlib import Path

import pytest

from tests.commands.edit.talk import LINES


@pytest.mark.slow
def test_edits_in_place_are_undone_one_by_one(run, chat) -> None:
    chat.chmod(0o640)
    states = [chat.read_bytes()]
    for args in (("remove", "6:7"), ("summarize", "3:4", "--summary", "It reads x."), ("remove", "4")):
        done = run("edit", *args, chat, "--in-place")
        assert (done.status, done.out) == (0, b"")
        assert "ctxkit edit restore --in-place" in done.err
        states.append(chat.read_bytes())
    assert len(set(states)) == 4
    for state in reversed(states[:-1]):
        assert run("edit", "restore", chat, "--in-place").status == 0
        assert chat.read_bytes() == state
    done = run("edit", "restore", chat, "--in-place")
    assert (done.status, "no stored edit belongs" in done.err) == (1, True)
    assert stat.S_IMODE(chat.stat().st_mode) == 0o640
    assert [path.name for path in chat.parent.iterdir() if path.is_file()] == ["chat.jsonl"]


def test_what_an_edit_in_place_took_out_is_not_collected_while_the_file_is_there(run, chat, collect) -> None:
    before = chat.read_bytes()
    run("edit", "remove", "2:5", chat, "--in-place")
    collect()
    assert run("edit", "restore", chat).out == before
    chat.unlink()
    collect()
    assert run("cache", "list").out == b""


def test_what_was_changed_since_is_not_restored(run, chat) -> None:
    done = run("edit", "remove", "6:7", chat)
    ref = json.loads(run("edit", "remove", "6:7", chat, "--json").out)["ref"]
    for data in (done.out.replace(b"Fix", b"Fax"), chat.read_bytes(), done.out[:-40]):
        back = run("edit", "restore", "--from", ref, stdin=data)
        assert (back.status, back.out) == (1, b""), data
    assert run("edit", "restore", stdin=b"").status == 1


def test_a_link_is_followed_and_stdin_has_no_place(run, chat, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(chat)
    assert run("edit", "remove", "2:5", link, "--in-place").status == 0
    assert link.is_symlink()
    assert chat.read_bytes() == LINES[0] + LINES[5] + LINES[6]
    assert run("edit", "remove", "2", "--in-place", stdin=chat.read_bytes()).status == 2
    assert run("edit", "remove", "2", tmp_path, "--in-place").status == 66
    assert run("edit", "remove", "2", tmp_path / "none", "--in-place").status == 66


def test_a_file_that_is_not_there_is_missing(run) -> None:
    assert run("edit", "list", "nowhere").status == run("edit", "restore", "nowhere").status == 66


def test_a_session_resumes_from_what_is_restored(run, chat) -> None:
    run("session", "new", "s", "--window", "8192")
    run("session", "append", "s", chat)
    whole = chat.read_bytes()
    edited = run("edit", "remove", "6:7", chat, "--session", "s").out
    used = json.loads(run("session", "status", "s", "--json").out)["used"]
    assert run("snapshot", "resume", "s").out == edited
    assert run("edit", "restore", "--session", "s", stdin=edited).out == whole
    assert run("snapshot", "resume", "s").out == whole
    status = json.loads(run("session", "status", "s", "--json").out)
    assert status["used"] > used
    assert status["edits"] == 2


def test_a_session_that_does_not_exist_restores_nothing(run, chat) -> None:
    edited = run("edit", "remove", "6:7", chat).out
    done = run("edit", "restore", "--session", "nobody", stdin=edited)
    assert (done.status, done.out) == (1, b"")
    assert "no session nobody" in done.err
