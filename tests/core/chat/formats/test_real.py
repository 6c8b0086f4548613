"""Real conversations keep their format, and say what was put into them, whatever is changed."""

import os
from pathlib import Path

import pytest

from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.errors import CtxkitError

CORPORA = Path(os.environ.get("CTXKIT_CORPORA") or Path(__file__).parents[4] / ".." / "shared" / "corpora")
SESSIONS = sorted((CORPORA / "sessions").rglob("*.*")) if CORPORA.is_dir() else []
MOST = 400_000
"""Bytes of a session that is read here: larger ones say nothing more."""


def conversations():
    for path in SESSIONS:
        data = path.read_bytes()
        if len(data) <= MOST:
            try:
                yield parse_transcript(data, path.name)
            except CtxkitError:  # of another format, or of several conversations
                continue


@pytest.mark.slow
@pytest.mark.skipif(not SESSIONS, reason="there are no corpora")
def test_real_conversations_say_what_is_put_into_them() -> None:
    formats = set()
    for found in conversations():
        formats.add(found.format.NAME)
        cleared, shortened = {}, {}
        for record in found.records:
            cleared[record.at] = [ValuePatch(one.place, found.format.make_result_value(one, "[gone]")) for one in record.results if one.text]
            shortened[record.at] = [ValuePatch(one.place, "less") for one in record.passages]
        again = parse_transcript(found.encode(apply_change(found, Change(patches=cleared))), "it")
        texts = [one.text for record in again.records for one in record.results if one.text]
        assert texts == ["[gone]"] * sum(map(len, cleared.values()))
        again = parse_transcript(found.encode(apply_change(found, Change(patches=shortened))), "it")
        words = [one.text for record in again.records for one in record.passages]
        assert words == ["less"] * sum(map(len, shortened.values()))
    assert formats >= {"openhands", "swe-agent", "codex", "gemini"}


@pytest.mark.skipif(not SESSIONS, reason="there are no corpora")
def test_real_conversations_keep_their_format_and_hold_what_is_inserted() -> None:
    for found in conversations():
        format_ = found.format
        assert apply_change(found, Change()) == found.text
        first = next((one for one in found.records if one.kind == "message" and one.role != "system"), None)
        if first is None:
            continue
        new = format_.make_summary("What was said.", format_.RULES.summary_role, "0" * 32, None, first.value)
        again = parse_transcript(found.encode(apply_change(found, Change(inserted={first.at: new}))), "it")
        assert again.format is format_
        assert "What was said." in again.records[first.at + len(new) - 1].words
