"""A clock that is far ahead collects nothing for its age; a store that is old does not stay for ever."""

import multiprocessing
import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from ctxkit.core.errors import LockedError, NotStoredError
from ctxkit.core.session.history import HistoryExtent, Snapshot
from ctxkit.core.session.ledger import LedgerEntry, Session
from ctxkit.core.store.label import Label, shorten_ref
from ctxkit.core.store.store_interface import CollectionResult
from ctxkit.core.text.lines import BLOCK
from ctxkit.engines import blob_files, database, local_store
from ctxkit.engines.catalog import References, SQLiteSnapshots
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.engines.local_store import LocalStore
from ctxkit.system.own_files import open_folder

NOBODY, DAY, UNNAMED = 65534, 86_400.0, Label()


class Kept:
    """A store below a directory, with the warnings it gave."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root)
        self.said: list[str] = []
        self.store = LocalStore(str(self.root / "cache"), str(self.root / "data"), self.said.append)

    def put(self, data: bytes, label: Label = UNNAMED) -> str:
        intake = self.store.open_writer()
        intake.write(data)
        return intake.commit(label)

    def aged(self, ref: str, days: float) -> None:
        when = time.time() - days * DAY
        os.utime(self.store.path(ref), (when, when))

    def refs(self) -> set[str]:
        return {blob.ref for blob in self.store.blobs()}

    def read(self, ref: str) -> bytes:
        held = self.store.open(ref)
        return held.read(0, held.lines.size)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


@contextmanager
def ordinary_user() -> Iterator[Path]:
    """Give a directory that this user, or nobody where this is root, may write to."""
    with tempfile.TemporaryDirectory() as directory:
        if os.geteuid() != 0:
            yield Path(directory)
            return
        os.chown(directory, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield Path(directory)
        finally:
            os.seteuid(0)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777])
def test_directories_are_0700_and_files_0600_whatever_the_umask(mask: int) -> None:
    with ordinary_user() as root:
        kept = Kept(root)
        with umask(mask):
            ref = kept.put(b"line\n" * BLOCK, Label("log"))
            assert kept.read(ref) == b"line\n" * BLOCK
            kept.store.tidy(lambda: (DAY, 10**9))
        assert kept.said == []
        modes = {
            str(path.relative_to(root)): oct(path.stat().st_mode & 0o777) for path in root.rglob("*") if path.is_dir()
        }
        assert set(modes.values()) == {"0o700"}, modes
        modes = {
            str(path.relative_to(root)): oct(path.stat().st_mode & 0o777) for path in root.rglob("*") if path.is_file()
        }
        assert set(modes.values()) == {"0o600"}, modes


def test_a_read_only_cache_raises_os_error_and_what_it_holds_can_still_be_read() -> None:
    with ordinary_user() as root:
        kept = Kept(root)
        ref = kept.put(b"content")
        for path in [*root.rglob("*"), root]:
            path.chmod(0o500 if path.is_dir() else 0o400)
        try:
            with pytest.raises(OSError, match="Permission denied"):
                kept.put(b"more")
            assert kept.read(ref) == b"content"
            assert kept.store.find(shorten_ref(ref)) == ref
            kept.store.tidy(lambda: (0, 0))
        finally:
            for path in [root, *sorted(root.rglob("*"))]:
                path.chmod(0o700)


def test_an_index_that_cannot_be_written_costs_only_the_label(kept) -> None:
    (kept.root / "data").write_text("in the way")
    ref = kept.put(b"content", Label("lost"))
    assert kept.read(ref) == b"content"
    assert len(kept.said) == 1
    assert "the index could not be written" in kept.said[0]


def _put_many(root: str, data: bytes, times: int) -> None:
    kept = Kept(root)
    for _ in range(times):
        kept.put(data, Label("same"))
    assert kept.said == []


@pytest.mark.slow
def test_two_processes_that_store_the_same_content_at_once_store_it_once(kept) -> None:
    data = b"same\n" * BLOCK
    context = multiprocessing.get_context("forkserver")
    workers = [context.Process(target=_put_many, args=(str(kept.root), data, 10)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    (blob,) = kept.store.blobs()
    assert kept.read(blob.ref) == data
    assert os.listdir(kept.root / "cache" / "taking") == []


def test_a_lost_database_costs_the_labels_alone(kept) -> None:
    ref = kept.put(b"content", Label("name"))
    for path in (kept.root / "data").iterdir():
        path.unlink()
    (blob,) = kept.store.blobs()
    assert (blob.ref, blob.label) == (ref, Label())
    assert kept.read(ref) == b"content"
    assert kept.said == []


def test_a_damaged_database_is_set_aside_once_and_content_is_intact(kept) -> None:
    ref = kept.put(b"content", Label("name"))
    kept.store.catalog.close()
    for tail in ("-wal", "-shm"):
        (kept.root / "data" / f"ctxkit.db{tail}").unlink(missing_ok=True)
    (kept.root / "data" / "ctxkit.db").write_bytes(b"garbage" * 1000)
    assert [blob.label for blob in kept.store.blobs()] == [Label()]
    kept.put(b"more", Label("new"))
    assert {blob.label.name for blob in kept.store.blobs()} == {"", "new"}
    assert kept.read(ref) == b"content"
    assert len(kept.said) == 1


def test_a_locked_index_is_a_warning_and_the_content_is_stored(kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "WAIT", 0.05)
    kept.put(b"first")
    with closing(sqlite3.connect(kept.root / "data" / "ctxkit.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        ref = kept.put(b"second", Label("name"))
        assert time.monotonic() - began < 3
        assert len(kept.said) == 1
        assert "locked" in kept.said[0]
        with pytest.raises(LockedError):
            kept.store.remove(ref)
    assert kept.put(b"second", Label("name")) == ref


def test_what_was_not_read_for_too_long_is_collected(kept) -> None:
    old, new, read = kept.put(b"old"), kept.put(b"new"), kept.put(b"read")
    for ref in (old, read):
        kept.aged(ref, 8)
    kept.read(read)
    assert kept.store.collect(7 * DAY, 10**9) == CollectionResult(1, 3)
    assert kept.refs() == {new, read}
    assert kept.store.catalog.labels().keys() == {new, read}


def test_what_snapshots_mention_and_files_hold_is_spared(kept, tmp_path: Path) -> None:
    refs = [kept.put(b"%d" % number) for number in range(3)]
    for ref in refs:
        kept.aged(ref, 40)
    data = str(tmp_path / "data")
    snapshots = SQLiteSnapshots(data, kept.said.append)
    snapshots.save(Snapshot("s", shorten_ref(refs[0]).encode(), "openai", 1, 1, "exact", HistoryExtent()))
    manifest = tmp_path / "manifest"
    manifest.write_text("")
    References(data, kept.said.append).hold(str(manifest), [refs[1]])
    kept.store.collect(7 * DAY, 10**9)
    assert kept.refs() == set(refs[:2])
    manifest.unlink()
    kept.store.collect(7 * DAY, 10**9)
    assert kept.refs() == {refs[0]}
    snapshots.remove("s")
    kept.store.collect(7 * DAY, 10**9)
    assert kept.refs() == set()


def test_what_an_active_session_refers_to_is_spared(kept) -> None:
    ledger = SQLiteLedger(str(kept.root / "data"), kept.said.append)
    booked, labelled, other, idle = (kept.put(data) for data in (b"booked", b"labelled", b"other", b"idle"))
    kept.put(b"labelled", Label("log", session="s"))
    for name in ("s", "idle"):
        ledger.add(Session(name, 1000, 0))
    ledger.record("s", 0, LedgerEntry("log", 1, "exact", "briefing", ref=booked))
    ledger.record("idle", 0, LedgerEntry("log", 1, "exact", "briefing", ref=idle))
    with closing(sqlite3.connect(kept.root / "data" / "ctxkit.db")) as db, db:
        db.execute("UPDATE session SET updated = ? WHERE name = 'idle'", (time.time() - 31 * DAY,))
    for ref in (booked, labelled, other, idle):
        kept.aged(ref, 20)
    assert kept.store.collect(7 * DAY, 1) == CollectionResult(2, len(b"otheridle"))
    assert kept.refs() == {booked, labelled}
    ledger.remove("s")
    assert kept.store.collect(7 * DAY, 1).blobs == 2


def test_collecting_takes_the_index_of_lines_along(kept) -> None:
    ref = kept.put(b"line\n" * BLOCK)
    assert Path(kept.store.blob_files.root, "marks", ref[:2], ref).exists()
    kept.aged(ref, 2)
    kept.store.collect(DAY, 10**9)
    assert not Path(kept.store.blob_files.root, "marks", ref[:2], ref).exists()


def test_tidying_happens_once_an_hour_at_most(kept) -> None:
    first = kept.put(b"first")
    kept.aged(first, 8)
    kept.store.tidy(lambda: (7 * DAY, 10**9))
    assert kept.refs() == set()
    second = kept.put(b"second")
    kept.aged(second, 8)
    kept.store.tidy(lambda: (7 * DAY, 10**9))
    assert kept.refs() == {second}
    os.utime(kept.root / "cache" / "tidied", (0, time.time() - local_store.TIDY_EVERY - 1))
    kept.store.tidy(lambda: (7 * DAY, 10**9))
    assert kept.refs() == set()


def test_what_dead_processes_left_is_cleared_and_what_living_ones_write_is_not(kept) -> None:
    intake = kept.store.open_writer()
    stale = kept.root / "cache" / "taking" / "999999999-0123456789ab"
    stale.write_bytes(b"x")
    os.utime(stale, (0, time.time() - local_store.ABANDONED - 1))
    kept.store.collect(DAY, 10**9)
    assert not stale.exists()
    intake.write(b"still writing")
    assert kept.read(intake.commit(Label())) == b"still writing"


def test_tidying_never_raises(kept, monkeypatch: pytest.MonkeyPatch) -> None:
    (kept.root / "cache").write_text("in the way")
    kept.store.tidy(lambda: (0, 0))
    (kept.root / "cache").unlink()
    monkeypatch.setattr(database, "WAIT", 0.05)
    ref = kept.put(b"x")
    kept.aged(ref, 9)
    with closing(sqlite3.connect(kept.root / "data" / "ctxkit.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        kept.store.tidy(lambda: (DAY, 0))


def test_removing_is_final_and_can_be_repeated(kept) -> None:
    ref = kept.put(b"content", Label("name"))
    kept.store.remove(ref)
    kept.store.remove(ref)
    assert kept.refs() == set()
    assert kept.store.catalog.labels() == {}
    with pytest.raises(NotStoredError):
        kept.store.open(ref)
    with pytest.raises(NotStoredError):
        kept.store.find(ref)


def test_the_place_is_where_the_files_are(kept) -> None:
    ref = kept.put(b"content")
    assert kept.store.path(ref).startswith(kept.store.place)


def _collect_always(root: str, stop) -> None:
    kept = Kept(root)
    while not stop.is_set():
        kept.store.collect(0, 0)
    assert kept.said == []


@pytest.mark.slow
def test_what_was_just_stored_or_read_stays_beside_a_loop_of_collections(kept) -> None:
    stop = multiprocessing.get_context("fork").Event()
    collecting = multiprocessing.get_context("fork").Process(target=_collect_always, args=(str(kept.root), stop))
    collecting.start()
    try:
        for number in range(300):
            data = b"line %d\n" % (number % 3)
            ref = kept.put(data)
            assert kept.read(ref) == data
            if number % 2:
                kept.aged(ref, 8)  # the next one that stores it races with its removal
    finally:
        stop.set()
        collecting.join()
    assert collecting.exitcode == 0


def test_on_a_full_disk_what_is_young_goes_too(kept, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = kept.put(b"a" * 5000), kept.put(b"b" * 5000)
    assert kept.store.collect(0, 0) == CollectionResult(0, 0, 2)
    monkeypatch.setattr(blob_files, "FULL_BELOW", 1 << 60)
    monkeypatch.setattr(blob_files, "FULL_SHARE", 1.0)
    assert kept.store.collect(0, 0, spare=second) == CollectionResult(1, 5000)
    assert kept.refs() == {second}
    assert first != second


def test_opened_content_gives_its_descriptor_back_and_can_be_read_after_its_removal(kept) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("no /proc")
    refs = [kept.put(b"%d" % number) for number in range(5)]
    before = len(os.listdir("/proc/self/fd"))
    held = kept.store.open(refs[0])
    for ref in refs:
        kept.store.open(ref, quietly=True)
        kept.store.remove(ref)
    assert held.read(0, 9) == b"0"
    del held
    assert len(os.listdir("/proc/self/fd")) == before


ONE_DAY = 86_400.0
WEEK = 7 * ONE_DAY


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def store(tmp_path: Path, warnings: list[str]) -> LocalStore:
    return LocalStore(str(tmp_path / "cache"), str(tmp_path / "data"), warnings.append)


def put(store: LocalStore, content: bytes) -> str:
    writer = store.open_writer()
    writer.write(content)
    return writer.commit(Label())


def set_clock(monkeypatch: pytest.MonkeyPatch, seconds_ahead: float) -> None:
    monkeypatch.setattr(local_store, "time", lambda: time.time() + seconds_ahead)
    monkeypatch.setattr(local_store, "time_ns", lambda: time.time_ns() + int(seconds_ahead * 1e9))


def test_a_clock_far_ahead_collects_nothing_until_it_is_right(store, warnings, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = put(store, b"content")
    set_clock(monkeypatch, 3650 * ONE_DAY)
    for _ in range(2):
        assert store.collect(WEEK, 1 << 30).blobs == 0
    store.tidy(lambda: (WEEK, 1 << 30))
    assert store.has_ref(ref)
    assert "the clock is far ahead" in warnings[0]
    warnings.clear()
    monkeypatch.undo()
    store.tidy(lambda: (WEEK, 1 << 30))
    assert (store.has_ref(ref), warnings) == (True, [])
    assert not Path(store.place, local_store.MARK).exists()
    set_clock(monkeypatch, 8 * ONE_DAY)
    store.tidy(lambda: (WEEK, 1 << 30))
    assert not store.has_ref(ref)


def test_the_size_is_kept_whatever_the_clock_says(store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        put(store, b"%d" % number * 100)
    set_clock(monkeypatch, 3650 * ONE_DAY)
    assert store.collect(WEEK, 150).blobs == 2


def test_a_clock_that_goes_on_for_a_week_is_believed(store, warnings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who was away for a year."""
    ref = put(store, b"content")
    set_clock(monkeypatch, 365 * ONE_DAY)
    assert store.collect(WEEK, 1 << 30).blobs == 0
    set_clock(monkeypatch, 373 * ONE_DAY)
    assert store.collect(WEEK, 1 << 30).blobs == 1
    assert not store.has_ref(ref)


def test_content_is_old_while_the_store_is_in_use(store, warnings) -> None:
    ref = put(store, b"content")
    os.utime(store.path(ref), (1, 1))
    put(store, b"newer")
    assert (store.collect(WEEK, 1 << 30).blobs, store.has_ref(ref), warnings) == (1, False, [])


@pytest.mark.parametrize(("last_use", "doubts"), [(0, False), (1e9 - 100 * ONE_DAY, False), (1e9 - 200 * ONE_DAY, True)])
def test_only_a_long_time_makes_doubt(tmp_path: Path, last_use: float, doubts: bool) -> None:
    with open_folder(str(tmp_path)) as root:
        assert local_store.is_doubtful(root, last_use, 1e9) is doubts
