"""The note of a nearly full window, from the usage in a host's transcript."""

import json
from pathlib import Path

import pytest

from ctxkit.app.hosts.usage_notice import make_host_note
from ctxkit.edge import settings


def write(path: Path, used: int, model: str = "claude-sonnet-4-5", more: str = "") -> str:
    message = {"role": "assistant", "model": model, "content": [{"type": "text", "text": "Yes."}], "usage": {"input_tokens": used}}
    row = {"type": "assistant", "message": message, "uuid": "b", "parentUuid": None, "sessionId": "s"}
    path.write_text(more + json.dumps(row) + "\n")
    return str(path)


@pytest.mark.parametrize(("used", "note"), [(128_000, ""), (130_000, "81% used"), (250_000, "156% used")])
def test_past_80_percent_of_the_effective_window(tmp_path: Path, used: int, note: str) -> None:
    text = make_host_note(write(tmp_path / "t.jsonl", used), settings.load())
    assert (note in text, bool(text)) == (True, bool(note))


def test_the_end_of_a_long_transcript_counts(tmp_path: Path) -> None:
    more = (json.dumps({"type": "summary", "summary": "x" * 900}) + "\n") * 2_000
    assert "81% used" in make_host_note(write(tmp_path / "t.jsonl", 130_000, more=more), settings.load())


def test_no_note_without_a_window_or_a_transcript(tmp_path: Path) -> None:
    assert make_host_note(write(tmp_path / "t.jsonl", 10**9, "no-such-model"), settings.load()) == ""
    assert make_host_note("", settings.load()) == ""
