"""Several processes change a file, one after the other."""

import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxkit.core.errors import LockedError
from ctxkit.core.session.history import Addition
from ctxkit.engines import locked_file
from ctxkit.engines.locked_file import (
    append_addition,
    list_additions,
    open_locked,
    read_last_addition,
    write_or_truncate,
)
from ctxkit.system.file_locks import lock_file
from ctxkit.system.safe_directory import LinkError, StoreFolder, open_folder

CREATE = os.O_RDWR | os.O_CREAT


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[StoreFolder]:
    with open_folder(str(tmp_path)) as opened:
        yield opened


def test_the_file_is_locked_and_only_for_its_owner(folder: StoreFolder, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a")
    path.chmod(0o644)
    with open_locked(folder, "file", CREATE):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with path.open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with path.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_lock_that_another_holds_is_an_error_in_the_end(folder: StoreFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locked_file, "WAIT", 0.02)
    locked = pytest.raises(LockedError, match="locked by another process")
    with open_locked(folder, "file", CREATE), locked, open_locked(folder, "file", CREATE):
        raise AssertionError


def test_a_link_is_not_opened_and_its_target_stays_as_it_is(folder: StoreFolder, tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"theirs")
    (tmp_path / "theirs").chmod(0o644)
    (tmp_path / "file").symlink_to(tmp_path / "theirs")
    with pytest.raises(LinkError, match="is not followed"), open_locked(folder, "file", CREATE):
        raise AssertionError
    assert stat.S_IMODE((tmp_path / "theirs").stat().st_mode) == 0o644


def test_a_file_that_was_replaced_during_the_wait_is_opened_again(folder: StoreFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    wait = lock_file
    waits = []

    def replace_once(file, seconds):
        waits.append(file)
        if len(waits) == 1:
            (tmp_path / "new").write_bytes(b"new")
            os.replace(tmp_path / "new", path)
        return wait(file, seconds)

    monkeypatch.setattr(locked_file, "lock_file", replace_once)
    with open_locked(folder, "file", CREATE) as file:
        assert os.read(file, 9) == b"new"


def test_what_cannot_be_written_whole_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"kept")
    file = os.open(path, os.O_RDWR | os.O_APPEND)
    write, sizes = os.write, iter((3, None))

    def write_a_part(descriptor, data):
        size = next(sizes)
        if size is None:
            raise OSError(28, "No space left on device")
        return write(descriptor, data[:size])

    monkeypatch.setattr(os, "write", write_a_part)
    with pytest.raises(OSError, match="No space"):
        write_or_truncate(file, b" more", 4)
    monkeypatch.undo()
    assert path.read_bytes() == b"kept"
    write_or_truncate(file, b" more", 4)
    assert path.read_bytes() == b"kept more"
    os.close(file)


FIRST, SECOND = Addition(5.0, 1, 2, 0, 10), Addition(7.25, 3, 1, 10, 5)
NAME = "times"


def test_additions_come_back_in_order(folder: StoreFolder, tmp_path: Path) -> None:
    assert (list_additions(folder, NAME), read_last_addition(folder, NAME)) == ([], None)
    for addition in (FIRST, SECOND):
        append_addition(folder, NAME, addition)
    assert list_additions(folder, NAME) == [FIRST, SECOND]
    assert read_last_addition(folder, NAME) == SECOND
    assert (tmp_path / "times").stat().st_mode & 0o777 == 0o600


def test_half_a_row_is_no_addition_and_the_next_begins_a_line(folder: StoreFolder, tmp_path: Path) -> None:
    path = tmp_path / "times"
    append_addition(folder, NAME, FIRST)
    with path.open("a") as file:
        file.write("6.0 3")
    assert read_last_addition(folder, NAME) == FIRST
    append_addition(folder, NAME, SECOND)
    assert list_additions(folder, NAME) == [FIRST, SECOND]


def test_the_last_of_many_is_found_at_the_end(folder: StoreFolder, tmp_path: Path) -> None:
    path = tmp_path / "times"
    path.write_bytes(b"\xff" * 5000 + b"\n5.000000 1 2 0 10\n")
    assert read_last_addition(folder, NAME) == FIRST
