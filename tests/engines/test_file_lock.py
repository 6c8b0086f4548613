import os
from pathlib import Path

import pytest

from ctxkit.engines import file_lock
from ctxkit.engines.file_lock import lock_file, unlock_file

pytestmark = pytest.mark.skipif(file_lock.fcntl is None, reason="needs locks of files")  # type: ignore[attr-defined]


def test_a_lock_excludes_others_until_it_is_released(tmp_path: Path) -> None:
    one, two = (os.open(tmp_path, os.O_RDONLY) for _ in range(2))
    assert lock_file(one, 0, exclusive=False)
    assert lock_file(two, 0, exclusive=False)
    assert not lock_file(one, 0.01)
    unlock_file(two)
    assert lock_file(one, 0)
    assert not lock_file(two, 0.01, exclusive=False)
    unlock_file(one)
    assert lock_file(two, 0)
    for file in (one, two):
        os.close(file)


def test_a_system_or_a_disk_without_locks_needs_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = os.open(tmp_path, os.O_RDONLY)
    os.close(file)
    assert lock_file(file, 0)  # as on a disk that cannot lock: flock fails
    monkeypatch.setattr(file_lock, "fcntl", None)
    assert lock_file(file, 0)
    unlock_file(file)
