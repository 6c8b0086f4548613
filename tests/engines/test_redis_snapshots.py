"""What every store of snapshots must do, in SQLite, on a real server and on a cluster."""

import time
from typing import Any

import pytest

from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.snapshot import KEPT_SNAPSHOTS, Snapshot
from ctxkit.core.store.address import parse_address
from ctxkit.engines import redis_snapshots, snapshots
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.redis_snapshots import RedisSnapshots
from ctxkit.engines.snapshots import SQLiteSnapshots
from tests.redis_servers import empty_server

SNAPSHOT = Snapshot("s", b'{"role":"user","content":"\xff"}\n', "openai", 1, 12, "exact", HistoryExtent(3, 70))


def open_redis(url: str, **options: Any) -> RedisSnapshots:
    return RedisSnapshots(RedisServer(parse_address(url), "/nonexistent/mark", timeout=20), **options)


@pytest.fixture
def kept(place: str) -> Any:
    return open_redis(place) if "://" in place else SQLiteSnapshots(place, print)


def test_asking_makes_nothing(kept) -> None:
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


@pytest.mark.parametrize("engine", [snapshots, redis_snapshots])
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
    kept = open_redis(redis_server.url, prepare=lambda snapshot: snapshot._replace(content=b"3f9a2c81d0b4 left"), hold=held.extend)
    assert kept.save(SNAPSHOT).content == b"3f9a2c81d0b4 left"
    assert kept.find("s").content == b"3f9a2c81d0b4 left"
    assert held == ["3f9a2c81d0b4"]


def test_reading_renews_the_time_of_all(redis_server) -> None:
    empty_server(redis_server.url)
    kept, server = open_redis(redis_server.url), RedisServer(parse_address(redis_server.url), "/nonexistent/mark")
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
