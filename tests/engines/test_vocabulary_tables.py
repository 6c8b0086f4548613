"""A table is written once, refused if it is not this user's or damaged, and removed when it is not used."""

import os
import stat
import sys
from pathlib import Path

import pytest

from ctxkit.core.tokens.table_counter import ABSENT
from ctxkit.engines import vocabulary_tables

TOKENS = [b"a", b"b", b"ab"]
DAY = 86_400


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of a table of three tokens."""
    table = vocabulary_tables.make_table(str(tmp_path), "three-1", lambda: TOKENS)
    assert table is not None
    assert table.find_rank(b"ab") == 3
    return tmp_path / "vocabularies" / "three-1"


def test_a_table_that_was_made_is_opened(path: Path, tmp_path: Path) -> None:
    table = vocabulary_tables.open_table(str(tmp_path), "three-1")
    assert table is not None
    assert [table.find_rank(token) for token in (b"a", b"ab", b"ba")] == [1, 3, ABSENT]
    assert vocabulary_tables.open_table(str(tmp_path), "three-2") is None
    assert list((tmp_path / "taking").iterdir()) == []


def test_only_the_user_can_read_it(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("data", [b"", b"ctxkBPE1", b"\0" * 4096])
def test_a_damaged_table_is_made_anew(path: Path, tmp_path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert vocabulary_tables.open_table(str(tmp_path), "three-1") is None
    assert vocabulary_tables.make_table(str(tmp_path), "three-1", lambda: TOKENS) is not None
    assert vocabulary_tables.open_table(str(tmp_path), "three-1") is not None


def test_a_table_that_others_can_change_is_not_opened(path: Path, tmp_path: Path) -> None:
    path.chmod(0o622)
    assert vocabulary_tables.open_table(str(tmp_path), "three-1") is None
    path.chmod(0o600)
    path.parent.chmod(0o722)
    assert vocabulary_tables.open_table(str(tmp_path), "three-1") is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_table_of_another_user_is_not_opened(path: Path, tmp_path: Path) -> None:
    os.chown(path, 65534, 65534)
    assert vocabulary_tables.open_table(str(tmp_path), "three-1") is None


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert vocabulary_tables.open_table(str(tmp_path), "three-1") is None


def test_a_directory_that_cannot_be_written_gets_no_table(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    def read_tokens() -> list[bytes]:
        raise AssertionError("nothing is read in vain")

    assert vocabulary_tables.make_table(str(tmp_path / "file" / "cache"), "three-1", read_tokens) is None


def test_a_failure_leaves_no_file(tmp_path: Path) -> None:
    def fail() -> list[bytes]:
        raise OSError("the disk is full")

    assert vocabulary_tables.make_table(str(tmp_path), "three-1", fail) is None
    assert [entry.name for entry in tmp_path.rglob("*") if entry.is_file()] == []


def test_opening_sets_the_time_of_the_last_use(path: Path, tmp_path: Path) -> None:
    changed = path.stat().st_mtime
    os.utime(path, (changed - 3 * DAY, changed))
    vocabulary_tables.open_table(str(tmp_path), "three-1")
    assert path.stat().st_atime >= changed - 1
    assert path.stat().st_mtime == changed


def test_tables_that_are_not_used_are_removed(path: Path, tmp_path: Path) -> None:
    vocabulary_tables.make_table(str(tmp_path), "used-1", lambda: TOKENS)
    now = path.stat().st_mtime
    os.utime(path, (now - 8 * DAY, now - 8 * DAY))
    vocabulary_tables.remove_unused_tables(str(tmp_path), 9 * DAY)
    assert [name for name, _ in vocabulary_tables.list_tables(str(tmp_path))] == ["three-1", "used-1"]
    vocabulary_tables.remove_unused_tables(str(tmp_path), 7 * DAY)
    assert [name for name, _ in vocabulary_tables.list_tables(str(tmp_path))] == ["used-1"]
    vocabulary_tables.remove_unused_tables(str(tmp_path), 0)  # it was used today
    assert [name for name, _ in vocabulary_tables.list_tables(str(tmp_path))] == ["used-1"]


def test_there_are_no_tables_without_a_directory(tmp_path: Path) -> None:
    vocabulary_tables.remove_unused_tables(str(tmp_path / "none"), 0)
    assert vocabulary_tables.list_tables(str(tmp_path / "none")) == []
