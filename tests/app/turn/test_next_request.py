"""A turn in this process; tests/commands/test_turn.py runs the command."""

import json
from pathlib import Path

import pytest

from ctxkit.app.services import session_log, sessions
from ctxkit.app.turn.next_request import TurnInput, TurnOutcome, run_turn
from ctxkit.core.errors import InputOutputError, UsageError
from ctxkit.core.prompt import PromptSection
from ctxkit.edge.prompts import TurnOptions
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.settings import Settings, load

USER = b'{"role": "user", "content": "hi"}\n'
REQUEST = CliRequest(window=8000, tokenizer="bytes/3", session="s")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load({"CTXKIT_DATA_DIR": str(tmp_path / "data"), "CTXKIT_CACHE_DIR": str(tmp_path / "cache")}, str(tmp_path))


def turn(settings: Settings, messages: bytes = USER, **options) -> TurnOutcome:
    return run_turn(TurnInput(messages), TurnOptions(**options), Call(REQUEST, settings))


def test_the_history_grows_and_the_request_has_all_of_it(settings: Settings) -> None:
    assert json.loads(turn(settings).content) == {"messages": [json.loads(USER)]}
    outcome = turn(settings)
    assert len(json.loads(outcome.content)["messages"]) == outcome.report.messages == 2
    assert outcome.report.appended == 1


def test_the_note_is_left_out_if_it_would_block(settings: Settings) -> None:
    assert "Context Status" in json.loads(turn(settings, note="full").content)["messages"][0]["content"]
    assert b"Context Status" not in turn(settings, b"", note="none").content


def test_a_turn_needs_a_session(settings: Settings) -> None:
    with pytest.raises(UsageError, match="needs a session"):
        run_turn(TurnInput(USER), TurnOptions(), Call(CliRequest(window=9000), settings))


def test_another_api_than_that_of_the_history_is_an_error(settings: Settings) -> None:
    content = [{"type": "tool_use", "id": "a", "name": "x", "input": {}}]
    turn(settings, USER + json.dumps({"role": "assistant", "content": content}).encode(), provider="anthropic")
    with pytest.raises(UsageError, match="in the form of anthropic"):
        turn(settings, provider="openai")


def test_messages_that_another_process_appends_meanwhile_are_in_the_request(monkeypatch, settings: Settings) -> None:
    turn(settings)
    read = session_log.read_resumed

    def read_and_append(*args):
        resumed = read(*args)
        monkeypatch.setattr(session_log, "read_resumed", read)
        sessions.history(settings).append("s", [b'{"role": "assistant", "content": "meanwhile"}'])
        return resumed

    monkeypatch.setattr(session_log, "read_resumed", read_and_append)
    contents = [message["content"] for message in json.loads(turn(settings).content)["messages"]]
    assert contents == ["hi", "meanwhile", "hi"]


def test_without_a_snapshot_the_full_history_is_loaded(monkeypatch, capsys, settings: Settings) -> None:
    """Seed 001: "Snapshot save fails -> resume loads full history"."""
    turn(settings)

    def fail(*_: object) -> None:
        raise InputOutputError("the database is broken")

    monkeypatch.setattr(session_log, "read_resumed", fail)
    assert len(json.loads(turn(settings).content)["messages"]) == 2
    assert "resumes from its whole history" in capsys.readouterr().err


@pytest.mark.slow
def test_the_cached_prefix_is_the_same_over_a_hundred_turns_in_which_only_dynamic_sections_change(
    settings: Settings,
) -> None:
    static = [PromptSection("base", "Be careful."), PromptSection("rules", "Use tabs.")]
    prefixes = set()
    for number in range(100):
        sections = [*static, PromptSection("scratchpad", f"dynamic {number * number}")]
        turn_input = TurnInput(USER if not number else b"", sections)
        content = run_turn(turn_input, TurnOptions(note="full"), Call(REQUEST, settings)).content
        prefixes.add(content.partition(b"dynamic ")[0])
    assert len(prefixes) == 1
    assert b"Be careful.\\n\\nUse tabs.\\n" in prefixes.pop()
