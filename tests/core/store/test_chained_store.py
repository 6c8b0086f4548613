"""Content goes to the first store that works, and is found in whichever has it."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from ctxkit.core.errors import AmbiguousRefError, NotStoredError
from ctxkit.core.store.chained_store import ChainedStore
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import Store, store_content
from ctxkit.engines.local_store import LocalStore

DAY = 86_400


class Limited(LocalStore):
    """A store on a disk that is full after some bytes, or at the last step."""

    room, commits = 10, True

    def open_writer(self):
        intake, store = super().open_writer(), self
        write, commit = intake.write, intake.commit

        def limited(chunk):
            if intake.size + len(chunk) > store.room:
                os.write(intake._file, chunk[: store.room - intake.size])  # type: ignore[attr-defined]  # a part of it is written, and not safe
                raise OSError(errno.ENOSPC, "No space left on device", "full")
            write(chunk)

        def committed(label):
            if not store.commits:
                raise OSError(errno.EDQUOT, "Disk quota exceeded", "quota")
            return commit(label)

        intake.write, intake.commit = limited, committed  # type: ignore[method-assign]
        return intake


class Chain:
    """A chain of stores below a directory, with what it said."""

    def __init__(self, root: Path, kinds: Sequence[type[LocalStore]], others: Sequence[Store] = ()) -> None:
        self.stores = [kind(str(root / str(at)), str(root / f"data{at}"), pytest.fail) for at, kind in enumerate(kinds)]
        self.moves: list[tuple[str, int | None]] = []
        self.store = ChainedStore(self.stores, lambda: others, self._moved)

    def _moved(self, store: Store, error: OSError) -> None:
        self.moves.append((Path(store.place).name, error.errno))

    def held(self) -> list[set[str]]:
        return [{blob.ref for blob in store.blobs()} for store in self.stores]


def whole(store: Store, ref: str) -> bytes:
    held = store.open(ref)
    return held.read(0, held.lines.size)


def unusable(path: Path) -> None:
    """Put a file in the way of a store: that stops root too."""
    path.write_text("")


def test_the_first_store_that_works_takes_all_and_nothing_is_said(tmp_path: Path) -> None:
    chain = Chain(tmp_path, [LocalStore, LocalStore])
    ref = store_content(chain.store, [b"content"], Label("name"))
    assert chain.held() == [{ref}, set()]
    assert chain.moves == []
    assert sorted(os.listdir(tmp_path)) == ["0", "data0"]
    assert chain.store.place == chain.stores[0].place


def test_a_store_that_cannot_be_used_is_passed_over(tmp_path: Path) -> None:
    chain = Chain(tmp_path, [LocalStore, LocalStore, LocalStore])
    unusable(tmp_path / "0")
    unusable(tmp_path / "1")
    ref = store_content(chain.store, [b"content"], Label())
    assert chain.moves == [("2", errno.ENOTDIR)]
    assert whole(chain.stores[2], ref) == b"content"


@pytest.mark.parametrize(("room", "commits"), [(0, True), (10, True), (11, True), (99, False)])
def test_what_was_taken_before_a_disk_was_full_is_carried_on(tmp_path: Path, room: int, commits: bool) -> None:
    chain = Chain(tmp_path, [Limited, LocalStore])
    chain.stores[0].room, chain.stores[0].commits = room, commits  # type: ignore[attr-defined]
    chunks = [b"some ", b"content ", b"that", b" is longer"]
    ref = store_content(chain.store, chunks, Label("name"))
    assert whole(chain.store, ref) == b"".join(chunks)
    assert chain.held() == [set(), {ref}]
    assert [name for name, _ in chain.moves] == ["1"]
    assert os.listdir(tmp_path / "0" / "taking") == []


def test_if_no_store_works_what_was_taken_can_be_given_back_and_the_first_error_tells_why(tmp_path: Path) -> None:
    chain = Chain(tmp_path, [Limited, Limited])
    unusable(tmp_path / "1")
    intake = chain.store.open_writer()
    intake.write(b"some")
    with pytest.raises(OSError, match="No space left"):
        intake.write(b"content that is longer")
    assert b"".join(intake.replay()) == b"some"
    assert intake.size == 4
    intake.abandon()
    assert os.listdir(tmp_path / "0" / "taking") == []


def test_if_none_can_be_opened_the_first_error_tells_why(tmp_path: Path) -> None:
    chain = Chain(tmp_path, [LocalStore, LocalStore])
    for at in "01":
        unusable(tmp_path / at)
    with pytest.raises(NotADirectoryError) as caught:
        chain.store.open_writer()
    assert caught.value.filename == str(tmp_path / "0")
    assert chain.moves == []


def test_a_ref_is_found_wherever_it_is(tmp_path: Path) -> None:
    other = LocalStore(str(tmp_path / "other"), str(tmp_path / "other data"), pytest.fail)
    chain = Chain(tmp_path, [LocalStore, LocalStore], [other])
    refs = [store_content(store, [b"%d" % at], Label()) for at, store in enumerate([*chain.stores, other])]
    for at, ref in enumerate(refs):
        assert chain.store.find(ref[:8]) == ref
        assert chain.store.has_ref(ref)
        assert whole(chain.store, ref) == b"%d" % at
        assert Path(chain.store.path(ref)).read_bytes() == b"%d" % at
        assert chain.store.open(ref).path.startswith(str(tmp_path))
    places = {blob.ref: blob.place for blob in chain.store.blobs()}
    assert places == {ref: store.place for ref, store in zip(refs, [*chain.stores, other], strict=True)}
    assert not chain.store.has_ref("0" * 64)
    with pytest.raises(NotStoredError):
        chain.store.find("000000")
    with pytest.raises(NotStoredError):
        chain.store.open("0" * 64)


def test_a_prefix_of_refs_in_two_stores_is_refused_and_the_same_ref_in_both_is_one(tmp_path: Path) -> None:
    chain = Chain(tmp_path, [LocalStore, LocalStore])
    ref, _ = (store_content(store, [b"x"], Label()) for store in chain.stores)
    assert chain.store.find(ref[:6]) == ref
    assert [blob.ref for blob in chain.store.blobs()] == [ref]
    Path(chain.stores[1].path(ref[:10] + "0" * 54)).write_bytes(b"y")
    with pytest.raises(AmbiguousRefError, match="matches 2 refs"):
        chain.store.find(ref[:6])


def test_a_store_that_cannot_be_asked_is_an_error_only_if_no_other_has_the_ref(tmp_path: Path) -> None:
    chain = Chain(tmp_path, [LocalStore, LocalStore])
    unusable(tmp_path / "0")
    ref = store_content(chain.stores[1], [b"x"], Label())
    assert chain.store.find(ref[:6]) == ref
    assert whole(chain.store, ref) == b"x"
    for ask in (chain.store.find, chain.store.has_ref, chain.store.open):
        with pytest.raises(NotADirectoryError):
            ask("0" * 64)


def test_removing_and_collecting_reach_every_store(tmp_path: Path) -> None:
    chain = Chain(tmp_path, [LocalStore, LocalStore])
    refs = [store_content(store, [data], Label()) for store in chain.stores for data in (b"both", store.place.encode())]
    chain.store.remove(refs[0])
    assert chain.held() == [{refs[1]}, {refs[3]}]
    for store, ref in zip(chain.stores, (refs[1], refs[3]), strict=True):
        os.utime(store.path(ref), (0, 0))
    assert chain.store.collect(DAY, 10**9)[0] == 2
    for store in chain.stores:
        store_content(store, [b"again"], Label())
    assert chain.store.collect(0, 0) == (0, 0, 2)
    assert len(chain.store.remove_all()) == 2
    assert chain.held() == [set(), set()]


def test_collecting_goes_on_after_an_error_and_raises_it_in_the_end(tmp_path: Path) -> None:
    chain = Chain(tmp_path, [LocalStore, LocalStore])
    refs = [store_content(store, [b"x"], Label()) for store in chain.stores]
    for store in chain.stores:
        os.utime(store.path(refs[0]), (0, 0))
    (tmp_path / "data0" / "ctxkit.db").unlink()
    (tmp_path / "data0" / "ctxkit.db").mkdir()
    with pytest.raises(Exception, match=r"ctxkit\.db"):
        chain.store.collect(DAY, 10**9)
    assert [store.has_ref(refs[0]) for store in chain.stores] == [True, False]


def test_damage_is_found_in_every_store(tmp_path: Path) -> None:
    chain = Chain(tmp_path, [LocalStore, LocalStore])
    ref = store_content(chain.stores[1], [b"x"], Label())
    assert list(chain.store.verify()) == []
    Path(chain.stores[1].path(ref)).write_bytes(b"y")
    assert [found for found, _ in chain.store.verify()] == [ref]


def test_each_store_is_tidied(tmp_path: Path) -> None:
    chain = Chain(tmp_path, [LocalStore, LocalStore])
    for store in chain.stores:
        os.utime(store.path(store_content(store, [b"x"], Label())), (0, 0))
    chain.store.tidy(lambda: (DAY, 10**9))
    assert chain.held() == [set(), set()]
