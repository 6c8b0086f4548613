"""The compaction of a turn: tests/commands/test_turn.py runs it; here is what happens if it fails."""

import json
from pathlib import Path

import pytest

from ctxkit.app.services import engines, sessions, turn_compaction
from ctxkit.app.services.turn_compaction import StepTerms, compact_for_turn
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.compact.services import TokenCounter
from ctxkit.core.session.history import HistoryExtent, digest_message
from ctxkit.core.session.ledger import Session
from ctxkit.core.turn.steps import TurnStep
from ctxkit.edge.prompt_options import TurnOptions
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.settings import Settings, load

REQUEST = CliRequest(window=4000, tokenizer="bytes/3", session="s")
ROLES = ("user", "assistant")
TALK = "".join(
    json.dumps({"role": role, "content": f"{role} {number}: " + "words " * 40}) + "\n"
    for number in range(20)
    for role in ROLES
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load({"CTXKIT_DATA_DIR": str(tmp_path / "data"), "CTXKIT_CACHE_DIR": str(tmp_path / "cache")}, str(tmp_path))


def compact(step: TurnStep, settings: Settings, talk: str = TALK) -> Transcript | None:
    sessions.ledger(settings).add(Session("s", 4000, 800))
    options = engines.make_count_options(REQUEST, settings)
    counter = TokenCounter(options.vocabulary, options.count)
    transcript = parse_transcript(talk.encode(), "x", openai)
    extent = HistoryExtent(40, len(talk))
    terms = StepTerms(Call(REQUEST, settings), TurnOptions(prune=0.8), options, counter)
    return compact_for_turn(step, transcript, terms, 100, extent)


def test_a_compaction_saves_a_snapshot_that_covers_the_history(settings: Settings) -> None:
    """Seed 001: "Persist messages + update snapshot if compacted"."""
    compacted = compact("force", settings)
    assert compacted is not None
    snapshot = sessions.snapshots(settings).find("s")
    assert snapshot is not None
    assert (snapshot.content, snapshot.covers.lines) == (compacted.text.encode(), 40)
    assert len(compacted.text) < len(TALK) / 2


def test_pruning_without_tool_results_changes_nothing(settings: Settings) -> None:
    assert compact("prune", settings) is None
    assert sessions.snapshots(settings).find("s") is None


def test_what_the_model_keeps_is_not_pruned(settings: Settings) -> None:
    """Seed 004: "Agent can manually edit if needed"; pruning leaves what keep_range named."""
    calls = [{"id": f"c{at}", "type": "function", "function": {"name": "sh", "arguments": "{}"}} for at in range(12)]
    values = [{"role": "user", "content": "go"}]
    for at, call in enumerate(calls):
        values += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{at}", "content": f"result {at}: " + "long words " * 70},
        ]
    talk = "".join(f"{json.dumps(value)}\n" for value in values)
    sessions.ledger(settings).add(Session("s", 4000, 800))
    transcript = parse_transcript(talk.encode(), "x", openai)
    digest = digest_message(transcript, transcript.records[2])
    sessions.context_marks(settings).set_mark("s", [digest], "keep")
    pruned = compact("prune", settings, talk)
    assert pruned is not None
    texts = [record.results[0].text for record in pruned.records if record.results]
    assert texts[0] == transcript.records[2].results[0].text
    assert texts[1].startswith("[Tool result stored")


def test_a_compaction_that_is_due_below_the_trigger_starts_at_the_size_that_there_is(settings: Settings) -> None:
    lines = TALK.splitlines(keepends=True)
    assert compact("compact", settings, "".join(lines[:34])) is not None


def test_a_compaction_that_fails_leaves_the_conversation(monkeypatch, capsys, settings: Settings) -> None:
    def fail(*_: object) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(turn_compaction, "_compact", fail)
    assert compact("force", settings) is None
    assert "the conversation is not compacted: ValueError: broken" in capsys.readouterr().err
