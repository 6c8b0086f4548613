"""What every history must do, on files, on a real server and on a cluster; then what only the server does."""

import multiprocessing
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxkit.core.session.history import KEPT_SNAPSHOTS, AppendResult, HistoryExtent, Snapshot
from ctxkit.core.store.address import parse_address
from ctxkit.engines import catalog, redis_history
from ctxkit.engines.catalog import SQLiteSnapshots
from ctxkit.engines.history import Histories
from ctxkit.engines.redis_history import RedisHistories, RedisSnapshots
from ctxkit.engines.redis_server import RedisServer
from tests.example_counts import count_examples
from tests.redis_servers import empty_server


def open_redis(url: str) -> RedisHistories:
    return RedisHistories(RedisServer(parse_address(url), "/dev/null/mark", timeout=5))


@pytest.fixture
def histories(place: str) -> Any:
    return open_redis(place) if "://" in place else Histories(place, print)


@pytest.fixture
def shared(redis_server) -> RedisHistories:
    empty_server(redis_server.url)
    return open_redis(redis_server.url)


def test_asking_makes_nothing(histories) -> None:
    assert histories.extent("s") is None
    assert histories.open("s") is None
    assert histories.additions("s") == []
    assert histories.find_last_addition("s") is None
    assert not histories.remove("s")
    assert histories.extent("s") is None


def test_lines_are_added_and_numbered(histories) -> None:
    began = time.time()
    assert histories.append("s", [b"one", b"two"]) == AppendResult(1, HistoryExtent(2, 8))
    assert histories.append("s", [b"three"]) == AppendResult(3, HistoryExtent(3, 14))
    assert histories.extent("s") == HistoryExtent(3, 14)
    lines = histories.open("s")
    assert b"".join(lines.raw(2, 3)) == b"two\nthree\n"
    assert (lines.total, lines.size) == (3, 14)
    assert [addition[1:] for addition in histories.additions("s")] == [(1, 2, 0, 8), (3, 1, 8, 6)]
    assert histories.find_last_addition("s") == histories.additions("s")[-1]
    assert all(abs(addition.at - began) < 60 for addition in histories.additions("s"))
    assert histories.extent("t") is None


def test_what_comes_later_is_not_in_what_was_opened(histories) -> None:
    histories.append("s", [b"one"])
    lines = histories.open("s")
    histories.append("s", [b"two"])
    assert b"".join(lines.raw(1, 99)) == b"one\n"


def test_the_lines_after_an_extent_are_read(histories) -> None:
    histories.append("s", [b"one", b"two"])
    start = histories.extent("s")
    histories.append("s", [b"three", b'{"a": "\xff"}'])
    rows = list(histories.read_after("s", start, histories.extent("s")))
    assert rows == [b"three", b'{"a": "\xff"}', b""]


def test_a_history_is_removed_with_its_session_or_not_at_all(histories) -> None:
    histories.append("s", [b"one"])
    with pytest.raises(ZeroDivisionError), histories.removal("s"):
        1 / 0  # noqa: B018
    assert histories.extent("s") == HistoryExtent(1, 4)
    with histories.removal("s") as there:
        assert there
    assert histories.extent("s") is None
    with histories.removal("s") as there:
        assert not there


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=count_examples(25))
@given(st.lists(st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line), min_size=1, max_size=5), min_size=1, max_size=6))
def test_both_kinds_answer_the_same(shared, tmp_path_factory: pytest.TempPathFactory, parts: list[list[bytes]]) -> None:
    local = Histories(str(tmp_path_factory.mktemp("data")), print)
    shared.remove("s")
    for part in parts:
        assert shared.append("s", part) == local.append("s", part)
    assert shared.extent("s") == local.extent("s")
    assert [row[1:] for row in shared.additions("s")] == [row[1:] for row in local.additions("s")]
    total = shared.open("s").total
    assert b"".join(shared.open("s").raw(1, total)) == b"".join(local.open("s").raw(1, total))


def test_long_histories_are_read_in_pieces(shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_history, "CHUNK", 1000)
    lines = [b"%d " % number * 20 for number in range(3000)]
    shared.append("s", lines)
    opened = shared.open("s")
    assert opened.total == 3000
    assert b"".join(opened.raw(1, 3000)) == b"".join(line + b"\n" for line in lines)
    assert b"".join(opened.raw(1700, 1700)) == lines[1699] + b"\n"


def add_lines(url: str, number: int) -> None:
    histories = open_redis(url)
    for _ in range(20):
        histories.append("s", [b"%d" % number] * 3)


@pytest.mark.slow
def test_lines_of_many_processes_never_mix(shared, redis_server) -> None:
    context = multiprocessing.get_context("forkserver")
    workers = [context.Process(target=add_lines, args=(redis_server.url, number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    lines = b"".join(shared.open("s").raw(1, 240)).split()
    assert sorted(lines) == sorted(b"%d" % number for number in range(4) for _ in range(60))
    assert all(len(set(lines[start : start + 3])) == 1 for start in range(0, 240, 3))
    assert [row.first for row in shared.additions("s")] == list(range(1, 240, 3))


def test_a_history_expires_with_its_session(shared, redis_server) -> None:
    shared.append("s", [b"one"])
    server = RedisServer(parse_address(redis_server.url), "/dev/null/mark")
    times = [server.execute("TTL", key) for key in server.execute("KEYS", "*session s*")]
    assert len(times) == 2
    assert all(29 * 86_400 < left <= 30 * 86_400 for left in times)
    assert shared.path("s") == f"{redis_server.url} ctxkit:{{session s}}:history"


SNAPSHOT = Snapshot("s", b'{"role":"user","content":"\xff"}\n', "openai", 1, 12, "exact", HistoryExtent(3, 70))


def open_redis_redis_snapshots(url: str, **options: Any) -> RedisSnapshots:
    return RedisSnapshots(RedisServer(parse_address(url), "/nonexistent/mark", timeout=20), **options)


@pytest.fixture
def kept(place: str) -> Any:
    return open_redis_redis_snapshots(place) if "://" in place else SQLiteSnapshots(place, print)


def test_asking_makes_nothing_of_redis_snapshots(kept) -> None:
    assert kept.find("s") is None
    assert kept.all() == []
    assert kept.earlier("s") == []
    assert not kept.remove("s")


def test_a_snapshot_is_found_as_it_was_saved(kept) -> None:
    saved = kept.save(SNAPSHOT)
    assert abs(saved.created - time.time()) < 60
    assert saved == SNAPSHOT._replace(created=saved.created)
    assert kept.find("s") == saved
    assert kept.find("t") is None


def test_the_newest_takes_the_place_of_the_last(kept) -> None:
    kept.save(SNAPSHOT)
    kept.save(SNAPSHOT._replace(session="t", tokens=7))
    kept.save(SNAPSHOT._replace(content=b"", tokens=5))
    assert kept.find("s").tokens == 5
    assert kept.find("s").content == b""
    assert [(one.session, one.tokens, one.content) for one in kept.all()] == [("t", 7, b""), ("s", 5, b"")]
    assert kept.remove("s")
    assert kept.find("s") is None
    assert [one.session for one in kept.all()] == ["t"]


@pytest.mark.slow
def test_a_large_one_is_fine(kept) -> None:
    content = b"x" * (48 << 20)
    kept.save(SNAPSHOT._replace(content=content))
    assert kept.find("s").content == content


def test_the_last_ones_stay_with_their_numbers(kept) -> None:
    for number in range(KEPT_SNAPSHOTS + 2):
        kept.save(SNAPSHOT._replace(content=b"%d" % number))
    kept.save(SNAPSHOT._replace(content=b"11", tokens=3))
    assert [row.name for row in kept.earlier("s")] == [f"s@{number}" for number in range(2, KEPT_SNAPSHOTS + 1)]
    assert [kept.find("s", number).content for number in (1, 2, 10)] == [b"11", b"10", b"2"]
    assert kept.find("s").tokens == 3
    assert kept.find("s", 11) is None
    assert kept.remove("s")
    assert kept.earlier("s") == []


@pytest.mark.parametrize("engine", [catalog, redis_history])
def test_large_ones_leave_first(kept, engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MAX_EARLIER_BYTES", 10)
    if type(kept).__module__ != engine.__name__:
        pytest.skip("the limit of the other engine")
    for content in (b"one", b"two", b"eight by", b"four"):
        kept.save(SNAPSHOT._replace(content=content))
    assert [row.messages for row in kept.earlier("s")] == [1]
    assert kept.find("s", 2).content == b"eight by"


def test_what_may_not_be_stored_is_not_sent_and_what_is_mentioned_is_held(redis_server) -> None:
    empty_server(redis_server.url)
    held: list[str] = []
    kept = open_redis_redis_snapshots(redis_server.url, prepare=lambda snapshot: snapshot._replace(content=b"3f9a2c81d0b4 left"), hold=held.extend)
    assert kept.save(SNAPSHOT).content == b"3f9a2c81d0b4 left"
    assert kept.find("s").content == b"3f9a2c81d0b4 left"
    assert held == ["3f9a2c81d0b4"]


def test_reading_renews_the_time_of_all(redis_server) -> None:
    empty_server(redis_server.url)
    kept, server = open_redis_redis_snapshots(redis_server.url), RedisServer(parse_address(redis_server.url), "/nonexistent/mark")
    kept.save(SNAPSHOT)
    keys = server.execute("KEYS", "*session s*")
    for key in keys:
        server.execute("EXPIRE", key, 100)
    assert kept.find("s") is not None
    assert all(server.execute("TTL", key) > 29 * 86_400 for key in keys)
    for key in keys:
        server.execute("DEL", key)
    assert kept.all() == []
    assert server.execute("SMEMBERS", "ctxkit:{snapshots}") in (set(), [])
