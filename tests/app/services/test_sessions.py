from pathlib import Path

import pytest

from ctxkit.app.services import sessions
from ctxkit.edge import say
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.settings import Setting, Settings


def test_a_session_that_is_named_is_begun_and_holds(under) -> None:
    settings = under()
    assert sessions.open_session(CliRequest(window=1000), settings) == (CliRequest(window=1000), None)
    asked = CliRequest(window=1000, reserve="0", session="s")
    assert sessions.open_session(asked, settings, create_missing=False) == (asked, None)
    assert sessions.ledger(settings).find("s") is None
    inside, account = sessions.open_session(asked, settings)
    assert account.reserve(300, None)
    assert sessions.ledger(settings).find("s").reserved == 300
    again, other = sessions.open_session(CliRequest(session="s"), settings)
    assert (again.window, again.used, other.budget.available) == (1000, 300, 700)
    assert inside.used == 0


def test_a_ledger_that_cannot_be_used_is_a_warning_unless_strict(under, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(say, "_verbosity", 0)
    (tmp_path / "data").write_text("in the way")
    asked = CliRequest(window=1000, session="s")
    assert sessions.open_session(asked, under()) == (CliRequest(window=1000), None)
    assert capsys.readouterr().err.startswith("ctxkit: warning: session s cannot be used, and its ledger is not charged: ")
    with pytest.raises(OSError, match=r"exists|directory"):
        sessions.open_session(asked._replace(strict=True), under())


def test_the_first_use_of_a_session_is_reported_once(under) -> None:
    settings, reports = under(), list[str]()
    sessions.watch_sessions(lambda: reports.append("used"))
    sessions.open_session(CliRequest(window=1000), settings)
    assert reports == []
    sessions.history(settings)
    sessions.ledger(settings)
    assert reports == ["used"]


@pytest.fixture
def warned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Warn of a window under some settings; return what was said."""
    monkeypatch.setattr(say, "_verbosity", 0)

    def warned_(name, session="", trouble="", *, passes=False, **values):
        values = {"model": name, "cache_dir": str(tmp_path / "cache"), **values}
        settings = Settings([{key: Setting(value, "test") for key, value in values.items()}])
        call = Call(CliRequest().assume_window(settings), settings)
        sessions.warn_of_window(call, session, trouble, passes=passes)
        return capsys.readouterr().err

    return warned_


WAYS = "--model NAME, CTXKIT_MODEL or --window N says how large it is)\n"


def test_the_line_says_what_is_not_known_and_what_is_done_about_it(warned) -> None:
    assert warned("") == f"ctxkit: warning: no model is named: a window of 32,768 tokens is assumed ({WAYS}"
    assert warned("house:7b") == f"ctxkit: warning: unknown model: house:7b: a window of 8,192 tokens is assumed ({WAYS}"
    assert warned("", passes=True) == f"ctxkit: warning: no model is named: content passes unchanged ({WAYS}"
    assert warned("gpt-4oo").endswith(f" is assumed (did you mean gpt-4o or gpt-4? {WAYS}")
    assert warned("", trouble="it is broken").startswith("ctxkit: warning: it is broken; no model is named: ")


def test_each_session_and_each_name_is_told_once(warned) -> None:
    assert [bool(warned("", session)) for session in ("", "", "s", "s", "t")] == [True, False, True, False, True]
    assert [bool(warned(name, "s")) for name in ("one", "one", "two")] == [True, False, True]


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "bad\udcff", "x" * 5000])
def test_whatever_a_name_holds_it_is_one_printable_line(warned, name: str) -> None:
    line = warned(name)
    assert line.count("\n") == 1
    assert line.rstrip("\n").isprintable()
    assert len(line) < 400


def test_a_place_that_cannot_be_written_is_no_trouble(warned, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert warned("", cache_dir=str(tmp_path / "file")) == warned("", cache_dir=str(tmp_path / "file")) != ""
