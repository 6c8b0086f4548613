from pathlib import Path

import pytest

from ctxkit.app.services import sessions
from ctxkit.edge import say
from ctxkit.edge.request import CliRequest


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
