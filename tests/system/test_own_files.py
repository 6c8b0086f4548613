"""The names of temporary files are recognized, and those of the user are not."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.system import own_files
from ctxkit.system.own_files import is_temporary, process_of, temporary_name
from ctxkit.system.safe_directory import LinkError, StoreFolder, open_folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


@pytest.fixture
def folder(place: Path) -> Iterator[StoreFolder]:
    with open_folder(str(place)) as opened:
        yield opened


@pytest.fixture
def theirs(tmp_path: Path, place: Path) -> Path:
    """A file of somebody else, to which a link in the folder leads."""
    (tmp_path / "theirs").write_text("mine")
    (place / "link").symlink_to(tmp_path / "theirs")
    return tmp_path / "theirs"


def test_files_are_appended_to_replaced_and_read(folder: StoreFolder, place: Path) -> None:
    with pytest.raises(FileNotFoundError):
        own_files.append_to_file(folder, "a", b"1", creates=False)
    for data in (b"1", b"2"):
        own_files.append_to_file(folder, "a", data)
    assert own_files.read_file(folder, "a") == b"12"
    assert own_files.read_file(folder, "a", 1) == b"1"
    own_files.replace_file(folder, "a", b"3", 0o755)
    assert own_files.read_file(folder, "a") == b"3"
    assert (place / "a").stat().st_mode & 0o777 == 0o755
    own_files.touch_file(folder, "b")
    os.utime(place / "b", (0, 0))
    own_files.touch_file(folder, "b")
    assert time.time() - (place / "b").stat().st_mtime < 60
    assert (place / "b").stat().st_mode & 0o777 == 0o600


def test_a_link_is_neither_read_nor_written_through(folder: StoreFolder, theirs: Path) -> None:
    for use in (
        lambda: own_files.read_file(folder, "link"),
        lambda: own_files.append_to_file(folder, "link", b"1"),
        lambda: own_files.touch_file(folder, "link"),
    ):
        with pytest.raises(LinkError):
            use()
    own_files.remove_older(folder, -1)
    assert theirs.read_text() == "mine"
    own_files.replace_file(folder, "link", b"1")
    assert own_files.read_file(folder, "link") == b"1"
    assert theirs.read_text() == "mine"


@pytest.mark.parametrize("name", ["../theirs", "", ".", "..", "a/b"])
def test_a_name_does_not_lead_out_of_the_folder(folder: StoreFolder, theirs: Path, name: str) -> None:
    with pytest.raises(OSError, match="Not a name"):
        own_files.replace_file(folder, name, b"1")
    with pytest.raises(OSError, match="Not a name"):
        own_files.append_to_file(folder, name, b"1")
    assert theirs.read_text() == "mine"


def test_a_write_that_fails_leaves_the_old_file_and_those_of_killed_processes_go(folder: StoreFolder, place: Path) -> None:
    left, running = temporary_name(2**22 + 1, "0" * 16), temporary_name(os.getpid(), "0" * 16)
    for name in (left, running):
        (place / name).write_text("half")
    (place / "a").mkdir()
    with pytest.raises(OSError):
        own_files.replace_file(folder, "a", b"1")
    assert sorted(os.listdir(place)) == sorted([running, "a"])


def test_old_files_with_an_ending_go(folder: StoreFolder, place: Path) -> None:
    for name in ("old.md", "old.txt", "new.md"):
        (place / name).touch()
    for name in ("old.md", "old.txt"):
        os.utime(place / name, (0, 0))
    own_files.remove_older(folder, 60, (".md", ".json"))
    assert sorted(os.listdir(place)) == ["new.md", "old.txt"]


def test_a_tree_goes_but_for_links(folder: StoreFolder, place: Path, theirs: Path) -> None:
    (place / "tree" / "inner").mkdir(parents=True)
    (place / "tree" / "inner" / "file").touch()
    assert own_files.remove_tree(folder, "tree")
    assert not (place / "tree").exists()
    (place / "tree" / "inner").mkdir(parents=True)
    (place / "tree" / "inner" / "link").symlink_to(theirs.parent)
    assert not own_files.remove_tree(folder, "tree")
    with pytest.raises(LinkError):
        own_files.remove_tree(folder, "link")
    with pytest.raises(FileNotFoundError):
        own_files.remove_tree(folder, "none")
    assert theirs.read_text() == "mine"


def test_as_many_levels_of_a_path_as_are_own_may_not_be_links(tmp_path: Path) -> None:
    (tmp_path / "disk" / "a").mkdir(parents=True)
    (tmp_path / "root").symlink_to(tmp_path / "disk")
    own_files.open_own_folder(str(tmp_path / "root" / "a" / "b"), 2, make=True).close()
    assert (tmp_path / "disk" / "a" / "b").is_dir()
    with pytest.raises(LinkError):
        own_files.open_own_folder(str(tmp_path / "root" / "a" / "b"), 3)


@given(st.integers(1, 2**31 - 1), st.integers(0, 2**64 - 1))
def test_a_name_says_which_process_writes_it(process: int, random: int) -> None:
    name = temporary_name(process, f"{random:016x}")
    assert is_temporary(name)
    assert process_of(name) == process


@pytest.mark.parametrize("name", [".ctxkit-notes.md", ".ctxkit.toml", "ctxkit-1-0123456789abcdef", ".ctxkit-1-xyz", "a.md"])
def test_other_names_are_those_of_the_user(name: str) -> None:
    assert not is_temporary(name)
    assert process_of(name) == 0


def test_the_form_of_earlier_versions_has_no_process() -> None:
    assert is_temporary(".ctxkit-a1b2c3d4")
    assert process_of(".ctxkit-a1b2c3d4") == 0
