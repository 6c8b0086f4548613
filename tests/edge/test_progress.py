import os
import sys
from contextlib import contextmanager

from ctxkit.edge import progress
from ctxkit.edge.progress import watched


@contextmanager
def terminal(monkeypatch):
    """Make stderr a terminal; give a function that says what it shows."""
    master, slave = os.openpty()
    os.set_blocking(master, False)
    with os.fdopen(slave, "w") as stderr, os.fdopen(master, "rb", buffering=0) as screen:
        monkeypatch.setattr(sys, "stderr", stderr)
        yield lambda: (screen.read() or b"").decode()
        monkeypatch.undo()


def test_what_is_quick_says_nothing(monkeypatch):
    with terminal(monkeypatch) as shown:
        assert list(watched([b"a", b"b"], "log")) == [b"a", b"b"]
        assert shown() == ""


def test_what_takes_long_says_how_much_came_and_wipes_it_away_at_the_end(monkeypatch):
    with terminal(monkeypatch) as shown:
        monkeypatch.setattr(progress, "AFTER", -1)
        monkeypatch.setattr(progress, "EVERY", -1)
        chunks = watched([b"x" * 2048, b"y" * 1024], "log")
        assert next(chunks) == b"x" * 2048
        assert shown() == "\r\x1b[Kctxkit: log: 2.0 KB read"
        assert next(chunks) == b"y" * 1024
        assert shown() == "\r\x1b[Kctxkit: log: 3.0 KB read"
        assert list(chunks) == []
        assert shown() == "\r\x1b[K"


def test_it_is_said_now_and_then_only(monkeypatch):
    with terminal(monkeypatch) as shown:
        monkeypatch.setattr(progress, "AFTER", -1)
        monkeypatch.setattr(progress, "EVERY", 60)
        assert len(list(watched([b"x"] * 1000, "log"))) == 1000
        assert shown().count("read") == 1


def test_on_anything_but_a_terminal_nothing_is_said(capfd, monkeypatch):
    monkeypatch.setattr(progress, "AFTER", -1)
    assert list(watched([b"a"], "log")) == [b"a"]
    assert capfd.readouterr() == ("", "")
    monkeypatch.setattr(sys, "stderr", None)
    assert list(watched([b"a"], "log")) == [b"a"]
