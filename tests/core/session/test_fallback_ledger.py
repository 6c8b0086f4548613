"""A ledger that fails is replaced by a local one, and what that counted is added to it later."""

from pathlib import Path
from typing import Any

import pytest

from ctxkit.core.session.fallback_ledger import FallbackLedger, merge_ledger
from ctxkit.core.session.ledger import AnswerEntry, LedgerEntry, Session, TurnEntry
from ctxkit.engines.ledger import SQLiteLedger

SESSION = Session("s", 1000, 200, "m", "", 10)


def entry_of(tokens: int) -> LedgerEntry:
    return LedgerEntry("log", tokens, "exact", "raw", ref="a" * 64)


class Failing:
    """A ledger that fails once it is told to."""

    def __init__(self, ledger: SQLiteLedger) -> None:
        self.ledger, self.fails = ledger, False

    def __getattr__(self, name: str) -> Any:
        if self.fails:
            raise ConnectionError("the server has gone")
        return getattr(self.ledger, name)


class Pair:
    """A fallback ledger with both of its ledgers and the errors it told."""

    def __init__(self, root: Path) -> None:
        self.shared = Failing(SQLiteLedger(str(root / "shared"), pytest.fail))
        self.local = SQLiteLedger(str(root / "local"), pytest.fail)
        self.errors: list[OSError] = []
        self.ledger = FallbackLedger(self.shared, lambda: self.local, self.errors.append)


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def use_all(ledger: Any) -> list[object]:
    """Call every method once, and return what it answered without times and keys."""
    answers: list[object] = [ledger.add(SESSION), ledger.add(SESSION)]
    hold = ledger.reserve(SESSION, lambda taken: 5)
    ledger.record("s", hold.key, entry_of(5))
    ledger.release(ledger.reserve(SESSION, lambda taken: 7).key)
    answers += [hold.occupancy, ledger.sum_entries("s", 0), len(ledger.entries("s")), ledger.entries_in_context("s")]
    answers += [ledger.record_turn("s", TurnEntry(60, 0, 1, 0)).used, ledger.record_answer("s", AnswerEntry(70, 1, True)).due]
    answers += [ledger.set_used("s", 40).used, ledger.record_compaction("s", 30).used, ledger.record_edit("s", 20).used]
    answers += [len(ledger.changes("s")), [session.name for session in ledger.sessions()], ledger.find_references(0)]
    answers += [ledger.find("s").occupancy, ledger.remove("s"), ledger.remove("s"), ledger.find("s")]
    ledger.add(SESSION)
    ledger.remove_whole(iter(["s"]))
    return [*answers, ledger.sessions()]


def test_it_answers_as_its_ledgers_do(tmp_path: Path) -> None:
    expected = use_all(SQLiteLedger(str(tmp_path / "plain"), pytest.fail))
    working, failing = Pair(tmp_path / "1"), Pair(tmp_path / "2")
    failing.shared.fails = True
    assert use_all(working.ledger) == expected == use_all(failing.ledger)
    assert not working.ledger.is_local
    assert working.errors == []
    assert failing.ledger.is_local
    assert len(failing.errors) == 1


def test_a_known_session_continues_with_its_last_count(pair) -> None:
    pair.ledger.add(SESSION)
    pair.ledger.set_used("s", 300)
    hold = pair.ledger.reserve(SESSION, lambda taken: 100)
    pair.shared.fails = True
    pair.ledger.record("s", hold.key, entry_of(100))
    assert pair.ledger.find("s").used == 400
    assert pair.shared.ledger.find("s").used == 300


def test_what_was_counted_locally_is_added_once(pair) -> None:
    pair.ledger.add(SESSION)
    pair.shared.fails = True
    pair.ledger.record("s", 0, entry_of(100))
    pair.ledger.add(SESSION._replace(name="new", used=0))
    pair.ledger.record("new", 0, entry_of(7))
    shared = pair.shared.ledger
    shared.record("s", 0, entry_of(1000))  # what another machine added meanwhile
    assert merge_ledger(pair.local, shared) == 2
    assert merge_ledger(pair.local, shared) == 0
    assert [(session.name, session.used, session.items) for session in shared.sessions()] == [("s", 1110, 2), ("new", 7, 1)]
    assert len(shared.entries("s")) == 2


def test_a_compaction_that_was_counted_locally_holds(pair) -> None:
    pair.ledger.add(SESSION)
    pair.shared.fails = True
    pair.ledger.record("s", 0, entry_of(500))
    pair.ledger.record_compaction("s", 50)
    pair.ledger.record("s", 0, entry_of(5))
    merge_ledger(pair.local, pair.shared.ledger)
    assert pair.shared.ledger.find("s").used == 55
