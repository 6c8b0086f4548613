import multiprocessing
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from ctxkit.core.errors import LockedError
from ctxkit.core.session.ledger import LedgerEntry, Session
from ctxkit.engines import database
from ctxkit.engines import ledger as keeping
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.system import processes

SESSION = Session("s", 1000, 200, "qwen3-30b", "", 10)
WINDOW, TOKENS, PROCESSES = 1000, 37, 32


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def ledger(tmp_path: Path, said) -> SQLiteLedger:
    return SQLiteLedger(str(tmp_path / "data"), said.append)


def item_of(tokens: int, **more) -> LedgerEntry:
    return LedgerEntry("log", tokens, "exact", "raw", **more)


def execute(tmp_path: Path, statement: str) -> list[tuple]:
    with closing(sqlite3.connect(tmp_path / "data" / "ctxkit.db")) as db:
        rows = db.execute(statement).fetchall()
        db.commit()
    return rows


def test_asking_makes_nothing(ledger, tmp_path: Path) -> None:
    assert ledger.find("s") is None
    assert ledger.sessions() == []
    assert ledger.set_used("s", 1) is None
    assert not ledger.remove("s")
    assert ledger.find_references(0) == (set(), set())
    assert list(tmp_path.iterdir()) == []


def test_sessions_come_in_the_order_in_which_they_began_whatever_the_clock(ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, name in enumerate("bca"):
        monkeypatch.setattr(keeping, "time", lambda number=number: 1000.0 - number)
        ledger.add(SESSION._replace(name=name))
    assert [session.name for session in ledger.sessions()] == ["b", "c", "a"]


def test_what_is_booked_is_on_record(ledger, tmp_path: Path) -> None:
    ledger.add(SESSION)
    hold = ledger.reserve(SESSION, lambda taken: 100)
    assert hold.occupancy == 10
    assert (ledger.find("s").used, ledger.find("s").reserved) == (10, 100)
    ledger.record("s", hold.key, LedgerEntry("log", 70, "estimate", "briefing", True, "a" * 64, "sh", "call_1"))
    found = ledger.find("s")
    assert (found.used, found.reserved, found.estimated, found.items, found.gatings) == (80, 0, 70, 1, 1)
    columns = "name, tokens, method, result, tight, ref, tool, call"
    assert execute(tmp_path, f"SELECT {columns} FROM item") == [
        ("log", 70, "estimate", "briefing", 1, "a" * 64, "sh", "call_1")
    ]


def test_a_promise_to_a_process_that_died_is_void(ledger, tmp_path: Path) -> None:
    ledger.add(SESSION)
    ledger.reserve(SESSION, lambda taken: 500)
    assert ledger.find("s").reserved == 500
    place, number, began = processes.identify_process().rsplit(" ", 2)
    execute(tmp_path, f"UPDATE hold SET holder = '{place} 999999999 {began}'")
    assert ledger.find("s").reserved == 0
    assert ledger.reserve(SESSION, lambda taken: taken).occupancy == 10
    assert len(execute(tmp_path, "SELECT * FROM hold")) == 1
    assert number != "999999999"


def test_a_promise_to_another_machine_is_void_after_a_while_whichever_way_the_clock_went(ledger, tmp_path: Path) -> None:
    ledger.add(SESSION)
    ledger.reserve(SESSION, lambda taken: 500)
    execute(tmp_path, "UPDATE hold SET holder = 'elsewhere 1 1'")
    assert ledger.find("s").reserved == 500
    for distance in (processes.UNSEEN_SECONDS + 5, -processes.UNSEEN_SECONDS - 5):
        execute(tmp_path, f"UPDATE hold SET at = {time.time() + distance}")
        assert ledger.find("s").reserved == 0


def test_an_anchor_changes_what_is_used_and_nothing_on_record(ledger, tmp_path: Path) -> None:
    ledger.add(SESSION)
    ledger.record("s", 0, item_of(5))
    assert ledger.set_used("s", 400).used == 400
    assert (ledger.find("s").used, ledger.find("s").items) == (400, 1)
    assert len(execute(tmp_path, "SELECT * FROM item")) == 1


def test_a_session_that_is_removed_takes_its_records_along_and_is_not_brought_back(ledger, tmp_path: Path) -> None:
    for name in ("s", "t"):
        ledger.add(SESSION._replace(name=name))
        ledger.record(name, 0, item_of(5))
    hold = ledger.reserve(SESSION, lambda taken: 5)
    assert ledger.remove("s")
    assert not ledger.remove("s")
    ledger.record("s", hold.key, item_of(5))
    assert ledger.find("s") is None
    assert [len(execute(tmp_path, f"SELECT * FROM {table}")) for table in ("session", "item", "hold")] == [1, 1, 0]


def test_what_sessions_refer_to_is_known_by_when_they_were_used(ledger, tmp_path: Path) -> None:
    for name, ref in (("s", "a" * 64), ("t", "b" * 64), ("u", "")):
        ledger.add(SESSION._replace(name=name))
        ledger.record(name, 0, item_of(1, ref=ref))
    execute(tmp_path, "UPDATE session SET updated = 50 WHERE name = 's'")
    assert ledger.find_references(0) == ({"s", "t", "u"}, {"a" * 64, "b" * 64})
    assert ledger.find_references(100) == ({"t", "u"}, {"b" * 64})


def test_damage_is_set_aside_with_one_warning_and_the_session_begins_anew(ledger, said, tmp_path: Path) -> None:
    ledger.add(SESSION)
    ledger.record("s", 0, item_of(70))
    ledger.close()
    path = tmp_path / "data" / "ctxkit.db"
    path.write_bytes(b"no database " * 500)
    hold = ledger.reserve(SESSION, lambda taken: 5)
    ledger.record("s", hold.key, item_of(5))
    assert ledger.find("s").used == 15
    assert len(said) == 1


def test_a_lock_is_waited_for_and_then_said(ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "WAIT", 0.05)
    ledger.add(SESSION)
    with closing(sqlite3.connect(tmp_path / "data" / "ctxkit.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LockedError):
            ledger.reserve(SESSION, lambda taken: 5)
        assert ledger.find("s").used == 10


def test_an_index_of_before_there_were_sessions_is_brought_up_to_date(ledger, said, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    ref = "ref TEXT PRIMARY KEY, size INTEGER NOT NULL, lines INTEGER NOT NULL, created REAL NOT NULL"
    label = "name TEXT NOT NULL, tool TEXT NOT NULL, call TEXT NOT NULL, session TEXT NOT NULL"
    execute(tmp_path, f"CREATE TABLE blob ({ref}, {label}) WITHOUT ROWID")
    execute(tmp_path, "INSERT INTO blob VALUES ('a', 1, 1, 1.0, 'kept', '', '', '')")
    assert ledger.find("s") is None
    assert ledger.add(SESSION)
    assert execute(tmp_path, "SELECT name FROM blob") == [("kept",)]
    assert said == []


def _take(directory: str, results) -> None:
    ledger = SQLiteLedger(directory, print)
    session = SESSION._replace(used=0, window=WINDOW)
    began = time.monotonic()
    hold = ledger.reserve(session, lambda taken: TOKENS if taken + TOKENS <= WINDOW else None)
    waited = time.monotonic() - began
    if hold.key:
        ledger.record("s", hold.key, item_of(TOKENS))
    results.put((bool(hold.key), waited))


@pytest.mark.slow
def test_as_many_get_room_as_there_is_room_for(tmp_path: Path, ledger) -> None:
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    takers = [context.Process(target=_take, args=(str(tmp_path / "data"), results)) for _ in range(PROCESSES)]
    for taker in takers:
        taker.start()
    got = [results.get() for _ in takers]
    for taker in takers:
        taker.join()
    assert sum(granted for granted, _ in got) == WINDOW // TOKENS
    assert (ledger.find("s").used, ledger.find("s").reserved) == (WINDOW // TOKENS * TOKENS, 0)
    assert max(waited for _, waited in got) < database.WAIT


def test_entries_are_summed_from_a_time_on(ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.add(SESSION)
    for now, tokens in ((100.0, 5), (200.0, 7), (300.0, 11)):
        monkeypatch.setattr("ctxkit.engines.ledger.time", lambda now=now: now)
        ledger.record("s", 0, item_of(tokens))
    assert [ledger.sum_entries("s", since) for since in (0, 100.0, 250.0, 300.0)] == [23, 18, 11, 0]
    assert ledger.sum_entries("nobody", 0) == 0
