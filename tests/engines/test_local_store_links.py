"""A store that a stranger prepared: links lead nowhere, and what is not ctxkit's own survives."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctxkit.core.errors import NotStoredError
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import store_content
from ctxkit.core.text.lines import BLOCK
from ctxkit.engines import local_store
from ctxkit.engines.local_store import LocalStore

DAY = 86_400
LONG_AGO = int(time.time()) - 40 * DAY
OURS = "999999999-0123456789ab"
"""The name of what a process left that died while it was storing."""


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def store(tmp_path: Path, said) -> LocalStore:
    return LocalStore(str(tmp_path / "cache"), str(tmp_path / "data"), said.append)


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A directory of the user's, with old files, some of them named as ctxkit names its own."""
    directory = tmp_path / "precious"
    directory.mkdir()
    for name in ("thesis.tex", OURS, "ab" * 32, f"{'ab' * 32}.999999999", "ab"):
        (directory / name).write_text(name)
        os.utime(directory / name, (LONG_AGO, LONG_AGO))
    return directory


def contents(directory: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in directory.iterdir()}


@pytest.mark.parametrize("link", ["taking", "blobs", "marks", "blobs/ab", "marks/ab"])
def test_a_link_in_place_of_a_folder_loses_nobody_a_file(store, precious, tmp_path: Path, link: str) -> None:
    before, path = contents(precious), tmp_path / "cache" / link
    path.parent.mkdir(parents=True)
    path.symlink_to(precious)
    store.collect(0, 0)
    store.tidy(lambda: (0, 0))
    assert list(store.blobs()) == []
    assert list(store.verify()) == []
    assert store.remove_all() == []
    for use in (store.find, store.open, store.has_ref, store.remove):
        try:
            assert not use("ab" * 32)
        except (PermissionError, NotStoredError):
            continue
    assert contents(precious) == before


@pytest.mark.parametrize("link", ["taking", "blobs"])
def test_nothing_is_written_through_a_link_in_place_of_a_folder(store, precious, tmp_path: Path, link: str) -> None:
    before = contents(precious)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / link).symlink_to(precious)
    with pytest.raises(PermissionError, match="is not followed"):
        store_content(store, [b"line\n" * BLOCK], Label())
    assert contents(precious) == before


def test_an_index_of_lines_is_not_written_through_a_link_and_content_is_read_all_the_same(store, precious, tmp_path: Path) -> None:
    before = contents(precious)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "marks").symlink_to(precious)
    ref = store_content(store, [b"line\n" * BLOCK], Label())
    assert store.open(ref).lines.total == BLOCK
    assert contents(precious) == before


def test_a_link_in_place_of_a_blob_is_neither_served_nor_written_through(store, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    ref = store_content(store, [b"content"], Label())
    path = Path(store.path(ref))
    path.unlink()
    path.symlink_to(secret)
    assert not store.has_ref(ref)
    assert list(store.blobs()) == []
    for use in (store.open, store.find):
        with pytest.raises((NotStoredError, OSError)):
            use(ref)
    store.collect(0, 0)
    store.remove(ref)
    assert path.is_symlink()
    assert store_content(store, [b"content"], Label()) == ref
    assert (path.read_text(), path.is_symlink(), secret.read_text()) == ("content", False, "secret")


def test_a_link_in_place_of_an_index_of_lines_is_not_read(store, tmp_path: Path) -> None:
    ref = store_content(store, [b"line\n" * BLOCK], Label())
    index = Path(store.blob_files.root, "marks", ref[:2], ref)
    secret = tmp_path / "secret"
    secret.write_bytes(index.read_bytes())
    index.unlink()
    index.symlink_to(secret)
    assert store.open(ref).lines.total == BLOCK
    assert not index.is_symlink()
    assert secret.exists()


def test_the_stamp_of_a_collection_is_not_written_through_a_link(store, tmp_path: Path) -> None:
    store_content(store, [b"content"], Label())
    (tmp_path / "file").write_text("")
    os.utime(tmp_path / "file", (LONG_AGO, LONG_AGO))
    (tmp_path / "cache" / "tidied").symlink_to(tmp_path / "file")
    store.tidy(lambda: (DAY, 10**9))
    assert (tmp_path / "file").stat().st_mtime == LONG_AGO


def test_what_is_not_named_as_ctxkit_names_it_survives_every_collection(store, tmp_path: Path) -> None:
    ref = store_content(store, [b"line\n" * BLOCK], Label())
    cache = tmp_path / "cache"
    foreign = [cache / "taking" / name for name in ("notes.txt", "999999999-dead", "123", f"{OURS}x")]
    foreign += [cache / "blobs" / "notes.txt", cache / "blobs" / "xy" / ("cd" * 32), cache / "blobs" / ref[:2] / "AB"]
    foreign += [cache / "blobs" / ref[:2] / ref.upper(), cache / "marks" / ref[:2] / f"{ref}.bak", cache / "thesis.tex"]
    for path in foreign:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
        os.utime(path, (LONG_AGO, LONG_AGO))
    os.utime(store.path(ref), (LONG_AGO, LONG_AGO))
    assert store.collect(DAY, 10**9).blobs == 1
    store_content(store, [b"more"], Label())
    assert len(store.remove_all()) == 1
    assert {path.read_text() for path in foreign} == {"mine"}


def test_what_dead_processes_left_is_removed_in_every_folder(store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = store_content(store, [b"line\n" * BLOCK], Label())
    cache, gone = tmp_path / "cache", "ab" * 32
    (cache / "marks" / "ab").mkdir(exist_ok=True)
    left = [cache / "taking" / OURS, cache / "marks" / "ab" / f"{gone}.999999999", cache / "marks" / "ab" / gone]
    mine = [cache / "taking" / f"{os.getpid()}-0123456789ab", cache / "marks" / "ab" / f"{gone}.{os.getpid()}"]
    for path in (*left, *mine):
        path.write_text("partial")
    store.collect(DAY, 10**9)
    assert [path.exists() for path in left] == [True, True, False]
    for path in left[:2]:
        os.utime(path, (0, time.time() - local_store.ABANDONED - 1))
    store.collect(DAY, 10**9)
    monkeypatch.setattr(local_store, "ABANDONED", 0)
    store.collect(DAY, 10**9)
    assert [path.exists() for path in (*left, *mine)] == [False] * 3 + [True] * 2
    left[0].write_text("partial")
    store.remove_all()
    assert not left[0].exists()
    assert mine[0].exists()
    assert not store.has_ref(ref)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_a_file_of_a_dead_process_is_removed_though_its_number_is_taken(store, tmp_path: Path) -> None:
    store_content(store, [b"content"], Label())
    ended = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # a zombie from here on
    left = [tmp_path / "cache" / "taking" / f"{number}-0123456789ab" for number in (ended.pid, os.getpid())]
    for path in left:
        path.write_text("partial")
        os.utime(path, (0, time.time() - local_store.ABANDONED - 1))
    store.collect(DAY, 10**9)
    ended.wait()
    assert [path.exists() for path in left] == [False, False]


@pytest.mark.parametrize("mode", [0o777, 0o720])
def test_a_folder_that_others_can_write_to_is_said_and_not_used(store, said, tmp_path: Path, mode: int) -> None:
    ref = store_content(store, [b"content"], Label())
    (tmp_path / "cache" / "blobs").chmod(mode)
    assert list(store.blobs()) == []
    assert len(said) == 1
    assert f"mode {mode:04o}" in said[0]
    with pytest.raises(PermissionError):
        store.find(ref)
    (tmp_path / "cache" / "blobs").chmod(0o700)
    assert store.find(ref) == ref
