import io
import sys

import pytest

from ctxkit.edge.consent import ask, is_terminal


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
