import os

import pytest

from ctxkit import supply
from ctxkit.core.label import Label
from ctxkit.core.vocabulary import vocabulary_of
from ctxkit.edge import say
from ctxkit.edge.request import Request
from ctxkit.edge.settings import KEYS, Setting, Settings


@pytest.fixture
def under(tmp_path):
    """Settings whose store is in a place of its own, with some values changed."""

    def settings(**values):
        ours = {"cache_dir": str(tmp_path / "cache"), "data_dir": str(tmp_path / "data"), **values}
        defaults = {key: Setting(default, "default") for key, (_, default) in KEYS.items()}
        return Settings([{key: Setting(value, "test") for key, value in ours.items()}, defaults])

    return settings


def put(store, data):
    intake = store.intake()
    intake.write(data)
    return intake.commit(Label("name"))


def whole(store, ref):
    held = store.open(ref)
    return held.read(0, held.lines.size)


def test_the_engines_count_store_and_parse(under):
    engines = supply.engines(under())
    count = engines.tokenizer(vocabulary_of("bytes/3"))
    assert count("a" * 9) == 3
    ref = put(engines.store(), b"stored")
    assert whole(engines.store(), ref) == b"stored"
    (definition,) = engines.parse(b"def f(x):\n    return x\n", "python")
    assert (definition.name, definition.start, definition.end) == ("f", 1, 2)


def test_what_cannot_be_parsed_has_no_definitions():
    assert supply.definitions(b"def f(): pass", "klingon") is None


def test_there_is_no_store_where_none_is_wanted(under):
    assert supply.engines(under(), store=False).store is None
    assert supply.engines(under(store=False)).store is None
    assert supply.engines(under(store=False), store=True).store is None


def test_nothing_is_made_on_disk_before_it_is_used(under, tmp_path):
    engines = supply.engines(under())
    engines.tokenizer(vocabulary_of("bytes/3"))
    assert list(tmp_path.iterdir()) == []


def test_the_store_is_where_the_settings_say(under, tmp_path):
    ref = put(supply.local_store(under()), b"stored")
    assert (tmp_path / "cache" / "blobs" / ref[:2] / ref).read_bytes() == b"stored"
    assert (tmp_path / "data").is_dir()


def test_else_it_is_where_the_system_keeps_such_things(under, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg-data"))
    put(supply.local_store(under(cache_dir="", data_dir="")), b"stored")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["xdg-cache", "xdg-data"]


def test_what_is_old_goes_once_something_was_stored(under):
    settings = under(cache_max_age="1d")
    store = supply.local_store(settings)
    old, new = put(store, b"old"), put(store, b"new")
    os.utime(store.path(old), (0, 0))
    supply.tidy(settings, "")
    assert {blob.ref for blob in store.blobs()} == {old, new}
    supply.tidy(settings, new)
    assert {blob.ref for blob in store.blobs()} == {new}


def test_the_store_warns_as_everything_warns(under, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(say, "_loudness", 0)
    (tmp_path / "data").write_text("in the way")
    ref = put(supply.local_store(under()), b"stored")
    assert whole(supply.local_store(under()), ref) == b"stored"
    assert capsys.readouterr().err.startswith("ctxkit: warning: ")


def test_a_session_that_is_named_is_begun_and_holds(under):
    settings = under()
    assert supply.seated(Request(window=1000), settings) == (Request(window=1000), None)
    asked = Request(window=1000, reserve="0", session="s")
    assert supply.seated(asked, settings, opens=False) == (asked, None)
    assert supply.ledger(settings).find("s") is None
    inside, account = supply.seated(asked, settings)
    assert account.take(300, None)
    assert supply.ledger(settings).find("s").held == 300
    again, other = supply.seated(Request(session="s"), settings)
    assert (again.window, again.used, other.budget.available) == (1000, 300, 700)
    assert inside.used == 0


def test_a_ledger_that_cannot_be_used_is_a_warning_unless_strict(under, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(say, "_loudness", 0)
    (tmp_path / "data").write_text("in the way")
    asked = Request(window=1000, session="s")
    assert supply.seated(asked, under()) == (Request(window=1000), None)
    assert capsys.readouterr().err.startswith("ctxkit: warning: session s cannot be used, and nothing is booked: ")
    with pytest.raises(OSError, match=r"exists|directory"):
        supply.seated(asked._replace(strict=True), under())
