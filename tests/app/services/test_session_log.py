"""Compactions and turns are recorded in the ledger and the snapshots; what cannot be recorded is a warning."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ctxkit.app.services import session_log, sessions
from ctxkit.app.services.session_log import edit_conversation
from ctxkit.core.errors import Exit, NotStoredError
from ctxkit.core.session.history import HistoryExtent, Snapshot
from ctxkit.core.session.ledger import LedgerEntry, Session, TurnEntry
from ctxkit.core.text.quantity import PositionRange
from ctxkit.edge.editing import EditRequest
from ctxkit.edge.request import Call, CliRequest
from ctxkit.engines.history import Histories
from tests.core.edit.talk import CHAT


@pytest.mark.parametrize(("method", "estimated"), [("exact", 0), ("estimate", 40)])
def test_a_compaction_is_settled_in_both_books(under, method: str, estimated: int) -> None:
    settings = under()
    sessions.ledger(settings).add(Session("s", 1000, 0, used=900))
    session_log.record_compaction(settings, Snapshot("s", b"{}", "openai", 1, 40, method, HistoryExtent(2, 9)))
    found = sessions.ledger(settings).find("s")
    assert (found.used, found.estimated, found.compactions) == (40, estimated, 1)
    assert sessions.snapshots(settings).find("s").covers == HistoryExtent(2, 9)


def test_a_compaction_that_cannot_be_noted_is_a_warning(under, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    session_log.record_compaction(under(data_dir=str(tmp_path / "file" / "x")), Snapshot("s", b"", "openai", 0, 0, "exact", HistoryExtent()))
    assert capsys.readouterr().err.startswith("ctxkit: warning: the compaction of session s is not recorded: ")


def test_a_turn_refers_to_the_results_that_it_stored(under) -> None:
    settings = under()
    sessions.ledger(settings).add(Session("s", 1000, 0))
    entry = LedgerEntry("bash", 30, "exact", "briefing", ref="f" * 64, tool="bash", call="c1")
    session_log.record_turn(settings, "s", TurnEntry(400, 0, 2, 0), [entry])
    session = sessions.ledger(settings).find("s")
    assert (session.used, session.items, session.gatings) == (400, 2, 1)
    assert sessions.ledger(settings).find_references(0.0)[1] == {"f" * 64}


LINES = b'{"role": "user", "content": "a"}\n{"role": "assistant", "content": "b"}\n'
SNAPSHOT = Snapshot("s", b'[{"role": "user", "content": "a"}]', "openai", 1, 5, "exact", HistoryExtent(1, 33))


@pytest.mark.parametrize(
    ("snapshot", "lines", "content"),
    [
        (None, LINES, LINES),
        (SNAPSHOT, LINES, b'[{"role": "user", "content": "a"},{"role": "assistant", "content": "b"}]'),
        (SNAPSHOT, LINES[:33], SNAPSHOT.content),
    ],
)
def test_it_is_the_snapshot_and_what_came_after(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: Snapshot | None, lines: bytes, content: bytes
) -> None:
    histories = Histories(str(tmp_path), pytest.fail)
    histories.append("s", lines.splitlines())
    settings: Any = None
    monkeypatch.setattr(sessions, "history", lambda _: histories)
    monkeypatch.setattr(sessions, "snapshots", lambda _: SimpleNamespace(find=lambda name: snapshot))
    resumed = session_log.read_resumed(settings, "s")
    assert resumed is not None
    assert resumed.content == content
    assert resumed.appended == content.count(b'"role"') - (snapshot is not None)
    assert resumed.extent == HistoryExtent(lines.count(b"\n"), len(lines))


def test_a_session_with_neither_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings: Any = None
    monkeypatch.setattr(sessions, "history", lambda _: Histories(str(tmp_path), pytest.fail))
    monkeypatch.setattr(sessions, "snapshots", lambda _: SimpleNamespace(find=lambda name: None))
    assert session_log.read_resumed(settings, "s") is None


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in CHAT))
    return path


def test_an_edit_is_written_to_the_file_of_events(under, chat: Path, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    request = EditRequest(PositionRange(2, 5), str(chat), in_place=True)
    assert edit_conversation(request, Call(CliRequest(), under(events=str(events)))) is Exit.DONE
    assert len(chat.read_text().splitlines()) == len(CHAT) - 4
    (event,) = map(json.loads, events.read_text().splitlines())
    assert (event["event"], event["name"], event["removed"]) == ("context_edit", str(chat), 4)
    assert event["before_tokens"] > event["after_tokens"]


def test_an_edit_for_a_session_that_does_not_exist_changes_nothing(under, chat: Path) -> None:
    before = chat.read_bytes()
    request = EditRequest(PositionRange(2, 5), str(chat), in_place=True)
    with pytest.raises(NotStoredError, match="no session gone"):
        edit_conversation(request, Call(CliRequest(session="gone"), under()))
    assert chat.read_bytes() == before
