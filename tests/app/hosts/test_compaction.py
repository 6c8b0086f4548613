"""Files that are kept for the sessions of agent hosts."""

import json
import os
from pathlib import Path

import pytest

from ctxkit.app.hosts.compaction import (
    MAX_AGE,
    extract_page,
    keep_page,
    load_page,
    mark_page_due,
    remove_session_files,
    save_page,
    take_page,
)
from ctxkit.core.errors import CtxkitError
from ctxkit.core.hosts import codex, copilot, gemini
from ctxkit.core.hosts.host import MAX_CONTEXT, EventKind, HookEvent
from ctxkit.edge import settings
from ctxkit.edge.settings import Settings
from tests.core.hosts.test_copilot import line as compaction
from tests.core.hosts.test_gemini import CONTEXT, THANKS
from tests.core.hosts.test_gemini import line as replacement


@pytest.fixture
def transcript(tmp_path: Path) -> str:
    path = tmp_path / "t.jsonl"
    path.write_text('{"role": "user", "content": "Make the parser accept empty input."}\n')
    return str(path)


def test_a_page_has_the_facts_of_a_transcript_and_of_the_page_before(transcript: str) -> None:
    earlier = "# Context\n\n## Task\nOther.\n\n## Decisions\n- Port 8080 is used by the proxy.\n\n## Facts\n\n## Pending\n\n## Errors\n"
    page = extract_page(transcript, earlier, settings.load())
    assert "Make the parser accept empty input." in page
    assert "- Port 8080 is used by the proxy." in page


def test_the_record_follows_the_page_in_the_space_that_is_left(tmp_path: Path) -> None:
    demands = [f"Never touch module {number} without a test of its own." for number in range(400)]
    rows = [{"role": "user", "content": " ".join(demands[at : at + 20])} for at in range(0, 400, 20)]
    talk = [turn for row in rows for turn in (row, {"role": "assistant", "content": "Done."})]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in [*talk, {"role": "user", "content": "Fix a.py."}]))
    page = extract_page(str(path), "", settings.load())
    assert MAX_CONTEXT - 500 < len(page) <= MAX_CONTEXT
    page, _, record = page.partition("\n## Record\n")
    assert "Fix a.py" in page
    assert record.startswith("\n### Demands\n")
    assert all(line.startswith(("- Never touch module", "###", ">")) for line in record.split("\n") if line)
    assert len(set(record.split("\n"))) == len([line for line in record.split("\n") if line]) + 1


def test_the_record_is_taken_over_by_the_next_compaction(transcript: str) -> None:
    earlier = "# Context\n\n## Task\nOther.\n\n## Record\n\n### Failed commands\n- `make`: error: x"
    page = extract_page(transcript, earlier, settings.load())
    assert page.endswith("## Record\n\n### Failed commands\n- `make`: error: x\n")


def test_a_transcript_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CtxkitError):
        extract_page(str(tmp_path / "missing"), "", settings.load())


def test_a_page_belongs_to_its_session(transcript: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTXKIT_DATA_DIR", str(tmp_path))
    config = settings.load()
    event = HookEvent(EventKind.COMPACTION, "s1", transcript)
    save_page(event, codex.HOST, config)
    assert "Make the parser" in load_page(event, codex.HOST, config)
    assert load_page(event._replace(session="s2"), codex.HOST, config) == ""
    (tmp_path / "t.jsonl").write_text(json.dumps({"role": "user", "content": "Now the docs."}) + "\n")
    save_page(event, codex.HOST, config)
    assert "Now the docs." in load_page(event, codex.HOST, config)


HOST = codex.HOST
OLD, NEW = HookEvent(EventKind.TURN, "old"), HookEvent(EventKind.TURN, "new")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CTXKIT_DATA_DIR", str(tmp_path))
    return settings.load()


def test_a_page_is_private_and_those_of_old_sessions_go(config: Settings, tmp_path: Path) -> None:
    keep_page(OLD, HOST, "a", config)
    path = tmp_path / "hosts" / "pages" / "codex" / "old.md"
    assert path.stat().st_mode & 0o077 == 0
    os.utime(path, (0, 0))
    keep_page(NEW, HOST, "b", config)
    assert (load_page(OLD, HOST, config), load_page(NEW, HOST, config)) == ("", "b")
    assert load_page(NEW, copilot.HOST, config) == ""
    assert MAX_AGE == 30 * 24 * 3600


def test_a_page_that_version_0_1_kept_is_read_until_another_one_replaces_it(config: Settings, tmp_path: Path) -> None:
    earlier = tmp_path / "hosts" / "pages" / "new.md"
    earlier.parent.mkdir(parents=True)
    earlier.parent.parent.chmod(0o775)  # as it made them with a umask of 002
    earlier.write_text("a")
    assert load_page(NEW, HOST, config) == "a"
    keep_page(NEW, HOST, "b", config)
    assert load_page(NEW, HOST, config) == "b"
    assert not earlier.exists()


def test_the_files_of_a_session_go_with_it(config: Settings, tmp_path: Path) -> None:
    for host in (HOST, copilot.HOST):
        for event in (OLD, NEW):
            keep_page(event, host, "a", config)
    (tmp_path / "hosts" / "pages" / "old.json").write_text("{}")
    assert remove_session_files("old", config)
    assert not remove_session_files("old", config)
    assert {path.name for path in tmp_path.rglob("*.*")} == {"new.md"}


def test_a_page_that_cannot_be_kept_is_a_warning(config: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "hosts").symlink_to(tmp_path / "theirs")
    keep_page(NEW, HOST, "a", config)
    assert capsys.readouterr().err.count("\n") == 1
    assert not list((tmp_path / "theirs").iterdir())


TURN = HookEvent(EventKind.TURN, "s")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTXKIT_DATA_DIR", str(tmp_path / "data"))


def compact(transcript_summary_reinjection: Path) -> None:
    event = HookEvent(EventKind.COMPACTION, "s", str(transcript_summary_reinjection))
    save_page(event, copilot.HOST, settings.load())
    mark_page_due(event, copilot.HOST, settings.load())


def add(transcript_summary_reinjection: Path, *lines: bytes) -> None:
    with transcript_summary_reinjection.open("ab") as file:
        file.write(b"".join(lines))


def start(id_: str) -> bytes:
    return json.dumps({"type": "session.compaction_start", "data": {"compactionAttemptId": id_}, "id": id_}).encode() + b"\n"


@pytest.fixture
def transcript_summary_reinjection(tmp_path: Path) -> Path:
    path = tmp_path / "events.jsonl"
    row = {"type": "user.message", "data": {"content": "Always use port 8099."}, "id": "e1", "parentId": None}
    path.write_text(json.dumps(row) + "\n")
    return path


def test_copilot_gets_the_page_once_for_each_compaction(transcript_summary_reinjection: Path) -> None:
    config = settings.load()
    assert take_page(TURN, copilot.HOST, config) == ""
    for id_ in ("k1", "k2"):
        compact(transcript_summary_reinjection)
        add(transcript_summary_reinjection, start(id_))
        assert "Always use port 8099." in take_page(TURN, copilot.HOST, config)
        add(transcript_summary_reinjection, compaction(id_, success=True))
        assert take_page(TURN, copilot.HOST, config) == ""
        assert take_page(TURN, copilot.HOST, config) == ""


def test_copilot_gets_the_page_again_that_a_later_compaction_removed(transcript_summary_reinjection: Path) -> None:
    config = settings.load()
    compact(transcript_summary_reinjection)
    add(transcript_summary_reinjection, start("k1"), compaction("k1", success=False))
    assert take_page(TURN, copilot.HOST, config) != ""
    compact(transcript_summary_reinjection)
    add(transcript_summary_reinjection, start("k2"))
    assert take_page(TURN, copilot.HOST, config) == ""
    add(transcript_summary_reinjection, compaction("k2", success=True))
    assert "Always use port 8099." in take_page(TURN, copilot.HOST, config)
    assert take_page(TURN, copilot.HOST, config) == ""


def test_gemini_gets_what_stood_before_the_summary(tmp_path: Path) -> None:
    transcript_summary_reinjection, config = tmp_path / "chat.jsonl", settings.load()
    head = json.dumps({"sessionId": "s", "projectHash": "p"}).encode() + b"\n"
    message = json.dumps({"id": "1", "type": "user", "content": [{"text": "Always use port 8099."}]}).encode() + b"\n"
    transcript_summary_reinjection.write_bytes(head + message)
    event = TURN._replace(transcript=str(transcript_summary_reinjection))
    assert take_page(event, gemini.HOST, config) == ""
    transcript_summary_reinjection.write_bytes(head + message + replacement(CONTEXT, ("user", "It is about ports."), THANKS))
    assert "Always use port 8099." in take_page(event, gemini.HOST, config)
    assert take_page(event, gemini.HOST, config) == ""


def test_nothing_is_kept_without_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTXKIT_STORE", "false")
    transcript_summary_reinjection = tmp_path / "chat.jsonl"
    transcript_summary_reinjection.write_bytes(replacement(CONTEXT, ("user", "So far."), THANKS))
    config = settings.load()
    assert take_page(TURN._replace(transcript=str(transcript_summary_reinjection)), gemini.HOST, config) == ""
    mark_page_due(TURN._replace(transcript=str(transcript_summary_reinjection)), copilot.HOST, config)
    assert not (tmp_path / "data" / "hosts").exists()


def test_a_broken_file_of_the_state_is_like_none(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "hosts" / "pages"
    folder.mkdir(parents=True)
    (folder / "s.json").write_text("[1")
    assert take_page(TURN, copilot.HOST, settings.load()) == ""
