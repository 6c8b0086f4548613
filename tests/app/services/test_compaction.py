"""The compaction of a turn: tests/commands/test_turn.py runs it; here is what happens if it fails."""

import json
import re
from pathlib import Path

import pytest

from ctxkit.app.services import compaction, engines, sessions
from ctxkit.app.services.compaction import StepTerms, compact_for_turn
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.compact.services import TokenCounter, make_summary_writer
from ctxkit.core.errors import CtxkitError, UsageError
from ctxkit.core.session.history import HistoryExtent, digest_message
from ctxkit.core.session.ledger import Session
from ctxkit.core.turn.steps import TurnStep
from ctxkit.edge.prompts import TurnOptions
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.settings import Settings, load
from tests.app.services.test_engines import MATTER, PAGE
from tests.engines.summarizers.served import served


@pytest.mark.parametrize("name", ["extract", ""])
def test_extract_is_no_model(under, name: str) -> None:
    assert compaction.make_summarizer(name, under()) is None


@pytest.mark.parametrize("name", ["magic", "cmd:", "cmd: ", "http:", "https://", "http", "llm:x", "LLAMA"])
def test_a_summarizer_that_is_none(under, name: str) -> None:
    with pytest.raises(UsageError, match="unknown summarizer"):
        compaction.make_summarizer(name, under())


@pytest.mark.parametrize(
    "name", ["llama", "llama:/no/such.gguf", "cmd:/no/such/program", "http://127.0.0.1:9/v1", "https://127.0.0.1:9/v1"]
)
def test_nobody_is_reached_before_there_is_something_to_ask(under, name: str) -> None:
    assert callable(compaction.make_summarizer(name, under()))


@pytest.fixture
def writes(under, tmp_path: Path):
    """Write the page of the talk with a summarizer, and return it with what was warned of."""

    def made(name, *, strict=False):
        said = []
        return make_summary_writer(name, compaction.make_summarizer(name, under()), said.append, strict=strict)(MATTER), said

    return made


def printing(tmp_path, words):
    (tmp_path / "words").write_text(words)
    return f"cmd:cat {tmp_path / 'words'}"


def test_a_program_and_a_server_write(writes, tmp_path: Path) -> None:
    by_program, said = writes(printing(tmp_path, PAGE))
    assert ("The outputs have lines numbered to line 24." in by_program.page.facts, said) == (True, [])
    with served(PAGE) as server:
        by_server, said = writes(server.address)
    assert (by_server.page, said) == (by_program.page, [])


@pytest.mark.parametrize(
    "words",
    [
        "",
        "\n\n",
        "I'm sorry, I cannot help with that.",
        "<think>\nOkay, the user wants me to fill the template",
        '{"task": "x"}',
        "# Context\n\n## Task\n[What is the user doing?]\n\n## Decisions\n- [What was decided?]\n",
        "# Context\n\n## Task\nPort 9911.\n\n## Facts\n- /srv/a.py was read.\n- /srv/b.py was read.\n- I should look at c.\n",
        "\x00\x1b[31m\ufffd" * 100,
        "## Task\n" * 10_000,
    ],
)
def test_what_is_no_page_costs_one_warning(writes, tmp_path: Path, words: str) -> None:
    name = printing(tmp_path, words)
    made, said = writes(name)
    assert made.page == writes("extract")[0].page
    assert said == [f"the summary is made without a model: what {name} wrote is not a summary of this conversation"]


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("cmd:/no/such/program", 69, "no such program: /no/such/program"),
        ("cmd:false", 74, "false ended with status 1"),
        ("cmd:yes", 74, "yes wrote more than 1,000,000 bytes"),
        ("http://127.0.0.1:9/v1", 74, "refused"),
        ("llama:/no/such.gguf", 66, "/no/such.gguf: no such file"),
    ],
)
def test_one_that_fails_costs_one_warning_or_all(writes, name: str, status: int, words: str) -> None:
    made, said = writes(name)
    assert made.page == writes("extract")[0].page
    assert len(said) == 1
    assert words in said[0]
    with pytest.raises(CtxkitError, match=re.escape(words)) as trouble:
        writes(name, strict=True)
    assert trouble.value.status == status


@pytest.mark.parametrize("reply", [(200, b"<html>"), (200, []), (200, {"choices": [{}]}), (200, b""), (500, b"oh")])
def test_the_reply_of_a_server_may_be_anything(writes, reply) -> None:
    with served() as server:
        server.call = reply
        made, said = writes(f"{server.address}#m")
    assert made.page == writes("extract")[0].page
    assert len(said) == 1


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

    monkeypatch.setattr(compaction, "_compact", fail)
    assert compact("force", settings) is None
    assert "the conversation is not compacted: ValueError: broken" in capsys.readouterr().err
