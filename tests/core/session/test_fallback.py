"""Histories, snapshots and marks that fail are replaced by local ones, which are moved to the shared ones later."""

from pathlib import Path
from typing import Any

import pytest

from ctxkit.core.session.fallback import (
    FallbackHistories,
    FallbackLedger,
    FallbackMarks,
    FallbackSnapshots,
    merge_history,
    merge_ledger,
    merge_marks,
    merge_snapshots,
)
from ctxkit.core.session.history import HistoryExtent, Snapshot
from ctxkit.core.session.ledger import AnswerEntry, LedgerEntry, Session, TurnEntry
from ctxkit.engines.catalog import SQLiteSnapshots
from ctxkit.engines.history import Histories
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.engines.session_tables import SQLiteContextMarks

SNAPSHOT = Snapshot("s", b"{}\n", "openai", 1, 12, "exact", HistoryExtent(1, 4))


class Failing:
    """A service that fails once it is told to."""

    def __init__(self, service: Any) -> None:
        self.service, self.fails = service, False

    def __getattr__(self, name: str) -> Any:
        if self.fails:
            raise ConnectionError("the server has gone")
        return getattr(self.service, name)


class Pair:
    """A fallback with both of its services and the errors it told."""

    def __init__(self, kind: Any, engine: Any, root: Path) -> None:
        self.shared = Failing(engine(str(root / "shared"), pytest.fail))
        self.local = engine(str(root / "local"), pytest.fail)
        self.errors: list[OSError] = []
        self.service = kind(self.shared, lambda: self.local, self.errors.append)

    def fail(self) -> None:
        self.shared.fails = True


@pytest.fixture
def histories(tmp_path: Path) -> Pair:
    return Pair(FallbackHistories, Histories, tmp_path)


@pytest.fixture
def snapshots(tmp_path: Path) -> Pair:
    return Pair(FallbackSnapshots, SQLiteSnapshots, tmp_path)


def use_histories(histories: Any) -> list[object]:
    """Call every method, and return what it answered without times and paths."""
    answers: list[object] = [histories.append("s", [b"one", b"two"]), histories.extent("s")]
    assert "s" in histories.path("s")
    answers += [b"".join(histories.open("s").raw(2, 2)), [row[1:] for row in histories.additions("s")]]
    answers += [histories.find_last_addition("s")[1:], list(histories.read_after("s", HistoryExtent(1, 4), HistoryExtent(2, 8)))]
    with histories.removal("s") as there:
        answers.append(there)
    histories.append("s", [b"three"])
    return [*answers, histories.extent("s"), histories.remove("s"), histories.remove("s"), histories.open("s")]


def use_snapshots(snapshots: Any) -> list[object]:
    """Call every method, and return what it answered without times."""
    saved = [snapshots.save(SNAPSHOT), snapshots.save(SNAPSHOT._replace(content=b"[]", tokens=5))]
    found = [*saved, snapshots.find("s"), snapshots.find("s", 2), *snapshots.earlier("s"), *snapshots.all()]
    return [*(one._replace(created=0.0) for one in found), snapshots.remove("s"), snapshots.remove("s"), snapshots.find("s")]


@pytest.mark.parametrize("fails", [False, True])
def test_every_method_answers_as_that_of_the_service_in_use(histories: Pair, snapshots: Pair, tmp_path: Path, fails: bool) -> None:
    histories.shared.fails = snapshots.shared.fails = fails
    assert use_histories(histories.service) == use_histories(Histories(str(tmp_path / "other"), pytest.fail))
    assert use_snapshots(snapshots.service) == use_snapshots(SQLiteSnapshots(str(tmp_path / "other"), pytest.fail))
    assert [len(pair.errors) for pair in (histories, snapshots)] == [int(fails)] * 2
    assert (histories.service.is_local, snapshots.service.is_local) == (fails, fails)


def test_an_error_that_the_notice_raises_is_raised_and_nothing_is_local(tmp_path: Path) -> None:
    pair = Pair(FallbackHistories, Histories, tmp_path)

    def refuse(error: OSError) -> None:
        raise ValueError(str(error))

    service = FallbackHistories(pair.shared, lambda: pytest.fail("local"), refuse)
    pair.fail()
    for _ in range(2):
        with pytest.raises(ValueError, match="the server has gone"):
            service.append("s", [b"one"])
    assert not service.is_local


def test_marks_are_those_of_the_service_in_use(tmp_path: Path) -> None:
    for folder in ("shared", "local"):
        SQLiteLedger(str(tmp_path / folder), pytest.fail).add(Session("s", 1000, 0))
    pair = Pair(FallbackMarks, SQLiteContextMarks, tmp_path)
    pair.service.set_mark("s", iter(["a", "c"]), "keep")
    pair.fail()
    pair.service.set_mark("s", iter(["b", "c"]), "removable")
    assert pair.service.find("s") == {"b": "removable", "c": "removable"}
    pair.shared.fails = False
    merge_marks(["s", "t"], pair.local, pair.shared)
    assert pair.shared.find("s") == {"a": "keep", "b": "removable", "c": "removable"}


def test_local_lines_come_after_the_shared_ones_and_snapshots_stand_for_both(histories: Pair, snapshots: Pair) -> None:
    histories.service.append("s", [b"one", b"two"])
    histories.fail()
    snapshots.fail()
    histories.service.append("s", [b"six"])
    snapshots.service.save(SNAPSHOT)  # stands for six
    histories.service.append("s", [b"ten", b"eleven"])
    snapshots.service.save(SNAPSHOT._replace(session="t", covers=HistoryExtent()))
    histories.shared.fails = snapshots.shared.fails = False
    histories.shared.append("s", [b"three"])  # of another machine
    extents = {name: merge_history(name, histories.local, histories.shared) for name in ("s", "t")}
    assert extents == {"s": HistoryExtent(3, 14), "t": HistoryExtent()}
    lines = histories.shared.open("s")
    assert b"".join(lines.raw(1, 99)) == b"one\ntwo\nthree\nsix\nten\neleven\n"
    assert histories.local.extent("s") is None
    merge_snapshots(snapshots.local, snapshots.shared, extents)
    assert snapshots.shared.find("s").covers == HistoryExtent(4, 18)
    assert snapshots.shared.find("t").covers == HistoryExtent()
    assert snapshots.local.all() == []


SESSION = Session("s", 1000, 200, "m", "", 10)


def entry_of(tokens: int) -> LedgerEntry:
    return LedgerEntry("log", tokens, "exact", "raw", ref="a" * 64)


class FailingLedger:
    """A ledger that fails once it is told to."""

    def __init__(self, ledger: SQLiteLedger) -> None:
        self.ledger, self.fails = ledger, False

    def __getattr__(self, name: str) -> Any:
        if self.fails:
            raise ConnectionError("the server has gone")
        return getattr(self.ledger, name)


class LedgerPair:
    """A fallback ledger with both of its ledgers and the errors it told."""

    def __init__(self, root: Path) -> None:
        self.shared = FailingLedger(SQLiteLedger(str(root / "shared"), pytest.fail))
        self.local = SQLiteLedger(str(root / "local"), pytest.fail)
        self.errors: list[OSError] = []
        self.ledger = FallbackLedger(self.shared, lambda: self.local, self.errors.append)


@pytest.fixture
def pair(tmp_path: Path) -> LedgerPair:
    return LedgerPair(tmp_path)


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
    working, failing = LedgerPair(tmp_path / "1"), LedgerPair(tmp_path / "2")
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
