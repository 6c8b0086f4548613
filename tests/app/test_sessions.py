"""An edit runs within its session, and is an event."""

import json
from pathlib import Path

import pytest

from ctxkit.app.sessions import edit_conversation
from ctxkit.core.errors import Exit, NotStoredError
from ctxkit.core.text.quantity import PositionRange
from ctxkit.edge.editing import EditRequest
from ctxkit.edge.request import Call, CliRequest
from tests.core.edit.talk import CHAT


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
