from pathlib import Path

import pytest

from ctxkit import session_wiring
from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.ledger import LedgerEntry, Session, TurnEntry
from ctxkit.core.session.snapshot import Snapshot
from ctxkit.edge import say
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import KEYS, Setting, Settings


@pytest.fixture
def under(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Settings whose store is in a place of its own, with some values changed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "default"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))

    def settings(**values):
        ours = {"cache_dir": str(tmp_path / "cache"), "data_dir": str(tmp_path / "data"), **values}
        defaults = {key: Setting(definition.default, "default") for key, definition in KEYS.items()}
        return Settings([{key: Setting(value, "test") for key, value in ours.items()}, defaults])

    return settings


def test_a_session_that_is_named_is_begun_and_holds(under) -> None:
    settings = under()
    assert session_wiring.open_session(CliRequest(window=1000), settings) == (CliRequest(window=1000), None)
    asked = CliRequest(window=1000, reserve="0", session="s")
    assert session_wiring.open_session(asked, settings, create_missing=False) == (asked, None)
    assert session_wiring.ledger(settings).find("s") is None
    inside, account = session_wiring.open_session(asked, settings)
    assert account.reserve(300, None)
    assert session_wiring.ledger(settings).find("s").reserved == 300
    again, other = session_wiring.open_session(CliRequest(session="s"), settings)
    assert (again.window, again.used, other.budget.available) == (1000, 300, 700)
    assert inside.used == 0


def test_a_ledger_that_cannot_be_used_is_a_warning_unless_strict(under, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(say, "_verbosity", 0)
    (tmp_path / "data").write_text("in the way")
    asked = CliRequest(window=1000, session="s")
    assert session_wiring.open_session(asked, under()) == (CliRequest(window=1000), None)
    assert capsys.readouterr().err.startswith("ctxkit: warning: session s cannot be used, and its ledger is not charged: ")
    with pytest.raises(OSError, match=r"exists|directory"):
        session_wiring.open_session(asked._replace(strict=True), under())


@pytest.mark.parametrize(("method", "estimated"), [("exact", 0), ("estimate", 40)])
def test_a_compaction_is_settled_in_both_books(under, method: str, estimated: int) -> None:
    settings = under()
    session_wiring.ledger(settings).add(Session("s", 1000, 0, used=900))
    session_wiring.record_compaction(settings, Snapshot("s", b"{}", "openai", 1, 40, method, HistoryExtent(2, 9)))
    found = session_wiring.ledger(settings).find("s")
    assert (found.used, found.estimated, found.compactions) == (40, estimated, 1)
    assert session_wiring.snapshots(settings).find("s").covers == HistoryExtent(2, 9)


def test_a_compaction_that_cannot_be_noted_is_a_warning(under, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    session_wiring.record_compaction(under(data_dir=str(tmp_path / "file" / "x")), Snapshot("s", b"", "openai", 0, 0, "exact", HistoryExtent()))
    assert capsys.readouterr().err.startswith("ctxkit: warning: the compaction of session s is not recorded: ")


def test_a_turn_refers_to_the_results_that_it_stored(under) -> None:
    settings = under()
    session_wiring.ledger(settings).add(Session("s", 1000, 0))
    entry = LedgerEntry("bash", 30, "exact", "briefing", ref="f" * 64, tool="bash", call="c1")
    session_wiring.record_turn(settings, "s", TurnEntry(400, 0, 2, 0), [entry])
    session = session_wiring.ledger(settings).find("s")
    assert (session.used, session.items, session.gatings) == (400, 2, 1)
    assert session_wiring.ledger(settings).find_references(0.0)[1] == {"f" * 64}
