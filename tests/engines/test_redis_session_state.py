"""A session, an entry and a change are read as they were written."""

import json
import multiprocessing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ctxkit.core.session.ledger import LedgerEntry, Session
from ctxkit.core.session.ledger_interface import ConditionalEntry
from ctxkit.core.store.address import parse_address
from ctxkit.core.store.label import Label
from ctxkit.engines.redis_ledger import RedisLedger
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.redis_session_state import (
    TTL,
    RedisContextMarks,
    list_sums,
    pair_fields,
    parse_changes,
    parse_entries,
    parse_state,
)
from ctxkit.engines.redis_store import RedisStore
from ctxkit.engines.session_copies import SessionCopies
from ctxkit.system.processes import identify_process
from tests.redis_servers import Server, empty_server

SESSION = Session("s", 1000, 200, "m", "t", used=7, created=1.5, updated=2.25)


def answer_of(session: Session, holds: list[bytes]) -> list[object]:
    words = [str(word).encode() for word in pair_fields(session)]
    return [[*words, b"version", b"4"], holds, b"100.5"]


def test_a_state_is_the_session_with_what_is_reserved() -> None:
    ours = f"30 100.4 {identify_process()}".encode()
    state = parse_state(SESSION.name, answer_of(SESSION, [b"1", ours, b"2", b"50 -99999999 elsewhere 1 1"]))
    assert state is not None
    assert state.session == SESSION._replace(reserved=30)
    assert (state.version, state.void, state.now) == (b"4", [b"2"], 100.5)


def test_no_fields_are_no_session() -> None:
    assert parse_state("s", [[], [], b"1.0"]) is None


def test_rows_of_lists() -> None:
    entry = LedgerEntry("log \udcff", 5, "exact", "raw", ref="a" * 64)
    (dated,) = parse_entries([b"12.5 " + json.dumps(entry).encode(), b"", b"1 {}", b"1 [1, 2]", b"x " + json.dumps(entry).encode()])
    assert (dated.entry, dated.at) == (entry, 12.5)
    assert parse_changes([b"3.5 9 reset 100 40", b"", b"3.5 9 reset x 40", b"\xff"]) == [("reset", 100, 40, 3.5)]


SESSION_REDIS_CONDITIONAL_ENTRY = Session("s", 1000, 200, "m", "qwen3", 10)
DATA = b"a line\nanother\n"
REF = sha256(DATA).hexdigest()
ENTRY = LedgerEntry("log", 30, "exact", "raw", ref=REF)
WINDOW, TOKENS, PROCESSES = 1000, 37, 8


def open_server(url: str) -> RedisServer:
    return RedisServer(parse_address(url), "/dev/null/mark", timeout=5)


@pytest.fixture
def ledger(redis_server: Server, tmp_path: Path) -> RedisLedger:
    empty_server(redis_server.url)
    ledger = RedisLedger(open_server(redis_server.url), copies=SessionCopies(str(tmp_path / "copies")))
    ledger.add(SESSION_REDIS_CONDITIONAL_ENTRY)
    return ledger


def request_of(**changes: Any) -> ConditionalEntry:
    return ConditionalEntry(SESSION_REDIS_CONDITIONAL_ENTRY, 500, ENTRY, DATA, Label("log"), 60)._replace(**changes)


def count_calls(ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    calls: list[object] = []
    run, execute = ledger._server.run, ledger._server.execute
    monkeypatch.setattr(ledger._server, "run", lambda *words, **options: calls.append(words[0]) or run(*words, **options))
    monkeypatch.setattr(
        ledger._server, "execute", lambda *words, **options: calls.append(words[0]) or execute(*words, **options)
    )
    return calls


def test_an_entry_and_its_content_take_one_call(ledger, redis_server, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count_calls(ledger, monkeypatch)
    assert ledger.record_if_fits(request_of(entry=ENTRY._replace(ref="", name="first"), data=b"")) == 10
    calls.clear()
    assert ledger.record_if_fits(request_of()) == 40
    assert len(calls) == 1
    session = ledger.find("s")
    assert (session.used, session.reserved, session.estimated, session.items) == (70, 0, 0, 2)
    assert [dated.entry for dated in ledger.entries("s")][1] == ENTRY
    store = RedisStore(open_server(redis_server.url), print, 3600)
    content = store.open(REF, quietly=True)
    assert content.read(0, 100) == DATA
    (blob,) = store.blobs()
    assert (blob.size, blob.label) == (len(DATA), Label("log"))
    assert TTL - 60 < store.server.execute("TTL", store.keys.blob(REF)) <= TTL
    assert ledger.find_references(0) == ({"s"}, {REF})


CHANGES: list[dict[str, Any]] = [
    {"session": SESSION_REDIS_CONDITIONAL_ENTRY._replace(window=999)},
    {"session": SESSION_REDIS_CONDITIONAL_ENTRY._replace(reserve=0)},
    {"session": SESSION_REDIS_CONDITIONAL_ENTRY._replace(model="other")},
    {"session": SESSION_REDIS_CONDITIONAL_ENTRY._replace(tokenizer="o200k")},
    {"session": SESSION_REDIS_CONDITIONAL_ENTRY._replace(name="absent")},
    {"most_taken": 9},
]


@pytest.mark.parametrize("changes", CHANGES)
def test_a_session_that_is_not_as_expected_is_not_changed(ledger, redis_server, changes: dict[str, Any]) -> None:
    before = ledger.find("s")
    assert ledger.record_if_fits(request_of(**changes)) is None
    ledger._unread.clear()
    assert ledger.find("s") == before
    assert ledger.entries("s") == []
    assert ledger.find("absent") is None
    assert list(RedisStore(open_server(redis_server.url), print, 3600).blobs()) == []


def test_the_state_of_a_refusal_is_read_without_another_call(ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count_calls(ledger, monkeypatch)
    assert ledger.record_if_fits(request_of(most_taken=9)) is None
    assert ledger.find("s").used == 10
    assert len(calls) == 1
    assert ledger.find("s").used == 10
    assert len(calls) == 2


def test_tokens_that_others_reserved_are_taken(ledger) -> None:
    hold = ledger.reserve(SESSION_REDIS_CONDITIONAL_ENTRY, lambda _: 491)
    assert ledger.record_if_fits(request_of()) is None
    ledger.release(hold.key)
    ledger.reserve(SESSION_REDIS_CONDITIONAL_ENTRY, lambda _: 490)
    assert ledger.record_if_fits(request_of()) == 500


@pytest.mark.parametrize(
    ("earlier", "is_repeated"),
    [
        (ENTRY._replace(name="other"), True),
        (ENTRY._replace(ref="b" * 64), True),
        (ENTRY._replace(ref="b" * 64, name="log2"), False),
        (ENTRY._replace(ref="b" * 64, name='other ["log", '), False),
    ],
)
def test_content_like_that_of_an_entry_needs_a_decision(ledger, earlier: LedgerEntry, is_repeated: bool) -> None:
    ledger.record("s", 0, earlier)
    assert (ledger.record_if_fits(request_of()) is None) == is_repeated
    assert ledger.record_if_fits(request_of(is_compared=False)) is not None


def test_content_without_a_name_is_compared_by_its_ref_alone(ledger) -> None:
    ledger.record("s", 0, ENTRY._replace(ref="b" * 64, name="stdin"))
    request = request_of(entry=ENTRY._replace(name="stdin"), label=Label())
    assert ledger.record_if_fits(request) is not None
    assert ledger.record_if_fits(request) is None


def test_what_was_compacted_is_no_longer_compared(ledger) -> None:
    assert ledger.record_if_fits(request_of()) is not None
    assert ledger.record_if_fits(request_of()) is None
    ledger.record_compaction("s", 20)
    assert ledger.record_if_fits(request_of()) == 20


def test_sums_of_an_entry() -> None:
    assert list_sums(ENTRY, 2) == (30, 0, 2, 0)
    assert list_sums(ENTRY._replace(method="estimate", result="briefing"), 1) == (30, 30, 1, 1)


def _take(url: str, results) -> None:
    ledger, count = RedisLedger(open_server(url)), 0
    entry = LedgerEntry("log", TOKENS, "exact", "raw")
    for _ in range(8):
        request = ConditionalEntry(SESSION_REDIS_CONDITIONAL_ENTRY, WINDOW - TOKENS, entry, is_compared=False)
        count += ledger.record_if_fits(request) is not None
    results.put(count)


@pytest.mark.slow
def test_calls_at_the_same_time_never_take_more_than_there_is(ledger, redis_server) -> None:
    ledger.set_used("s", 0)
    context = multiprocessing.get_context("forkserver")
    results = context.SimpleQueue()
    takers = [context.Process(target=_take, args=(redis_server.url, results)) for _ in range(PROCESSES)]
    for taker in takers:
        taker.start()
    recorded = sum(results.get() for _ in takers)
    for taker in takers:
        taker.join()
    assert recorded == WINDOW // TOKENS
    assert ledger.find("s").used == recorded * TOKENS


def test_marks_are_those_set_last_until_the_session_is_removed(redis_server) -> None:
    empty_server(redis_server.url)
    server = RedisServer(parse_address(redis_server.url), "/dev/null/mark")
    marks, ledger = RedisContextMarks(server), RedisLedger(server)
    ledger.add(Session("s", 1000, 0))
    assert marks.find("s") == {}
    marks.set_mark("s", [], "keep")
    marks.set_mark("s", ["a", "b"], "keep")
    marks.set_mark("s", ["b", "c"], "removable")
    assert marks.find("s") == {"a": "keep", "b": "removable", "c": "removable"}
    assert marks.find("t") == {}
    (key,) = server.execute("KEYS", "*marks*")
    server.execute("EXPIRE", key, 100)
    marks.find("s")
    assert server.execute("TTL", key) > 29 * 86_400
    ledger.remove("s")
    assert marks.find("s") == {}
