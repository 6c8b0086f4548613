import json
from pathlib import Path

import pytest

from ctxkit.app.hosts.compaction import extract_page, save_page
from ctxkit.app.hosts.summary_files import load_page
from ctxkit.core.errors import CtxkitError
from ctxkit.core.hosts import codex
from ctxkit.core.hosts.events import MAX_CONTEXT
from ctxkit.core.hosts.host import EventKind, HookEvent
from ctxkit.edge import settings


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
