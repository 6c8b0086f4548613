import io
import os
import sys
import time
from pathlib import Path

import pytest

from ctxkit.edge import notices, say
from ctxkit.edge.notices import ask, is_terminal


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Warn, and return what reached stderr."""

    def warned(message: str = "a warning", about: bytes = b"", seconds: float = notices.EVER, folder: Path = tmp_path) -> str:
        notices.warn_once(notices.Notice(message, about, "a hint"), str(folder / "ctxkit"), seconds)
        return capsys.readouterr().err

    return warned


WARNING = "ctxkit: warning: a warning\n  hint: a hint\n"


def test_the_same_is_said_once(said) -> None:
    assert [said(), said(), said()] == [WARNING, "", ""]


def test_another_message_or_another_content_is_said_again(said) -> None:
    assert all((said(), said("another"), said(about=b"content"), said(about=b"contents")))
    assert not said(about=b"content")


def test_after_its_time_it_is_said_again(said, tmp_path: Path) -> None:
    assert said(seconds=3600)
    assert not said(seconds=3600)
    (note,) = (tmp_path / "ctxkit" / "notices").iterdir()
    old = time.time() - 3601
    os.utime(note, (old, old))
    assert said(seconds=3600)
    assert not said(seconds=3600)


def test_the_end_of_a_line_may_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for end in ("one", "two"):
        notice = notices.Notice("a warning: ", suffix=lambda end=end: end)
        notices.warn_once(notice, str(tmp_path / "ctxkit"))
    assert capsys.readouterr().err == "ctxkit: warning: a warning: one\n"


def test_what_cannot_be_remembered_is_said_each_time(said, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert said(folder=tmp_path / "file") == said(folder=tmp_path / "file") == WARNING


def test_silence_remembers_nothing(said, tmp_path: Path) -> None:
    say.change_verbosity(-1)
    try:
        assert said() == ""
    finally:
        say.change_verbosity(1)
    assert list(tmp_path.iterdir()) == []
    assert said() == WARNING


def test_notes_are_the_user_s_alone_and_not_too_many(said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "MOST", 5)
    for number in range(9):
        said(f"warning {number}")
    folder = tmp_path / "ctxkit" / "notices"
    assert len(list(folder.iterdir())) == 5
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {note.stat().st_mode & 0o777 for note in folder.iterdir()} == {0o600}


@pytest.mark.parametrize(("answer", "agrees"), [("y\n", True), (" YES\n", True), ("n\n", False), ("\n", False), ("", False)])
def test_only_yes_is_consent(
    answer: str, agrees: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    assert ask("Remove a\x1b[31m?") is agrees
    assert "\x1b" not in capsys.readouterr().err


def test_a_pipe_and_no_stdin_are_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert not is_terminal()
    monkeypatch.setattr(sys, "stdin", None)
    assert not is_terminal()
