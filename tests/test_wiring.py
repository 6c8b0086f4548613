import os
import re
from pathlib import Path

import pytest

from ctxkit import wiring
from ctxkit.core.compact.summary_writer import make_summary_writer
from ctxkit.core.context.summary_input import SummaryInput
from ctxkit.core.errors import CtxkitError, MissingDependencyError, UsageError
from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.ledger import Session
from ctxkit.core.session.snapshot import Snapshot
from ctxkit.core.store.label import Label
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge import say
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import KEYS, Setting, Settings
from tests.core.compact.sizes import COUNT, session
from tests.engines.summarizers.served import served


@pytest.fixture
def under(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Settings whose store is in a place of its own, with some values changed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "default"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))

    def settings(**values):
        ours = {"cache_dir": str(tmp_path / "cache"), "data_dir": str(tmp_path / "data"), **values}
        defaults = {key: Setting(default, "default") for key, (_, default, *_) in KEYS.items()}
        return Settings([{key: Setting(value, "test") for key, value in ours.items()}, defaults])

    return settings


def put(store, data):
    intake = store.open_writer()
    intake.write(data)
    return intake.commit(Label("name"))


def whole(store, ref):
    held = store.open(ref)
    return held.read(0, held.lines.size)


def test_the_engines_count_store_and_parse(under) -> None:
    engines = wiring.gate_services(under())
    count = engines.tokenizer(find_vocabulary("bytes/3"))
    assert count("a" * 9) == 3
    ref = put(engines.store(), b"stored")
    assert whole(engines.store(), ref) == b"stored"
    (definition,) = engines.parse(b"def f(x):\n    return x\n", "python")
    assert (definition.name, definition.start, definition.end) == ("f", 1, 2)


def test_what_cannot_be_parsed_has_no_definitions() -> None:
    assert wiring.find_definitions(b"def f(): pass", "klingon") is None


def test_there_is_no_store_where_none_is_wanted(under) -> None:
    assert wiring.gate_services(under(), store=False).store is None
    assert wiring.gate_services(under(store=False)).store is None
    assert wiring.gate_services(under(store=False), store=True).store is None


def test_nothing_is_made_on_disk_before_it_is_used(under, tmp_path: Path) -> None:
    engines = wiring.gate_services(under())
    engines.tokenizer(find_vocabulary("bytes/3"))
    assert list(tmp_path.iterdir()) == []


def test_the_store_is_where_the_settings_say(under, tmp_path: Path) -> None:
    ref = put(wiring.local_store(under()), b"stored")
    assert (tmp_path / "cache" / "blobs" / ref[:2] / ref).read_bytes() == b"stored"
    assert (tmp_path / "data").is_dir()


def test_else_it_is_where_the_system_keeps_such_things(under, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg-data"))
    put(wiring.local_store(under(cache_dir="", data_dir="")), b"stored")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["xdg-cache", "xdg-data"]


def test_what_is_old_goes_once_something_was_stored(under) -> None:
    settings = under(cache_max_age="1d")
    store = wiring.local_store(settings)
    old, new = put(store, b"old"), put(store, b"new")
    os.utime(store.path(old), (0, 0))
    wiring.tidy_store(settings, "")
    assert {blob.ref for blob in store.blobs()} == {old, new}
    wiring.tidy_store(settings, new)
    assert {blob.ref for blob in store.blobs()} == {new}


def test_the_store_warns_as_everything_warns(under, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(say, "_verbosity", 0)
    (tmp_path / "data").write_text("in the way")
    ref = put(wiring.local_store(under()), b"stored")
    assert whole(wiring.local_store(under()), ref) == b"stored"
    assert capsys.readouterr().err.startswith("ctxkit: warning: ")


def test_a_session_that_is_named_is_begun_and_holds(under) -> None:
    settings = under()
    assert wiring.open_session(CliRequest(window=1000), settings) == (CliRequest(window=1000), None)
    asked = CliRequest(window=1000, reserve="0", session="s")
    assert wiring.open_session(asked, settings, create_missing=False) == (asked, None)
    assert wiring.ledger(settings).find("s") is None
    inside, account = wiring.open_session(asked, settings)
    assert account.reserve(300, None)
    assert wiring.ledger(settings).find("s").reserved == 300
    again, other = wiring.open_session(CliRequest(session="s"), settings)
    assert (again.window, again.used, other.budget.available) == (1000, 300, 700)
    assert inside.used == 0


def test_a_ledger_that_cannot_be_used_is_a_warning_unless_strict(under, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(say, "_verbosity", 0)
    (tmp_path / "data").write_text("in the way")
    asked = CliRequest(window=1000, session="s")
    assert wiring.open_session(asked, under()) == (CliRequest(window=1000), None)
    assert capsys.readouterr().err.startswith("ctxkit: warning: session s cannot be used, and its ledger is not charged: ")
    with pytest.raises(OSError, match=r"exists|directory"):
        wiring.open_session(asked._replace(strict=True), under())


def test_conversations_are_counted_by_the_default_where_nothing_is_named(under) -> None:
    order = wiring.make_count_options(CliRequest(), under())
    assert (order.vocabulary.name, order.is_named, order.model) == ("o200k", False, "")
    assert wiring.make_count_options(CliRequest(), under(), "estimate").vocabulary.name == "estimate"
    order = wiring.make_count_options(CliRequest(model="qwen3-30b"), under())
    assert (order.vocabulary.name, order.is_named, order.model) == ("qwen3", True, "qwen3-30b")
    assert wiring.make_count_options(CliRequest(), under(tokenizer="bytes/3")).vocabulary.name == "bytes/3"
    assert wiring.make_count_options(CliRequest(tokenizer="bytes/3", model="qwen3-30b"), under()).model == ""


def test_what_cannot_be_counted_is_estimated_with_a_warning_unless_strict(under, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def absent(vocabulary):
        if vocabulary.exact:
            raise MissingDependencyError("it is not installed")
        return len

    monkeypatch.setattr(wiring, "load_tokenizer", absent)
    assert wiring.make_count_options(CliRequest(), under()).vocabulary.name == "estimate"
    assert capsys.readouterr().err == "ctxkit: warning: tokens are estimated: it is not installed\n"
    for asked, settings in ((CliRequest(strict=True), under()), (CliRequest(), under(strict=True))):
        with pytest.raises(MissingDependencyError):
            wiring.make_count_options(asked, settings)


@pytest.mark.parametrize(("method", "estimated"), [("exact", 0), ("estimate", 40)])
def test_a_compaction_is_settled_in_both_books(under, method: str, estimated: int) -> None:
    settings = under()
    wiring.ledger(settings).add(Session("s", 1000, 0, used=900))
    wiring.record_compaction(settings, Snapshot("s", b"{}", "openai", 1, 40, method, HistoryExtent(2, 9)))
    found = wiring.ledger(settings).find("s")
    assert (found.used, found.estimated, found.compactions) == (40, estimated, 1)
    assert wiring.snapshots(settings).find("s").covers == HistoryExtent(2, 9)


def test_a_compaction_that_cannot_be_noted_is_a_warning(under, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    wiring.record_compaction(under(data_dir=str(tmp_path / "file" / "x")), Snapshot("s", b"", "openai", 0, 0, "exact", HistoryExtent()))
    assert capsys.readouterr().err.startswith("ctxkit: warning: the compaction of session s is not recorded: ")


PAGE = "# Context\n\n## Task\nX.\n\n## Facts\n- The outputs have lines numbered to line 24.\n"
TALK = session("openai", 12)
MATTER = SummaryInput(tuple(TALK.records), len(TALK.records), "", (), 600, COUNT)


@pytest.mark.parametrize("name", ["extract", ""])
def test_extract_is_no_model(under, name: str) -> None:
    assert wiring.make_summarizer(name, under()) is None


@pytest.mark.parametrize("name", ["magic", "cmd:", "cmd: ", "http:", "https://", "http", "llm:x", "LLAMA"])
def test_a_summarizer_that_is_none(under, name: str) -> None:
    with pytest.raises(UsageError, match="unknown summarizer"):
        wiring.make_summarizer(name, under())


@pytest.mark.parametrize(
    "name", ["llama", "llama:/no/such.gguf", "cmd:/no/such/program", "http://127.0.0.1:9/v1", "https://127.0.0.1:9/v1"]
)
def test_nobody_is_reached_before_there_is_something_to_ask(under, name: str) -> None:
    assert callable(wiring.make_summarizer(name, under()))


@pytest.fixture
def writes(under, tmp_path: Path):
    """Write the page of the talk with a summarizer, and return it with what was warned of."""

    def made(name, *, strict=False):
        said = []
        return make_summary_writer(name, wiring.make_summarizer(name, under()), said.append, strict=strict)(MATTER), said

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
