from pathlib import Path

import pytest

from ctxkit.edge import say, window_warning
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.settings import Setting, Settings


@pytest.fixture
def warned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Warn of a window under some settings; return what was said."""
    monkeypatch.setattr(say, "_verbosity", 0)

    def warned_(name, session="", trouble="", *, passes=False, **values):
        values = {"model": name, "cache_dir": str(tmp_path / "cache"), **values}
        settings = Settings([{key: Setting(value, "test") for key, value in values.items()}])
        call = Call(CliRequest().assume_window(settings), settings)
        window_warning.warn_of_window(call, session, trouble, passes=passes)
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
