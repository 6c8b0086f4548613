"""The conversation from which a session resumes."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ctxkit.app.services import resumption, sessions
from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.snapshot import Snapshot
from ctxkit.engines.history import Histories

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
    resumed = resumption.read_resumed(settings, "s")
    assert resumed is not None
    assert resumed.content == content
    assert resumed.appended == content.count(b'"role"') - (snapshot is not None)
    assert resumed.extent == HistoryExtent(lines.count(b"\n"), len(lines))


def test_a_session_with_neither_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings: Any = None
    monkeypatch.setattr(sessions, "history", lambda _: Histories(str(tmp_path), pytest.fail))
    monkeypatch.setattr(sessions, "snapshots", lambda _: SimpleNamespace(find=lambda name: None))
    assert resumption.read_resumed(settings, "s") is None
