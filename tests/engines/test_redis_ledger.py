"""What every ledger must do, on SQLite, on a real server and on a cluster; then what only the server does."""

import json
import multiprocessing
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ctxkit.core.session.ledger import AnswerEntry, LedgerEntry, Session, TurnEntry
from ctxkit.core.session.ledger_interface import ConditionalEntry
from ctxkit.core.store.address import parse_address
from ctxkit.core.store.label import Label
from ctxkit.engines import ledger as sqlite_ledger
from ctxkit.engines import redis_ledger
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.engines.redis_ledger import (
    RENEW_EVERY,
    TTL,
    RedisContextMarks,
    RedisLedger,
    list_sums,
    pair_fields,
    parse_changes,
    parse_entries,
    parse_state,
)
from ctxkit.engines.redis_scripts import BlobKeys
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.redis_store import RedisStore
from ctxkit.engines.session_copies import SessionCopies
from ctxkit.system import processes
from ctxkit.system.processes import identify_process
from tests.redis_servers import Server, empty_server

SESSION = Session("s", 1000, 200, "qwen3-30b", "", 10)
WINDOW, TOKENS, PROCESSES = 1000, 37, 16


def open_redis(url: str, folder: Path) -> RedisLedger:
    return RedisLedger(RedisServer(parse_address(url), str(folder / "mark"), timeout=5))


def open_ledger(place: str) -> Any:
    return open_redis(place, Path("/dev/null")) if "://" in place else SQLiteLedger(place, print)


@pytest.fixture
def ledger(place: str) -> Any:
    return open_ledger(place)


@pytest.fixture
def shared(redis_server, tmp_path: Path) -> RedisLedger:
    empty_server(redis_server.url)
    return open_redis(redis_server.url, tmp_path)


def item_of(tokens: int, **more) -> LedgerEntry:
    return LedgerEntry("log", tokens, "exact", "raw", **more)


def test_asking_makes_nothing(ledger) -> None:
    assert ledger.find("s") is None
    assert ledger.sessions() == []
    assert ledger.set_used("s", 1) is None
    assert not ledger.remove("s")
    ledger.record("s", 0, item_of(5))
    assert ledger.find("s") is None
    assert ledger.entries("s") == [] == ledger.entries_in_context("s")
    assert ledger.find_references(0) == (set(), set())


def test_sessions_come_in_the_order_in_which_they_began(ledger) -> None:
    for name in "bca":
        ledger.add(SESSION._replace(name=name))
    assert [session.name for session in ledger.sessions()] == ["b", "c", "a"]
    ledger.remove("c")
    ledger.add(SESSION._replace(name="c"))
    assert [session.name for session in ledger.sessions()] == ["b", "a", "c"]


def test_what_is_booked_is_on_record(ledger) -> None:
    ledger.add(SESSION)
    hold = ledger.reserve(SESSION, lambda taken: 100)
    assert hold.occupancy == 10
    assert (ledger.find("s").used, ledger.find("s").reserved) == (10, 100)
    entry = LedgerEntry("log \udcff", 70, "estimate", "briefing", True, "a" * 64, "sh", "call_1")
    ledger.record("s", hold.key, entry._replace(name="log"))
    found = ledger.find("s")
    assert (found.used, found.reserved, found.estimated, found.items, found.gatings) == (80, 0, 70, 1, 1)
    assert [dated.entry for dated in ledger.entries("s")] == [entry._replace(name="log")]


def test_an_anchor_changes_what_is_used_and_nothing_on_record(ledger) -> None:
    ledger.add(SESSION)
    ledger.record("s", 0, item_of(5))
    assert ledger.set_used("s", 400).used == 400
    assert (ledger.find("s").used, ledger.find("s").items) == (400, 1)
    assert len(ledger.entries("s")) == 1


def test_a_session_that_is_removed_takes_its_records_along_and_is_not_brought_back(ledger) -> None:
    for name in ("s", "t"):
        ledger.add(SESSION._replace(name=name))
        ledger.record(name, 0, item_of(5))
    hold = ledger.reserve(SESSION, lambda taken: 5)
    assert ledger.remove("s")
    assert not ledger.remove("s")
    ledger.record("s", hold.key, item_of(5))
    assert ledger.find("s") is None
    assert [session.name for session in ledger.sessions()] == ["t"]
    assert ledger.entries("s") == []
    ledger.remove_whole(["s", "t"])
    assert ledger.sessions() == []


def test_what_sessions_refer_to_is_known_by_when_they_were_used(ledger) -> None:
    for name, ref in (("s", "a" * 64), ("t", "b" * 64), ("u", "")):
        ledger.add(SESSION._replace(name=name))
        ledger.record(name, 0, item_of(1, ref=ref))
    assert ledger.find_references(0) == ({"s", "t", "u"}, {"a" * 64, "b" * 64})
    assert ledger.find_references(time.time() + 60) == (set(), set())


def test_entries_are_summed_from_a_time_on(ledger) -> None:
    ledger.add(SESSION)
    for tokens in (5, 7, 11):
        ledger.record("s", 0, item_of(tokens))
        time.sleep(0.002)
    first, second, third = (dated.at for dated in ledger.entries("s"))
    assert first < second < third
    assert [ledger.sum_entries("s", since) for since in (0, first, second, third)] == [23, 18, 11, 0]
    assert ledger.sum_entries("nobody", 0) == 0


def test_only_entries_since_the_last_change_are_in_context(ledger) -> None:
    ledger.add(SESSION)
    ledger.record("s", 0, item_of(5))
    assert [entry.tokens for entry in ledger.entries_in_context("s")] == [5]
    ledger.record_compaction("s", 3)
    ledger.record("s", 0, item_of(7))
    ledger.record("s", 0, item_of(8))
    assert [entry.tokens for entry in ledger.entries_in_context("s")] == [7, 8]


def _take(place: str, results) -> None:
    ledger = open_ledger(place)
    session = SESSION._replace(used=0, window=WINDOW)
    count = 0
    for _ in range(4):
        hold = ledger.reserve(session, lambda taken: TOKENS if taken + TOKENS <= WINDOW else None)
        if hold.key:
            ledger.record("s", hold.key, item_of(TOKENS))
            count += 1
    results.put(count)


@pytest.mark.slow
def test_as_many_get_room_as_there_is_room_for(place: str, ledger) -> None:
    context = multiprocessing.get_context("forkserver")
    results = context.SimpleQueue()
    takers = [context.Process(target=_take, args=(place, results)) for _ in range(PROCESSES)]
    for taker in takers:
        taker.start()
    granted = sum(results.get() for _ in takers)
    for taker in takers:
        taker.join()
    assert granted == WINDOW // TOKENS
    assert (ledger.find("s").used, ledger.find("s").reserved) == (WINDOW // TOKENS * TOKENS, 0)


def test_a_session_begins_once_and_is_found(ledger) -> None:
    assert ledger.add(SESSION)
    assert not ledger.add(SESSION._replace(window=5))
    found = ledger.find("s")
    assert found[:11] == (*SESSION[:10], found.created)
    assert abs(found.created - time.time()) < 60
    assert ledger.find("t") is None


def test_a_promise_can_be_refused_and_taken_back(ledger) -> None:
    ledger.add(SESSION)
    assert ledger.reserve(SESSION, lambda taken: None) == (0, 10)
    hold = ledger.reserve(SESSION, lambda taken: 0)
    assert hold.key > 0
    other = ledger.reserve(SESSION, lambda taken: 50)
    assert other.occupancy == 10
    ledger.release(other.key)
    assert ledger.find("s").occupancy == 10


def test_a_hold_begins_a_session_that_has_gone(ledger) -> None:
    hold = ledger.reserve(SESSION, lambda taken: 5)
    ledger.record("s", hold.key, item_of(5))
    assert ledger.find("s").used == 15


def test_a_compaction_is_booked(ledger) -> None:
    assert ledger.record_compaction("s", 5) is None
    ledger.add(SESSION)
    assert ledger.record_compaction("s", 500, 500).compactions == 1
    found = ledger.record_compaction("s", 40)
    assert found == ledger.find("s")
    assert (found.used, found.estimated, found.compactions) == (40, 0, 2)


def test_an_edit_is_booked(ledger) -> None:
    assert ledger.record_edit("s", 5) is None
    ledger.add(SESSION)
    ledger.record_edit("s", 500, 500)
    assert ledger.record_edit("s", 40) == ledger.find("s")
    assert (ledger.find("s").used, ledger.find("s").estimated, ledger.find("s").edits) == (40, 0, 2)


def test_a_turn_and_its_answer_are_booked(ledger) -> None:
    assert ledger.record_turn("s", TurnEntry(5, 0, 1, 0)) is None
    ledger.add(SESSION)
    ledger.record_answer("s", AnswerEntry(700, 1, True))
    session = ledger.find("s")
    assert (session.used, session.items, session.due) == (700, 1, 1)
    ledger.record_answer("s", AnswerEntry(None, 2, True))
    assert (ledger.find("s").used, ledger.find("s").items) == (700, 3)
    ledger.record_turn("s", TurnEntry(90, 80, 2, 1))
    session = ledger.find("s")
    assert (session.used, session.estimated, session.items, session.gatings, session.due) == (90, 80, 5, 1, 0)


def test_what_takes_content_out_of_the_context_is_a_change(ledger) -> None:
    ledger.add(SESSION._replace(used=100))
    ledger.set_used("s", 150)
    ledger.set_used("s", 40)
    ledger.record_compaction("s", 30)
    ledger.record_edit("s", 30)
    assert [change[:3] for change in ledger.changes("s")] == [
        ("reset", 150, 40), ("compaction", 40, 30), ("edit", 30, 30),
    ]  # fmt: skip
    ledger.remove("s")
    ledger.add(SESSION)
    assert ledger.changes("s") == [] == ledger.changes("t")


def test_entries_are_listed_in_order(ledger) -> None:
    ledger.add(SESSION)
    entries = [item_of(tokens, agent="a", tight=tokens == 9) for tokens in (5, 9)]
    for entry in entries:
        ledger.record("s", 0, entry)
    dated = ledger.entries("s")
    assert [each.entry for each in dated] == entries
    assert abs(dated[1].at - time.time()) < 60


def holds_key(shared: RedisLedger) -> str:
    return shared._keys.make_all("s")[3]


def test_a_promise_to_a_process_that_died_is_void(shared) -> None:
    shared.add(SESSION)
    hold = shared.reserve(SESSION, lambda taken: 500)
    assert shared.find("s").reserved == 500
    machine, _, began = processes.identify_process().rsplit(" ", 2)
    server, key = shared._server, holds_key(shared)
    server.execute("HSET", key, hold.key, f"500 {time.time()} {machine} 999999999 {began}")
    assert shared.find("s").reserved == 0
    assert shared.reserve(SESSION, lambda taken: taken).occupancy == 10
    assert server.execute("HLEN", key) == 1


def test_a_promise_to_another_machine_is_void_after_a_while(shared) -> None:
    shared.add(SESSION)
    hold, key = shared.reserve(SESSION, lambda taken: 500), holds_key(shared)
    shared._server.execute("HSET", key, hold.key, f"500 {time.time()} elsewhere 1 1")
    assert shared.find("s").reserved == 500
    for distance in (processes.UNSEEN_SECONDS + 5, -processes.UNSEEN_SECONDS - 5):
        shared._server.execute("HSET", key, hold.key, f"500 {time.time() + distance} elsewhere 1 1")
        assert shared.find("s").reserved == 0


def test_a_decision_by_an_old_state_is_made_again(shared, redis_server, tmp_path: Path) -> None:
    other = open_redis(redis_server.url, tmp_path)
    shared.add(SESSION)
    shared.find("s")
    other.set_used("s", 990)
    assert shared.reserve(SESSION, lambda taken: 100 if taken < 900 else None) == (0, 990)
    shared.find("s")
    other.set_used("s", 0)
    assert shared.reserve(SESSION, lambda taken: 100 if taken < 900 else None).occupancy == 0


def test_a_gate_of_a_known_session_takes_three_round_trips(shared) -> None:
    shared.add(SESSION)
    shared.find("s")
    calls: list[object] = []
    run = shared._server.run
    shared._server.run = lambda *args: calls.append(args[0]) or run(*args)
    shared.find("s")
    hold = shared.reserve(SESSION, lambda taken: 5)
    shared.record("s", hold.key, item_of(5))
    assert len(calls) == 3


def test_a_session_expires_a_month_after_its_last_use(shared) -> None:
    shared.add(SESSION)
    shared.record("s", 0, item_of(5))
    keys = shared._keys.make_all("s")
    for key in keys[:2]:
        assert TTL - 60 < shared._server.execute("TTL", key) <= TTL
    shared._server.execute("DEL", *keys)
    assert shared.sessions() == []
    assert shared._server.execute("ZCARD", shared._keys.index) == 0


def test_the_content_of_a_session_is_renewed_at_most_once_an_hour(redis_server, tmp_path: Path) -> None:
    empty_server(redis_server.url)
    renewed: list[list[str]] = []
    server = RedisServer(parse_address(redis_server.url), str(tmp_path / "mark"), timeout=5)
    ledger = RedisLedger(server, lambda refs: renewed.append(sorted(refs)))
    ledger.add(SESSION)
    for ref in ("a" * 64, "b" * 64, ""):
        ledger.record("s", 0, item_of(5, ref=ref))
    assert renewed == [["a" * 64], ["b" * 64]]
    server.execute("HSET", ledger._keys.make_all("s")[0], "renewed", time.time() - RENEW_EVERY - 5)
    ledger.record("s", 0, item_of(5))
    assert renewed[2:] == [["a" * 64, "b" * 64]]


def test_the_content_of_an_entry_is_renewed_with_it_and_never_shortened(redis_server, tmp_path: Path) -> None:
    empty_server(redis_server.url)
    renewed: list[list[str]] = []
    server = RedisServer(parse_address(redis_server.url), str(tmp_path / "mark"), timeout=5)
    keys = BlobKeys(server)
    ledger = RedisLedger(server, lambda refs: renewed.append(sorted(refs)), keys.list_shared)
    ledger.add(SESSION)
    short, held, absent = "a" * 64, "b" * 64, "c" * 64
    for ref, seconds in ((short, 600), (held, 2 * TTL)):
        server.execute("HSET", keys.blob(ref), "size", 1)
        server.execute("EXPIRE", keys.blob(ref), seconds)
    ledger.record("s", 0, item_of(5, ref=short))
    renewed.clear()  # the first entry renews all content of the session
    for ref in (held, absent):
        ledger.record("s", 0, item_of(5, ref=ref))
    assert renewed == []
    left = [server.execute("TTL", keys.blob(ref)) for ref in (short, held, absent)]
    assert TTL - 60 < left[0] <= TTL
    assert 2 * TTL - 60 < left[1] <= 2 * TTL
    assert left[2] == -2
    ledger.record("s", 0, item_of(5, ref="d" * 12))
    assert renewed == [["d" * 12]]


def test_of_many_entries_the_newest_are_in_context(ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (redis_ledger, sqlite_ledger):
        monkeypatch.setattr(module, "MOST_ENTRIES", 3)
    ledger.add(SESSION)
    for tokens in (1, 2):
        ledger.record("s", 0, item_of(tokens))
    ledger.record_compaction("s", 3)
    for tokens in (3, 4):
        ledger.record("s", 0, item_of(tokens))
    assert [entry.tokens for entry in ledger.entries_in_context("s")] == [3, 4]
    for tokens in (5, 6):
        ledger.record("s", 0, item_of(tokens))
    assert [entry.tokens for entry in ledger.entries_in_context("s")] == [4, 5, 6]


def test_a_share_that_depends_on_what_is_taken_is_that_of_the_current_state(
    shared, redis_server, tmp_path: Path
) -> None:
    other = open_redis(redis_server.url, tmp_path)
    shared.add(SESSION)
    shared.find("s")
    other.set_used("s", 300)
    hold = shared.reserve(SESSION, lambda taken: (1000 - taken) // 2)
    assert (hold.occupancy, other.find("s").reserved) == (300, 350)
    shared.release(hold.key)
    shared.find("s")
    other.set_used("s", 500)
    jagged = {300: 7, 500: 9}
    hold = shared.reserve(SESSION, lambda taken: jagged.get(taken, 7))  # not monotonous: it is asked again
    assert (hold.occupancy, other.find("s").reserved) == (500, 9)


def test_reservations_at_the_same_time_need_one_try_each(
    shared, redis_server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.add(SESSION)
    others = [open_redis(redis_server.url, tmp_path) for _ in range(5)]
    for other in others:
        other.find("s")
    calls: list[object] = []
    for other in others:
        run = other._server.run
        monkeypatch.setattr(other._server, "run", lambda *args, run=run: calls.append(args[0]) or run(*args))
        assert other.reserve(SESSION, lambda taken: 100 if taken + 100 <= 800 else None).key
    assert len(calls) == 5
    assert shared.find("s").reserved == 500


STATE_SESSION = Session("s", 1000, 200, "m", "t", used=7, created=1.5, updated=2.25)


def answer_of(session: Session, holds: list[bytes]) -> list[object]:
    words = [str(word).encode() for word in pair_fields(session)]
    return [[*words, b"version", b"4"], holds, b"100.5"]


def test_a_state_is_the_session_with_what_is_reserved() -> None:
    ours = f"30 100.4 {identify_process()}".encode()
    state = parse_state(STATE_SESSION.name, answer_of(STATE_SESSION, [b"1", ours, b"2", b"50 -99999999 elsewhere 1 1"]))
    assert state is not None
    assert state.session == STATE_SESSION._replace(reserved=30)
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
STATE_WINDOW, STATE_TOKENS, STATE_PROCESSES = 1000, 37, 8


def open_server(url: str) -> RedisServer:
    return RedisServer(parse_address(url), "/dev/null/mark", timeout=5)


@pytest.fixture
def state_ledger(redis_server: Server, tmp_path: Path) -> RedisLedger:
    empty_server(redis_server.url)
    state_ledger = RedisLedger(open_server(redis_server.url), copies=SessionCopies(str(tmp_path / "copies")))
    state_ledger.add(SESSION_REDIS_CONDITIONAL_ENTRY)
    return state_ledger


def request_of(**changes: Any) -> ConditionalEntry:
    return ConditionalEntry(SESSION_REDIS_CONDITIONAL_ENTRY, 500, ENTRY, DATA, Label("log"), 60)._replace(**changes)


def count_calls(state_ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    calls: list[object] = []
    run, execute = state_ledger._server.run, state_ledger._server.execute
    monkeypatch.setattr(state_ledger._server, "run", lambda *words, **options: calls.append(words[0]) or run(*words, **options))
    monkeypatch.setattr(
        state_ledger._server, "execute", lambda *words, **options: calls.append(words[0]) or execute(*words, **options)
    )
    return calls


def test_an_entry_and_its_content_take_one_call(state_ledger, redis_server, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count_calls(state_ledger, monkeypatch)
    assert state_ledger.record_if_fits(request_of(entry=ENTRY._replace(ref="", name="first"), data=b"")) == 10
    calls.clear()
    assert state_ledger.record_if_fits(request_of()) == 40
    assert len(calls) == 1
    session = state_ledger.find("s")
    assert (session.used, session.reserved, session.estimated, session.items) == (70, 0, 0, 2)
    assert [dated.entry for dated in state_ledger.entries("s")][1] == ENTRY
    store = RedisStore(open_server(redis_server.url), print, 3600)
    content = store.open(REF, quietly=True)
    assert content.read(0, 100) == DATA
    (blob,) = store.blobs()
    assert (blob.size, blob.label) == (len(DATA), Label("log"))
    assert TTL - 60 < store.server.execute("TTL", store.keys.blob(REF)) <= TTL
    assert state_ledger.find_references(0) == ({"s"}, {REF})


CHANGES: list[dict[str, Any]] = [
    {"session": SESSION_REDIS_CONDITIONAL_ENTRY._replace(window=999)},
    {"session": SESSION_REDIS_CONDITIONAL_ENTRY._replace(reserve=0)},
    {"session": SESSION_REDIS_CONDITIONAL_ENTRY._replace(model="other")},
    {"session": SESSION_REDIS_CONDITIONAL_ENTRY._replace(tokenizer="o200k")},
    {"session": SESSION_REDIS_CONDITIONAL_ENTRY._replace(name="absent")},
    {"most_taken": 9},
]


@pytest.mark.parametrize("changes", CHANGES)
def test_a_session_that_is_not_as_expected_is_not_changed(state_ledger, redis_server, changes: dict[str, Any]) -> None:
    before = state_ledger.find("s")
    assert state_ledger.record_if_fits(request_of(**changes)) is None
    state_ledger._unread.clear()
    assert state_ledger.find("s") == before
    assert state_ledger.entries("s") == []
    assert state_ledger.find("absent") is None
    assert list(RedisStore(open_server(redis_server.url), print, 3600).blobs()) == []


def test_the_state_of_a_refusal_is_read_without_another_call(state_ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count_calls(state_ledger, monkeypatch)
    assert state_ledger.record_if_fits(request_of(most_taken=9)) is None
    assert state_ledger.find("s").used == 10
    assert len(calls) == 1
    assert state_ledger.find("s").used == 10
    assert len(calls) == 2


def test_tokens_that_others_reserved_are_taken(state_ledger) -> None:
    hold = state_ledger.reserve(SESSION_REDIS_CONDITIONAL_ENTRY, lambda _: 491)
    assert state_ledger.record_if_fits(request_of()) is None
    state_ledger.release(hold.key)
    state_ledger.reserve(SESSION_REDIS_CONDITIONAL_ENTRY, lambda _: 490)
    assert state_ledger.record_if_fits(request_of()) == 500


@pytest.mark.parametrize(
    ("earlier", "is_repeated"),
    [
        (ENTRY._replace(name="other"), True),
        (ENTRY._replace(ref="b" * 64), True),
        (ENTRY._replace(ref="b" * 64, name="log2"), False),
        (ENTRY._replace(ref="b" * 64, name='other ["log", '), False),
    ],
)
def test_content_like_that_of_an_entry_needs_a_decision(state_ledger, earlier: LedgerEntry, is_repeated: bool) -> None:
    state_ledger.record("s", 0, earlier)
    assert (state_ledger.record_if_fits(request_of()) is None) == is_repeated
    assert state_ledger.record_if_fits(request_of(is_compared=False)) is not None


def test_content_without_a_name_is_compared_by_its_ref_alone(state_ledger) -> None:
    state_ledger.record("s", 0, ENTRY._replace(ref="b" * 64, name="stdin"))
    request = request_of(entry=ENTRY._replace(name="stdin"), label=Label())
    assert state_ledger.record_if_fits(request) is not None
    assert state_ledger.record_if_fits(request) is None


def test_what_was_compacted_is_no_longer_compared(state_ledger) -> None:
    assert state_ledger.record_if_fits(request_of()) is not None
    assert state_ledger.record_if_fits(request_of()) is None
    state_ledger.record_compaction("s", 20)
    assert state_ledger.record_if_fits(request_of()) == 20


def test_sums_of_an_entry() -> None:
    assert list_sums(ENTRY, 2) == (30, 0, 2, 0)
    assert list_sums(ENTRY._replace(method="estimate", result="briefing"), 1) == (30, 30, 1, 1)


def _take_state(url: str, results) -> None:
    state_ledger, count = RedisLedger(open_server(url)), 0
    entry = LedgerEntry("log", STATE_TOKENS, "exact", "raw")
    for _ in range(8):
        request = ConditionalEntry(SESSION_REDIS_CONDITIONAL_ENTRY, STATE_WINDOW - STATE_TOKENS, entry, is_compared=False)
        count += state_ledger.record_if_fits(request) is not None
    results.put(count)


@pytest.mark.slow
def test_calls_at_the_same_time_never_take_more_than_there_is(state_ledger, redis_server) -> None:
    state_ledger.set_used("s", 0)
    context = multiprocessing.get_context("forkserver")
    results = context.SimpleQueue()
    takers = [context.Process(target=_take_state, args=(redis_server.url, results)) for _ in range(STATE_PROCESSES)]
    for taker in takers:
        taker.start()
    recorded = sum(results.get() for _ in takers)
    for taker in takers:
        taker.join()
    assert recorded == STATE_WINDOW // STATE_TOKENS
    assert state_ledger.find("s").used == recorded * STATE_TOKENS


def test_marks_are_those_set_last_until_the_session_is_removed(redis_server) -> None:
    empty_server(redis_server.url)
    server = RedisServer(parse_address(redis_server.url), "/dev/null/mark")
    marks, state_ledger = RedisContextMarks(server), RedisLedger(server)
    state_ledger.add(Session("s", 1000, 0))
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
    state_ledger.remove("s")
    assert marks.find("s") == {}
