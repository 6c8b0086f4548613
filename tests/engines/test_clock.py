"""A clock that is far ahead collects nothing for its age; a store that is old does not stay for ever."""

import os
from pathlib import Path
from time import time, time_ns

import pytest

from ctxkit.core.store.label import Label
from ctxkit.engines import clock, local_store
from ctxkit.engines.local_store import LocalStore
from ctxkit.system.safe_directory import open_folder

DAY = 86_400.0
WEEK = 7 * DAY


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
    monkeypatch.setattr(local_store, "time", lambda: time() + seconds_ahead)
    monkeypatch.setattr(local_store, "time_ns", lambda: time_ns() + int(seconds_ahead * 1e9))


def test_a_clock_far_ahead_collects_nothing_until_it_is_right(store, warnings, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = put(store, b"content")
    set_clock(monkeypatch, 3650 * DAY)
    for _ in range(2):
        assert store.collect(WEEK, 1 << 30).blobs == 0
    store.tidy(lambda: (WEEK, 1 << 30))
    assert store.has_ref(ref)
    assert "the clock is far ahead" in warnings[0]
    warnings.clear()
    monkeypatch.undo()
    store.tidy(lambda: (WEEK, 1 << 30))
    assert (store.has_ref(ref), warnings) == (True, [])
    assert not Path(store.place, clock.MARK).exists()
    set_clock(monkeypatch, 8 * DAY)
    store.tidy(lambda: (WEEK, 1 << 30))
    assert not store.has_ref(ref)


def test_the_size_is_kept_whatever_the_clock_says(store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        put(store, b"%d" % number * 100)
    set_clock(monkeypatch, 3650 * DAY)
    assert store.collect(WEEK, 150).blobs == 2


def test_a_clock_that_goes_on_for_a_week_is_believed(store, warnings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who was away for a year."""
    ref = put(store, b"content")
    set_clock(monkeypatch, 365 * DAY)
    assert store.collect(WEEK, 1 << 30).blobs == 0
    set_clock(monkeypatch, 373 * DAY)
    assert store.collect(WEEK, 1 << 30).blobs == 1
    assert not store.has_ref(ref)


def test_content_is_old_while_the_store_is_in_use(store, warnings) -> None:
    ref = put(store, b"content")
    os.utime(store.path(ref), (1, 1))
    put(store, b"newer")
    assert (store.collect(WEEK, 1 << 30).blobs, store.has_ref(ref), warnings) == (1, False, [])


@pytest.mark.parametrize(("last_use", "doubts"), [(0, False), (1e9 - 100 * DAY, False), (1e9 - 200 * DAY, True)])
def test_only_a_long_time_makes_doubt(tmp_path: Path, last_use: float, doubts: bool) -> None:
    with open_folder(str(tmp_path)) as root:
        assert clock.is_doubtful(root, last_use, 1e9) is doubts
