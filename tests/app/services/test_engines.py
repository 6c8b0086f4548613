import itertools
import os
from pathlib import Path

import pytest

from ctxkit.app.services import engines, stores
from ctxkit.core.brief import kind_detection
from ctxkit.core.errors import MissingDependencyError
from ctxkit.core.store.label import Label
from ctxkit.core.summary.summary_input import SummaryInput
from ctxkit.core.text.shell_commands import ShellCommand
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge import say
from ctxkit.edge.request import CliRequest
from ctxkit.engines.tokens import splintr
from tests.core.compact.sizes import COUNT, session


def put(store, data):
    intake = store.open_writer()
    intake.write(data)
    return intake.commit(Label("name"))


def whole(store, ref):
    held = store.open(ref)
    return held.read(0, held.lines.size)


def test_the_engines_count_store_and_parse(under) -> None:
    services = engines.gate_services(under())
    count = services.tokenizer(find_vocabulary("bytes/3"))
    assert count("a" * 9) == 3
    ref = put(services.store(), b"stored")
    assert whole(services.store(), ref) == b"stored"
    (definition,) = services.parse(b"def f(x):\n    return x\n", "python")
    assert (definition.name, definition.start, definition.end) == ("f", 1, 2)


def test_what_cannot_be_parsed_has_no_definitions() -> None:
    assert engines.find_definitions(b"def f(): pass", "klingon") is None


def test_there_is_no_store_where_none_is_wanted(under) -> None:
    assert engines.gate_services(under(), store=False).store is None
    assert engines.gate_services(under(store=False)).store is None
    assert engines.gate_services(under(store=False), store=True).store is None


def test_nothing_is_made_on_disk_before_it_is_used(under, tmp_path: Path) -> None:
    services = engines.gate_services(under())
    services.tokenizer(find_vocabulary("bytes/3"))
    assert list(tmp_path.iterdir()) == []


def test_the_store_is_where_the_settings_say(under, tmp_path: Path) -> None:
    ref = put(stores.open_store(under()), b"stored")
    assert (tmp_path / "cache" / "blobs" / ref[:2] / ref).read_bytes() == b"stored"
    assert (tmp_path / "data").is_dir()


def test_else_it_is_where_the_system_keeps_such_things(under, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg-data"))
    put(stores.open_store(under(cache_dir="", data_dir="")), b"stored")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["xdg-cache", "xdg-data"]


def test_what_is_old_goes_once_something_was_stored(under) -> None:
    settings = under(cache_max_age="1d")
    store = stores.open_store(settings)
    old, new = put(store, b"old"), put(store, b"new")
    os.utime(store.path(old), (0, 0))
    engines.tidy_store(settings, "")
    assert {blob.ref for blob in store.blobs()} == {old, new}
    engines.tidy_store(settings, new)
    assert {blob.ref for blob in store.blobs()} == {new}


def test_the_store_warns_as_everything_warns(under, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(say, "_verbosity", 0)
    (tmp_path / "data").write_text("in the way")
    ref = put(stores.open_store(under()), b"stored")
    assert whole(stores.open_store(under()), ref) == b"stored"
    assert capsys.readouterr().err.startswith("ctxkit: warning: ")


def test_conversations_are_counted_by_the_default_where_nothing_is_named(under) -> None:
    order = engines.make_count_options(CliRequest(), under())
    assert (order.vocabulary.name, order.is_named, order.model) == ("o200k", False, "")
    assert engines.make_count_options(CliRequest(), under(), "estimate").vocabulary.name == "estimate"
    order = engines.make_count_options(CliRequest(model="qwen3-30b"), under())
    assert (order.vocabulary.name, order.is_named, order.model) == ("qwen3", True, "qwen3-30b")
    assert engines.make_count_options(CliRequest(), under(tokenizer="bytes/3")).vocabulary.name == "bytes/3"
    assert engines.make_count_options(CliRequest(tokenizer="bytes/3", model="qwen3-30b"), under()).model == ""


def test_what_cannot_be_counted_is_estimated_with_a_warning_unless_strict(under, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def absent(vocabulary):
        if vocabulary.exact:
            raise MissingDependencyError("it is not installed")
        return len

    monkeypatch.setattr(engines, "load_tokenizer", absent)
    assert engines.make_count_options(CliRequest(), under()).vocabulary.name == "estimate"
    assert capsys.readouterr().err == "ctxkit: warning: tokens are estimated: it is not installed\n"
    for asked, settings in ((CliRequest(strict=True), under()), (CliRequest(), under(strict=True))):
        with pytest.raises(MissingDependencyError):
            engines.make_count_options(asked, settings)


PAGE = "# Context\n\n## Task\nX.\n\n## Facts\n- The outputs have lines numbered to line 24.\n"
TALK = session("openai", 12)
MATTER = SummaryInput(tuple(TALK.records), len(TALK.records), "", (), 600, COUNT)


def test_modules_of_maps_are_imported_before_the_second_map(under, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(engines, "_map_counter", itertools.count())
    monkeypatch.setattr(kind_detection, "all_kinds", lambda: calls.append(1) or ())
    services = engines.gate_services(under(), store=False)
    for expected in (0, 1, 1):
        assert services.isolate(lambda: 7, 10) == 7
        assert len(calls) == expected


def test_a_process_that_counts_much_makes_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "find_table_directory", lambda: str(tmp_path))
    monkeypatch.setattr(splintr, "_loaded", {})
    vocabulary = find_vocabulary("phi4")
    assert engines.load_tokenizer(vocabulary, counts_much=True)("hello world") == 2
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(splintr, "_loaded", {})
    assert engines.load_tokenizer(vocabulary)("hello world") == 2
    assert [path.name for path in (tmp_path / "vocabularies").iterdir()] == [f"phi4-{splintr.find_version()}"]


def test_commands_are_listed_with_their_words_and_their_input() -> None:
    assert engines.parse_script("A=1 c'a't \\\"x\\\" $y | sh <<< 'ls' >out") == [
        ShellCommand(("cat", '"x"', None)),
        ShellCommand(("sh",), "ls"),
    ]


def test_comments_are_listed_as_they_stand() -> None:
    assert engines.list_comments("make '# no' # focus: x\n# y") == ["# focus: x", "# y"]
