"""The facts of a session come back once after each compaction."""

import json
from pathlib import Path

import pytest

from ctxkit.app.hosts.compaction import save_page
from ctxkit.app.hosts.summary_reinjection import mark_page_due, take_page
from ctxkit.core.hosts import copilot, gemini
from ctxkit.core.hosts.host import EventKind, HookEvent
from ctxkit.edge import settings
from tests.core.hosts.test_copilot import line as compaction
from tests.core.hosts.test_gemini import CONTEXT, THANKS
from tests.core.hosts.test_gemini import line as replacement

TURN = HookEvent(EventKind.TURN, "s")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTXKIT_DATA_DIR", str(tmp_path / "data"))


def compact(transcript: Path) -> None:
    event = HookEvent(EventKind.COMPACTION, "s", str(transcript))
    save_page(event, copilot.HOST, settings.load())
    mark_page_due(event, copilot.HOST, settings.load())


def add(transcript: Path, *lines: bytes) -> None:
    with transcript.open("ab") as file:
        file.write(b"".join(lines))


def start(id_: str) -> bytes:
    return json.dumps({"type": "session.compaction_start", "data": {"compactionAttemptId": id_}, "id": id_}).encode() + b"\n"


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "events.jsonl"
    row = {"type": "user.message", "data": {"content": "Always use port 8099."}, "id": "e1", "parentId": None}
    path.write_text(json.dumps(row) + "\n")
    return path


def test_copilot_gets_the_page_once_for_each_compaction(transcript: Path) -> None:
    config = settings.load()
    assert take_page(TURN, copilot.HOST, config) == ""
    for id_ in ("k1", "k2"):
        compact(transcript)
        add(transcript, start(id_))
        assert "Always use port 8099." in take_page(TURN, copilot.HOST, config)
        add(transcript, compaction(id_, success=True))
        assert take_page(TURN, copilot.HOST, config) == ""
        assert take_page(TURN, copilot.HOST, config) == ""


def test_copilot_gets_the_page_again_that_a_later_compaction_removed(transcript: Path) -> None:
    config = settings.load()
    compact(transcript)
    add(transcript, start("k1"), compaction("k1", success=False))
    assert take_page(TURN, copilot.HOST, config) != ""
    compact(transcript)
    add(transcript, start("k2"))
    assert take_page(TURN, copilot.HOST, config) == ""
    add(transcript, compaction("k2", success=True))
    assert "Always use port 8099." in take_page(TURN, copilot.HOST, config)
    assert take_page(TURN, copilot.HOST, config) == ""


def test_gemini_gets_what_stood_before_the_summary(tmp_path: Path) -> None:
    transcript, config = tmp_path / "chat.jsonl", settings.load()
    head = json.dumps({"sessionId": "s", "projectHash": "p"}).encode() + b"\n"
    message = json.dumps({"id": "1", "type": "user", "content": [{"text": "Always use port 8099."}]}).encode() + b"\n"
    transcript.write_bytes(head + message)
    event = TURN._replace(transcript=str(transcript))
    assert take_page(event, gemini.HOST, config) == ""
    transcript.write_bytes(head + message + replacement(CONTEXT, ("user", "It is about ports."), THANKS))
    assert "Always use port 8099." in take_page(event, gemini.HOST, config)
    assert take_page(event, gemini.HOST, config) == ""


def test_nothing_is_kept_without_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTXKIT_STORE", "false")
    transcript = tmp_path / "chat.jsonl"
    transcript.write_bytes(replacement(CONTEXT, ("user", "So far."), THANKS))
    config = settings.load()
    assert take_page(TURN._replace(transcript=str(transcript)), gemini.HOST, config) == ""
    mark_page_due(TURN._replace(transcript=str(transcript)), copilot.HOST, config)
    assert not (tmp_path / "data" / "hosts").exists()


def test_a_broken_file_of_the_state_is_like_none(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "hosts" / "pages"
    folder.mkdir(parents=True)
    (folder / "s.json").write_text("[1")
    assert take_page(TURN, copilot.HOST, settings.load()) == ""
