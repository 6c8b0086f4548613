import os
import sys

import pytest

from ctxkit.edge import progress
from ctxkit.edge.progress import watched


@pytest.fixture
def terminal(monkeypatch):
    """Make stderr a terminal; return a function that says what it shows."""
    master, slave = os.openpty()
    os.set_blocking(master, False)
    with os.fdopen(slave, "w") as stderr, os.fdopen(master, "rb", buffering=0) as screen:
        monkeypatch.setattr(sys, "stderr", stderr)
        yield lambda: (screen.read() or b"").decode()
        monkeypatch.undo()


def test_what_is_quick_says_nothing(terminal):
    assert list(watched([b"a", b"b"], "log")) == [b"a", b"b"]
    assert terminal() == ""


def test_what_takes_long_says_how_much_came_and_wipes_it_away_at_the_end(terminal, monkeypatch):
    monkeypatch.setattr(progress, "AFTER", -1)
    monkeypatch.setattr(progress, "EVERY", -1)
    chunks = watched([b"x" * 2048, b"y" * 1024], "log")
    assert next(chunks) == b"x" * 2048
    assert terminal() == "\r\x1b[Kctxkit: log: 2 KB read"
    assert next(chunks) == b"y" * 1024
    assert terminal() == "\r\x1b[Kctxkit: log: 3 KB read"
    assert list(chunks) == []
    assert terminal() == "\r\x1b[K"


def test_it_is_said_now_and_then_only(terminal, monkeypatch):
    monkeypatch.setattr(progress, "AFTER", -1)
    assert len(list(watched([b"x"] * 1000, "log"))) == 1000
    assert terminal().count("read") == 1


def test_on_anything_but_a_terminal_nothing_is_said(capfd, monkeypatch):
    monkeypatch.setattr(progress, "AFTER", -1)
    assert list(watched([b"a"], "log")) == [b"a"]
    assert capfd.readouterr() == ("", "")
    monkeypatch.setattr(sys, "stderr", None)
    assert list(watched([b"a"], "log")) == [b"a"]
