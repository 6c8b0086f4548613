from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.store.blobs import Blob
from ctxkit.core.store.collection import CollectionLimits, choose_removals, sort_oldest_first

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
