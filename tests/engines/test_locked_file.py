"""Several processes change a file, one after the other."""

import fcntl
import os
import stat
from pathlib import Path

import pytest

from ctxkit.core.errors import LockedError
from ctxkit.engines import locked_file
from ctxkit.engines.locked_file import open_locked, write_or_truncate

CREATE = os.O_RDWR | os.O_CREAT


def test_the_file_is_locked_and_only_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a")
    path.chmod(0o644)
    with open_locked(str(path), CREATE):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with path.open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with path.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_lock_that_another_holds_is_an_error_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locked_file, "WAIT", 0.02)
    path = str(tmp_path / "file")
    with open_locked(path, CREATE), pytest.raises(LockedError, match="locked by another process"), open_locked(path, CREATE):
        raise AssertionError


def test_a_file_that_was_replaced_during_the_wait_is_opened_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    wait = locked_file._wait_for_lock
    waits = []

    def replace_once(file, name, until):
        wait(file, name, until)
        if not waits:
            waits.append(name)
            (tmp_path / "new").write_bytes(b"new")
            os.replace(tmp_path / "new", path)

    monkeypatch.setattr(locked_file, "_wait_for_lock", replace_once)
    with open_locked(str(path), CREATE) as file:
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
