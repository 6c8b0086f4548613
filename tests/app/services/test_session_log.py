"""Compactions and turns are recorded in the ledger and the snapshots; what cannot be recorded is a warning."""

from pathlib import Path

import pytest

from ctxkit.app.services import session_log, sessions
from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.ledger import LedgerEntry, Session, TurnEntry
from ctxkit.core.session.snapshot import Snapshot


@pytest.mark.parametrize(("method", "estimated"), [("exact", 0), ("estimate", 40)])
def test_a_compaction_is_settled_in_both_books(under, method: str, estimated: int) -> None:
    settings = under()
    sessions.ledger(settings).add(Session("s", 1000, 0, used=900))
    session_log.record_compaction(settings, Snapshot("s", b"{}", "openai", 1, 40, method, HistoryExtent(2, 9)))
    found = sessions.ledger(settings).find("s")
    assert (found.used, found.estimated, found.compactions) == (40, estimated, 1)
    assert sessions.snapshots(settings).find("s").covers == HistoryExtent(2, 9)


def test_a_compaction_that_cannot_be_noted_is_a_warning(under, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    session_log.record_compaction(under(data_dir=str(tmp_path / "file" / "x")), Snapshot("s", b"", "openai", 0, 0, "exact", HistoryExtent()))
    assert capsys.readouterr().err.startswith("ctxkit: warning: the compaction of session s is not recorded: ")


def test_a_turn_refers_to_the_results_that_it_stored(under) -> None:
    settings = under()
    sessions.ledger(settings).add(Session("s", 1000, 0))
    entry = LedgerEntry("bash", 30, "exact", "briefing", ref="f" * 64, tool="bash", call="c1")
    session_log.record_turn(settings, "s", TurnEntry(400, 0, 2, 0), [entry])
    session = sessions.ledger(settings).find("s")
    assert (session.used, session.items, session.gatings) == (400, 2, 1)
    assert sessions.ledger(settings).find_references(0.0)[1] == {"f" * 64}
