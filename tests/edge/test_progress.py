import os
import sys
import time
from contextlib import contextmanager

import pytest

from ctxkit.edge import progress
from ctxkit.edge.progress import ReadProgress, show_progress, show_steps


@contextmanager
def terminal(monkeypatch):
    """Make stderr a terminal; give a function that says what it shows."""
    master, slave = os.openpty()
    os.set_blocking(master, False)
    with os.fdopen(slave, "w") as stderr, os.fdopen(master, "rb", buffering=0) as screen:
        monkeypatch.setattr(sys, "stderr", stderr)
        yield lambda: (screen.read() or b"").decode()
        monkeypatch.undo()


def test_what_is_quick_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as shown:
        assert list(show_progress([b"a", b"b"], "log")) == [b"a", b"b"]
        assert shown() == ""


def test_what_takes_long_says_how_much_came_and_wipes_it_away_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as shown:
        monkeypatch.setattr(progress, "AFTER", -1)
        monkeypatch.setattr(progress, "EVERY", -1)
        chunks = show_progress([b"x" * 2048, b"y" * 1024], "log")
        assert next(chunks) == b"x" * 2048
        assert shown() == "\r\x1b[Kctxkit: log: 2.0 KB read"
        assert next(chunks) == b"y" * 1024
        assert shown() == "\r\x1b[Kctxkit: log: 3.0 KB read"
        assert list(chunks) == []
        assert shown() == "\r\x1b[K"


def test_it_is_said_now_and_then_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as shown:
        monkeypatch.setattr(progress, "AFTER", -1)
        monkeypatch.setattr(progress, "EVERY", 60)
        assert len(list(show_progress([b"x"] * 1000, "log"))) == 1000
        assert shown().count("read") == 1


def test_on_anything_but_a_terminal_nothing_is_said(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "AFTER", -1)
    assert list(show_progress([b"a"], "log")) == [b"a"]
    assert capfd.readouterr() == ("", "")
    monkeypatch.setattr(sys, "stderr", None)
    assert list(show_progress([b"a"], "log")) == [b"a"]


def test_a_ticker_says_nothing_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tick = ReadProgress("space")
    tick(10)
    tick.clear()
    assert capsys.readouterr().err == ""


def test_a_ticker_says_what_was_read_past_a_second_and_wipes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "AFTER", -1.0)
    with terminal(monkeypatch) as shown:
        tick = ReadProgress("space")
        tick(2048)
        tick.clear()
        said = shown()
    assert "ctxkit: space: 2.0 KB read" in said
    assert said.endswith("\r\x1b[K")


def test_a_step_that_lasts_is_named_and_wiped_away(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as shown:
        monkeypatch.setattr(progress, "AFTER", 0.05)
        steps = show_steps(["a", "b", "c"], "summary")
        assert next(steps) == "a"
        time.sleep(0.3)
        assert shown() == "\r\x1b[Kctxkit: summary: part 1 of 3"
        assert next(steps) == "b"
        time.sleep(0.3)
        assert shown() == "\r\x1b[K\r\x1b[Kctxkit: summary: part 2 of 3"
        steps.close()  # type: ignore[attr-defined]
        assert shown() == "\r\x1b[K"


def test_quick_steps_say_nothing(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    with terminal(monkeypatch) as shown:
        assert list(show_steps(["a", "b"], "summary")) == ["a", "b"]
        assert shown() == ""
    monkeypatch.setattr(progress, "AFTER", -1)
    assert list(show_steps(["a"], "summary")) == ["a"]
    assert capfd.readouterr() == ("", "")


def test_a_hostile_name_is_shown_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as shown:
        monkeypatch.setattr(progress, "AFTER", -1)
        assert next(show_progress([b"x" * 2048], "a\x1b]0;t\x07\n\u202e")) == b"x" * 2048
        assert shown() == "\r\x1b[Kctxkit: a\\x1b]0;t\\x07\\n\\u202e: 2.0 KB read"
