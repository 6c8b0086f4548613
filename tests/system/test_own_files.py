"""The names of temporary files are recognized, and those of the user are not."""

import errno
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.system import file_locks, own_files
from ctxkit.system.own_files import (
    LinkError,
    StoreFolder,
    is_temporary,
    open_folder,
    process_of,
    temporary_name,
)


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


@pytest.fixture(params=["by descriptor", "by path"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory, opened as this system can, and as one without openat does."""
    if request.param == "by path":
        monkeypatch.setattr(own_files, "BY_DESCRIPTOR", False)
    elif not own_files.BY_DESCRIPTOR:
        pytest.skip("this system opens by path alone")
    return tmp_path / "root"


def test_folders_are_made_private_and_files_are_created_read_moved_and_removed(root) -> None:
    with open_folder(str(root), "a", make=True) as one, open_folder(str(root), "b", "c", make=True) as two:
        with open(one.create("x"), "wb") as file:
            file.write(b"content")
        with pytest.raises(FileExistsError):
            one.create("x")
        one.touch("x", (5_000_000_000, 6_000_000_000))
        assert (one.stat("x").st_atime, one.stat("x").st_mtime) == (5.0, 6.0)
        one.move("x", two, "y")
        assert (one.list_names(), two.list_names()) == ([], ["y"])
        with open(two.open("y"), "rb") as file:
            assert file.read() == b"content"
        assert two.remove("y")
        assert not two.remove("y")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (root, root / "a", root / "b", root / "b" / "c")}
    assert set(modes.values()) == {0o700}


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_what_is_made_is_its_owners_alone_whatever_the_umask(root, mask: int) -> None:
    before = os.umask(mask)
    try:
        with open_folder(str(root), "a", make=True) as folder:
            os.close(folder.create("x"))
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (root, root / "a")} == {0o700}
    assert (root / "a" / "x").stat().st_mode & 0o777 == 0o600


def test_a_link_in_place_of_a_folder_is_refused(root, tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    root.mkdir()
    (root / "a").symlink_to(tmp_path / "target")
    for make in (False, True):
        with pytest.raises(PermissionError, match="is not followed") as caught:
            open_folder(str(root), "a", make=make)
        assert caught.value.filename == str(root / "a")


def test_the_root_itself_may_be_a_link_that_the_user_made(root, tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir()
    root.symlink_to(tmp_path / "large disk")
    open_folder(str(root), "a", make=True).close()
    assert (tmp_path / "large disk" / "a").is_dir()


def test_what_is_no_regular_file_is_neither_seen_nor_opened_nor_removed(root, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    root.mkdir()
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    with open_folder(str(root)) as folder:
        for name in ("link", "folder", "pipe"):
            assert folder.stat(name) is None
            assert not folder.remove(name)
            with pytest.raises(OSError):
                os.close(folder.open(name))
            assert os.path.lexists(root / name)


def test_folders_are_removed_if_they_are_empty_and_no_links(root, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    with open_folder(str(root), make=True) as folder:
        os.close(folder.open_subfolder("full", make=True).create("x"))
        folder.open_subfolder("empty", make=True).close()
        (root / "link").symlink_to(tmp_path / "theirs")
        assert [folder.remove_folder(name) for name in ("full", "empty", "link", "none")] == [False, True, False, False]
    assert (tmp_path / "theirs").is_dir()


def test_a_file_is_created_and_written_only_if_no_link_is_in_its_place(root, tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("theirs")
    with open_folder(str(root), make=True) as folder:
        (root / "link").symlink_to(tmp_path / "theirs")
        (root / "hanging").symlink_to(tmp_path / "none")
        for name in ("link", "hanging") if own_files.BY_DESCRIPTOR else ():
            with pytest.raises(own_files.LinkError):
                folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.close(folder.open("new", os.O_WRONLY | os.O_CREAT))
    assert (root / "new").stat().st_mode & 0o077 == 0
    assert (tmp_path / "theirs").read_text() == "theirs"
    assert not (tmp_path / "none").exists()


@pytest.mark.skipif(not own_files.BY_DESCRIPTOR, reason="permissions are those of POSIX")
def test_a_folder_of_the_group_is_taken_back_if_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o775)
    open_folder(str(tmp_path), "a", restrict=True).close()
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o755
    with open_folder(str(tmp_path), "a") as folder:
        folder.restrict()
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700


def test_absent_folders_and_files_in_their_place_are_told_apart(root) -> None:
    with pytest.raises(FileNotFoundError):
        open_folder(str(root))
    root.write_text("")
    with pytest.raises(OSError) as caught:
        open_folder(str(root), make=True)
    assert caught.value.errno in (errno.ENOTDIR, errno.EEXIST)


@pytest.mark.skipif(not own_files.BY_DESCRIPTOR, reason="permissions are those of POSIX")
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(mode)
    with pytest.raises(PermissionError, match=f"mode {mode:04o}"):
        open_folder(str(tmp_path), "a")
    (tmp_path / "a").chmod(0o755)
    open_folder(str(tmp_path), "a").close()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root, to give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.chown(tmp_path / "a", 65534, 65534)
    with pytest.raises(PermissionError, match="another user"):
        open_folder(str(tmp_path), "a")


@pytest.mark.skipif(not own_files.BY_DESCRIPTOR, reason="permissions are those of POSIX")
def test_in_a_public_place_the_root_must_be_the_users_alone(tmp_path: Path) -> None:
    path = tmp_path / "ctxkit-1"
    open_folder(str(path), make=True, private=True).close()
    path.chmod(0o750)
    with pytest.raises(PermissionError, match="mode 0750"):
        open_folder(str(path), make=True, private=True)
    path.chmod(0o700)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(PermissionError, match="is not followed"):
        open_folder(str(tmp_path / "link"), make=True, private=True)


@pytest.mark.skipif(file_locks.fcntl is None, reason="needs locks of files")  # type: ignore[attr-defined]
def test_a_lock_keeps_others_out_until_it_is_given_back_or_its_process_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_files, "LOCK_WAIT", 0.01)
    with open_folder(str(tmp_path)) as one, open_folder(str(tmp_path)) as two:
        with one.lock(exclusive=False) as first, two.lock(exclusive=False) as second:
            assert (first, second) == (True, True)
        with one.lock(exclusive=True), two.lock(exclusive=False) as second:
            assert not second
        with two.lock(exclusive=True) as second:
            assert second
        holding = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], 0), 2); print(flush=True); sys.stdin.read()"
        other = subprocess.Popen([sys.executable, "-c", holding, tmp_path], stdin=-1, stdout=-1)
        other.stdout.readline()
        with one.lock(exclusive=False) as locked:
            assert not locked
        other.kill()
        other.communicate()
        with one.lock(exclusive=True) as locked:
            assert locked


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("no /proc")
    (tmp_path / "link").symlink_to(tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        open_folder(str(tmp_path), "a", "b", make=True).close()
        with pytest.raises(OSError):
            open_folder(str(tmp_path), "link")
    assert len(os.listdir("/proc/self/fd")) == before
