import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import AmbiguousRefError, NotStoredError
from ctxkit.core.store import store_interface
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import (
    Blob,
    CollectionLimits,
    StoredContent,
    choose_removals,
    count_stored_tokens,
    open_as_utf8,
    resolve_ref,
    sort_oldest_first,
    store_content,
)
from ctxkit.core.text import lines
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines.local_store import LocalStore
from ctxkit.system.own_files import TAKING


def test_one_ref_of_several_is_refused_with_all_of_them() -> None:
    assert resolve_ref("abcdef", ["abcdef0"]) == "abcdef0"
    with pytest.raises(NotStoredError, match="nothing is stored under abcdef"):
        resolve_ref("abcdef", [])
    with pytest.raises(AmbiguousRefError, match=r"abcdef matches 2 refs: abcdef01234, abcdef11234$"):
        resolve_ref("abcdef", ["abcdef11234", "abcdef01234"])
    with pytest.raises(AmbiguousRefError, match=r"abcdef matches 10 refs: .*abcdef7 and 2 more$") as raised:
        resolve_ref("abcdef", [f"abcdef{number}" for number in range(10)])
    assert raised.value.status == 1


NOW, DAY = 1_000_000.0, 86_400.0


def blob(name: str, size: int, read: float) -> Blob:
    return Blob(name, size, read, read)


BLOBS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=12).map(
    lambda pairs: [blob(f"{index:02}", size, NOW - age) for index, (size, age) in enumerate(pairs)]
)


def test_the_oldest_read_go_first_and_the_ref_breaks_ties() -> None:
    blobs = [blob("c", 1, 5), blob("a", 1, 5), blob("b", 1, 3)]
    assert [b.ref for b in sort_oldest_first(blobs)] == ["b", "a", "c"]


def test_what_was_not_read_for_too_long_goes() -> None:
    blobs = [blob("old", 1, NOW - 8 * DAY), blob("new", 1, NOW - DAY), blob("edge", 1, NOW - 7 * DAY)]
    assert [b.ref for b in choose_removals(blobs, NOW, CollectionLimits(7 * DAY, 1000)).removed] == ["old"]


def test_above_the_size_the_oldest_read_go_until_the_rest_fits() -> None:
    blobs = [blob("new", 40, NOW - 1), blob("old", 40, NOW - 3), blob("middle", 40, NOW - 2)]
    assert [b.ref for b in choose_removals(blobs, NOW, CollectionLimits(DAY, 80)).removed] == ["old"]
    assert [b.ref for b in choose_removals(blobs, NOW, CollectionLimits(DAY, 79)).removed] == ["old", "middle"]
    assert [b.ref for b in choose_removals(blobs, NOW, CollectionLimits(DAY, 0)).removed] == ["old", "middle", "new"]


def test_what_is_spared_stays_whatever_its_age_and_counts_all_the_same() -> None:
    blobs = [blob("old", 40, NOW - 9 * DAY), blob("middle", 40, NOW - 2), blob("new", 40, NOW - 1)]
    assert [b.ref for b in choose_removals(blobs, NOW, CollectionLimits(DAY, 80), {"old"}).removed] == ["middle"]
    assert [b.ref for b in choose_removals(blobs, NOW, CollectionLimits(DAY, 0), {"old", "new"}).removed] == ["middle"]


def test_reading_keeps_what_was_stored_long_ago() -> None:
    assert choose_removals([Blob("a", 1, 0.0, NOW)], NOW, CollectionLimits(DAY, 10)).removed == []


def test_what_is_young_stays_and_is_listed_if_it_would_go_otherwise() -> None:
    blobs = [blob("old", 40, NOW - 700), blob("young", 40, NOW - 500), blob("ahead", 40, NOW + 500)]
    assert choose_removals(blobs, NOW, CollectionLimits(0, 0, 600)) == ([blobs[0]], blobs[1:])
    assert choose_removals(blobs, NOW, CollectionLimits(0, 0, 600), {"young"}) == ([blobs[0]], [blobs[2]])
    assert choose_removals(blobs, NOW, CollectionLimits(DAY, 1000, 600)) == ([], [])
    assert choose_removals([Blob("again", 1, NOW - 500, 0.0)], NOW, CollectionLimits(0, 0, 600)).removed == []


@given(BLOBS, st.integers(0, 25), st.integers(0, 200))
def test_what_is_kept_is_young_and_small_enough_and_nothing_goes_without_need(blobs, age: int, size: int) -> None:
    gone = choose_removals(blobs, NOW, CollectionLimits(age, size)).removed
    kept = [b for b in blobs if b not in gone]
    assert sum(b.size for b in kept) <= size
    assert all(NOW - b.read <= age for b in kept)
    assert gone == sort_oldest_first(blobs)[: len(gone)]
    if gone and NOW - gone[-1].read <= age:
        assert sum(b.size for b in [*kept, gone[-1]]) > size


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(str(tmp_path / "cache"), str(tmp_path / "data"), pytest.fail)


def test_content_in_pieces_is_stored_under_the_hash_of_the_whole(store: LocalStore) -> None:
    ref = store_content(store, (b"a\n", b"", b"b\n"), Label("name"))
    assert ref == sha256(b"a\nb\n").hexdigest()
    assert [(blob.ref, blob.size, blob.label.name) for blob in store.blobs()] == [(ref, 4, "name")]


def test_content_that_cannot_be_read_leaves_nothing_behind(store: LocalStore) -> None:
    def fail() -> Iterator[bytes]:
        yield b"a\n"
        raise OSError("the pipe is broken")

    with pytest.raises(OSError, match="the pipe is broken"):
        store_content(store, fail(), Label())
    assert list(store.blobs()) == []
    assert os.listdir(os.path.join(store.place, TAKING)) == []


def held(data: bytes) -> StoredContent:
    found = lines.lines_from_bytes(data)
    return StoredContent("ref", "path", found.read, found)


def letters(text: str) -> int:
    return len(text)


@given(st.text(max_size=60))
def test_utf8_is_read_as_it_is(text: str) -> None:
    data = text.replace("\0", "").encode()
    read, found = open_as_utf8(held(data))
    assert read(0, len(data)) == data
    assert found.total == lines.lines_from_bytes(data).total


def test_text_of_another_encoding_is_read_as_text() -> None:
    read, found = open_as_utf8(held("Компиляция завершена\n".encode("koi8_r") * 3))
    assert found.at(2) == "Компиляция завершена"
    assert read(0, 40).decode() == "Компиляция завершена\n"


@given(st.text(alphabet="aé漢\n\r🙂", max_size=30), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf16_with_a_mark_is_read_as_text(text: str, codec: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}[codec]
    read, found = open_as_utf8(held(mark + text.encode(codec)))
    assert read(0, 1000).decode() == text
    assert found.size == len(text.encode())
    assert found.texts() == lines.lines_from_bytes(text.encode()).texts()


def test_more_utf16_than_is_transcoded_is_read_as_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_interface, "TRANSCODED_BYTES", 10)
    data = ("x" * 20).encode("utf-16")
    assert open_as_utf8(held(data))[0](0, 99) == data


def test_small_content_is_counted_and_the_count_is_exact() -> None:
    data = "some text, é\n".encode() * 9
    found = count_stored_tokens(lines.lines_from_bytes(data).read, len(data), find_vocabulary("o200k"), letters)
    assert (found.tokens, found.method, found.complete) == (13 * 9, "exact", True)


def test_large_content_is_estimated_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_interface, "COUNTED_BYTES", 1000)
    monkeypatch.setattr(store_interface, "SAMPLE", 64)
    data = b"ten chars\n" * 1000
    found = count_stored_tokens(lines.lines_from_bytes(data).read, len(data), find_vocabulary("o200k"), letters)
    assert (found.method, found.complete) == ("estimate", False)
    assert found.tokens == 10_000


def test_an_estimate_of_an_inexact_vocabulary_has_a_high_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_interface, "COUNTED_BYTES", 1000)
    monkeypatch.setattr(store_interface, "SAMPLE", 64)
    data = b"ten chars\n" * 1000
    found = count_stored_tokens(lines.lines_from_bytes(data).read, len(data), find_vocabulary("estimate"), letters)
    assert 2_000 < found.low < found.tokens < found.high < 6_000
    assert (found.method, found.complete) == ("estimate", False)


def test_nothing_is_nothing() -> None:
    assert count_stored_tokens(lines.lines_from_bytes(b"").read, 0, find_vocabulary("o200k"), letters).tokens == 0
