"""What every store must do, on the local store, on a real server and on a cluster; then what only the server does."""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxkit.core.errors import AmbiguousRefError, DamagedContentError, NotStoredError
from ctxkit.core.session.ledger import LedgerEntry, Session
from ctxkit.core.store.label import Label, shorten_ref
from ctxkit.core.store.store_interface import CollectionResult
from ctxkit.core.text.lines import BLOCK
from ctxkit.engines import redis_store
from ctxkit.engines.redis_ledger import RedisLedger
from tests.engines.stores_under_test import DAY, LocalUnderTest, RedisUnderTest, StoreUnderTest
from tests.example_counts import count_examples
from tests.redis_servers import empty_server


@pytest.fixture(params=["local", "redis", "cluster"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> StoreUnderTest:
    if request.param == "local":
        return LocalUnderTest(tmp_path)
    if request.param == "redis":
        return request.getfixturevalue("shared")
    servers = request.getfixturevalue("redis_cluster")
    for server in servers:
        empty_server(server.url)
    return RedisUnderTest(servers[0].url + "?cluster=1", tmp_path)


@pytest.fixture
def shared(redis_server, tmp_path: Path) -> RedisUnderTest:
    empty_server(redis_server.url)
    return RedisUnderTest(redis_server.url, tmp_path)


@settings(deadline=None, max_examples=count_examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400), st.integers(1, 100))
def test_any_bytes_come_back_as_they_went_in(kept, data: bytes, size: int) -> None:
    writer = kept.store.open_writer()
    for start in range(0, len(data), size):
        writer.write(data[start : start + size])
    ref = writer.commit(Label("name"))
    assert b"".join(writer.replay()) == data
    assert kept.read(ref) == Path(kept.store.path(ref)).read_bytes() == data
    assert kept.store.find(shorten_ref(ref)) == kept.store.find(ref) == ref
    assert ref in kept.refs()
    assert kept.store.has_ref(ref)


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("size", [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7, 40 * BLOCK])
def test_content_of_many_blocks_comes_back_whole_and_in_lines(kept, size: int) -> None:
    noise = random.Random(size)
    data = b"".join(b"%d %d\n" % (number, noise.random() * 1e9) for number in range(size // 8))[:size]
    ref = kept.put(data)
    assert kept.read(ref) == data
    content, lines = kept.store.open(ref), data.splitlines(keepends=True)
    assert content.lines.total == len(lines)
    for first, last in ((1, 1), (len(lines) // 2, len(lines) // 2 + 3), (len(lines), len(lines))):
        assert b"".join(content.lines.raw(first, last)) == b"".join(lines[first - 1 : last])
    for offset in (0, size // 3, size - 5, size):
        assert content.read(offset, 100) == data[offset : offset + 100]


def test_a_blob_is_listed_with_its_label_size_and_times(kept) -> None:
    before = time.time() - 5
    ref = kept.put(b"content", Label("log", "sh", "call_1", "s"))
    (blob,) = kept.store.blobs()
    assert (blob.ref, blob.size, blob.label) == (ref, 7, Label("log", "sh", "call_1", "s"))
    assert before < blob.created < time.time() + 5
    assert before < blob.read < time.time() + 5
    assert blob.place == kept.store.place


@pytest.mark.parametrize("name", ["bad\udcff.txt", "\ud800", "nul\0in"])
def test_a_name_that_is_no_text_costs_at_most_the_label(kept, name: str) -> None:
    ref = kept.put(b"content", Label(name))
    assert kept.read(ref) == b"content"
    assert len(kept.refs()) == 1


def test_threads_that_store_the_same_content_at_once_store_it_once(kept) -> None:
    with ThreadPoolExecutor(8) as pool:
        refs = set(pool.map(lambda _: kept.put(b"same\n" * BLOCK), range(40)))
    assert kept.refs() == refs
    assert len(refs) == 1
    assert list(kept.store.verify()) == []


def test_a_prefix_finds_its_ref_and_an_ambiguous_one_is_refused(kept) -> None:
    ref = kept.put(b"content")
    assert kept.store.find(ref[:6]) == ref
    kept.plant(ref[:10] + "0" * 54, b"another")
    with pytest.raises(AmbiguousRefError, match=f"matches 2 refs: .*{ref[:10] + '0' * 54}"):
        kept.store.find(ref[:6])
    for prefix in ("f" * 6 if ref[0] != "f" else "0" * 6, "0" * 64):
        with pytest.raises(NotStoredError):
            kept.store.find(prefix)


def test_content_with_the_short_ref_of_earlier_content_is_named_in_full(kept) -> None:
    ref = kept.put(b"content")
    twin = ref[:16] + "0" * 48
    for _ in range(2):
        kept.plant(twin, b"later")
    assert kept.put(b"content") == ref
    assert shorten_ref(kept.store.find(ref[:16])) == ref[:16]
    assert shorten_ref(kept.store.find(twin)) == twin
    assert {shorten_ref(blob.ref) for blob in kept.store.blobs()} == {ref[:16], twin}
    with pytest.raises(AmbiguousRefError, match=twin):
        kept.store.find(ref[:12])
    kept.store.remove(ref)
    with pytest.raises(NotStoredError):  # a short ref never comes to mean later content
        kept.store.find(ref[:16])


@pytest.mark.parametrize("size", [1, 100, BLOCK])
def test_wrong_bytes_are_an_error_and_are_set_aside(kept, size: int) -> None:
    ref = kept.put(b"x" * size)
    kept.flip_byte(ref, size // 2)
    with pytest.raises(DamagedContentError, match=f"what is stored as {ref[:16]} in .* is not what was stored"):
        kept.store.open(ref)
    assert not kept.store.has_ref(ref)
    assert kept.refs() == set()
    assert kept.put(b"x" * size) == ref
    assert kept.read(ref) == b"x" * size


def test_what_was_not_read_for_too_long_is_collected(kept) -> None:
    old, new, read = kept.put(b"old"), kept.put(b"new"), kept.put(b"read")
    for ref in (old, read):
        kept.set_age(ref, 8)
    kept.read(read)
    assert kept.store.collect(7 * DAY, 10**9) == CollectionResult(1, 3)
    assert kept.refs() == {new, read}


def test_above_the_size_the_oldest_read_are_collected_first(kept) -> None:
    refs = [kept.put(bytes([number]) * 100) for number in range(5)]
    for age, ref in zip((3, 1, 5, 2, 4), refs, strict=True):
        kept.set_age(ref, age)
    assert kept.store.collect(100 * DAY, 250) == CollectionResult(3, 300)
    assert kept.refs() == {refs[1], refs[3]}


def test_what_is_young_is_not_collected(kept) -> None:
    kept.put(b"a" * 5000)
    assert kept.store.collect(0, 0) == CollectionResult(0, 0, 1)


def test_a_collection_spares_the_ref_that_was_just_given_out(kept) -> None:
    first, second = kept.put(b"a" * 5000), kept.put(b"b" * 5000)
    for ref in (first, second):
        kept.set_age(ref, 1)
    assert kept.store.collect(7 * DAY, 100, spare=second) == CollectionResult(1, 5000)
    assert kept.refs() == {second}


def test_verifying_finds_a_flipped_byte(kept) -> None:
    kept.put(b"good")
    bad = kept.put(b"bad" * 1000)
    kept.flip_byte(bad, 1500)
    ((ref, problem),) = kept.store.verify()
    assert ref == bad
    assert "SHA-256" in problem


def test_removing_is_final_and_can_be_repeated(kept) -> None:
    ref = kept.put(b"content", Label("name"))
    kept.store.remove(ref)
    kept.store.remove(ref)
    assert kept.refs() == set()
    assert not kept.store.has_ref(ref)
    with pytest.raises(NotStoredError):
        kept.store.open(ref)
    with pytest.raises(NotStoredError):
        kept.store.find(ref)


def test_everything_can_be_removed(kept) -> None:
    refs = {kept.put(data) for data in (b"one", b"two" * BLOCK)}
    assert {blob.ref for blob in kept.store.remove_all()} == refs
    assert kept.refs() == set()
    assert kept.said == []


def test_an_abandoned_writer_leaves_nothing(kept) -> None:
    writer = kept.store.open_writer()
    writer.write(b"content" * BLOCK)
    writer.abandon()
    assert kept.refs() == set()


def test_content_expires_after_the_age_and_reading_renews_it(shared) -> None:
    ref = shared.put(b"content")
    key = shared.store.keys.blob(ref)
    assert 7 * DAY - 60 < shared.server.execute("TTL", key) <= 7 * DAY
    shared.server.execute("EXPIRE", key, 100)
    shared.store.open(ref, quietly=True)
    assert shared.server.execute("TTL", key) <= 100
    shared.read(ref)
    assert shared.server.execute("TTL", key) > 100
    assert shared.server.execute("TTL", shared.store.keys.refs(ref)) > 100


def test_an_expired_or_evicted_blob_is_nowhere(shared) -> None:
    ref = shared.put(b"content" * BLOCK)
    content = shared.store.open(ref)
    shared.server.execute("DEL", shared.store.keys.blob(ref))
    with pytest.raises(NotStoredError):
        shared.store.find(ref[:12])
    with pytest.raises(NotStoredError):
        shared.store.open(ref)
    assert content.read(7 * BLOCK - 7, 100) == b"content"  # what was opened is complete
    assert shared.refs() == set()
    assert shared.server.execute("EXISTS", shared.store.keys.refs(ref)) == 0


def test_one_of_many_blocks_that_is_wrong_or_gone_is_an_error_before_anything_is_read(shared) -> None:
    for change in (("HSET", "20", b"x" * BLOCK), ("HDEL", "20")):
        ref = shared.put(b"content" * 4 * BLOCK)
        shared.server.execute(change[0], shared.store.keys.blob(ref), *change[1:])
        with pytest.raises((DamagedContentError, NotStoredError)):
            shared.store.open(ref)


def test_the_numbers_of_a_blob_are_not_believed(shared) -> None:
    ref = shared.put(b"line\n" * 100)
    shared.server.execute("HSET", shared.store.keys.blob(ref), "lines", "7", "counts", b"\xff" * 8)
    assert shared.store.open(ref).lines.total == 100


def test_what_a_manifest_holds_stays_a_month(shared) -> None:
    ref, other = shared.put(b"content"), shared.put(b"other")
    shared.store.renew([ref[:12]], 30 * DAY, hold=True)
    assert shared.server.execute("TTL", shared.store.keys.blob(ref)) > 29 * DAY
    for each in (ref, other):
        shared.set_age(each, 20)
    shared.put(b"content")  # storing again does not shorten the time
    shared.set_age(ref, 20)
    shared.store.collect(DAY, 10**9)
    assert shared.refs() == {ref}
    assert shared.server.execute("TTL", shared.store.keys.blob(ref)) > 29 * DAY


def test_what_an_active_session_refers_to_is_spared(shared) -> None:
    refs = [shared.put(b"one"), shared.put(b"two", Label(session="s")), shared.put(b"three")]
    for ref in refs:
        shared.set_age(ref, 20)
    ledger = RedisLedger(shared.server)
    ledger.add(Session("s", 1000, 0))
    ledger.record("s", 0, LedgerEntry("log", 1, "exact", "briefing", ref=refs[0]))
    shared.store.collect(DAY, 10**9)
    assert shared.refs() == set(refs[:2])
    ledger.remove("s")
    shared.store.collect(DAY, 10**9)
    assert shared.refs() == set()


def test_lines_of_a_large_blob_come_without_the_whole(shared) -> None:
    ref = shared.put(b"a line of some length\n" * 400_000)
    content = shared.store.open(ref)
    before = int(shared.server.execute("INFO", "stats")["total_net_output_bytes"])
    assert b"".join(content.lines.raw(200_000, 200_010)) == b"a line of some length\n" * 11
    after = int(shared.server.execute("INFO", "stats")["total_net_output_bytes"])
    assert after - before < 4 * BLOCK + 20_000


def test_an_upload_that_was_interrupted_is_not_visible_and_expires(shared, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = shared.store.open_writer()
    writer.write(b"content" * BLOCK)
    monkeypatch.setattr(shared.server, "run_and_execute", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        writer.commit(Label())
    (key,) = shared.server.execute("KEYS", "*")
    assert b":upload:" in key
    assert 0 < shared.server.execute("TTL", key) <= redis_store.UPLOAD_SECONDS
    assert shared.refs() == set()


def test_two_tenants_do_not_see_each_other(shared, redis_server, tmp_path: Path) -> None:
    other = RedisUnderTest(redis_server.url + "?prefix=other", tmp_path / "other")
    ref = shared.put(b"content")
    assert other.refs() == set()
    with pytest.raises(NotStoredError):
        other.store.find(ref)
    assert other.put(b"content") == ref
    other.store.remove(ref)
    assert shared.refs() == {ref}
    assert all(key.startswith((b"ctxkit:", b"other:")) for key in shared.server.execute("KEYS", "*"))


def test_a_full_server_stores_nothing_and_can_be_read(shared) -> None:
    ref = shared.put(b"content")
    shared.server.execute("CONFIG", "SET", "maxmemory", 1)
    try:
        for data in (b"more", b"much more" * BLOCK):
            with pytest.raises(OSError, match="memory is full"):
                shared.put(data)
        assert shared.read(ref) == b"content"
        assert shared.store.find(ref[:8]) == ref
        assert shared.refs() == {ref}
    finally:
        shared.server.execute("CONFIG", "SET", "maxmemory", 0)
    assert len(shared.server.execute("KEYS", "*:blob:*")) == 1


def test_content_larger_than_the_memory_is_spooled_and_comes_back(shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_store, "MEMORY", 1000)
    writer, chunks = shared.store.open_writer(), [b"%d\n" % number * 900 for number in range(100)]
    for chunk in chunks:
        writer.write(chunk)
    assert b"".join(writer.replay()) == b"".join(chunks)
    ref = writer.commit(Label())
    assert writer.size == len(b"".join(chunks))
    assert shared.read(ref) == b"".join(writer.replay()) == b"".join(chunks)


def test_an_upload_that_expired_is_an_error_and_the_bytes_are_still_there(shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_store.RedisBlobWriter, "_send", lambda *_: None)
    writer = shared.store.open_writer()
    writer.write(b"x" * (BLOCK + 1))
    with pytest.raises(OSError, match="expired before it was complete"):
        writer.commit(Label())
    assert b"".join(writer.replay()) == b"x" * (BLOCK + 1)
    assert shared.refs() == set()
