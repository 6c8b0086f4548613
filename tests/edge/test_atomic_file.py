"""Files are written whole or not at all."""

import os
import re
import time
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError
from ctxkit.edge import atomic_file, rooted_path
from ctxkit.system import processes
from ctxkit.system.own_files import temporary_name

RENAME = re.compile(r"\bos\.(replace|rename)\(")


def test_a_file_takes_the_place_of_the_one_before_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    atomic_file.write(str(path), b"one")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    atomic_file.write(str(path), b"two")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o644)
    assert atomic_file.read(str(path)) == "two"


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("one")
    os.symlink(tmp_path / "page.md", tmp_path / "link.md")
    atomic_file.write(str(tmp_path / "link.md"), b"two")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "page.md").read_text() == "two"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputOutputError):
        atomic_file.write(str(tmp_path / "none" / "page.md"), b"x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputOutputError):
        atomic_file.write(str(tmp_path / "folder"), b"x")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder"]


def test_what_is_not_there_is_empty(tmp_path: Path) -> None:
    assert atomic_file.read(str(tmp_path / "none")) == ""
    with pytest.raises(InputOutputError):
        atomic_file.read(str(tmp_path))


def test_what_killed_processes_left_beside_a_file_is_removed(tmp_path: Path) -> None:
    gone, random = 2**22 + 1, "0123456789abcdef"  # no process has that number
    left = [temporary_name(gone, random), temporary_name(os.getpid(), random), ".ctxkit-ab12cd_9"]
    kept = [temporary_name(os.getpid(), "f" * 16), ".ctxkit-zz12cd_9", "page.md.new", ".ctxkit.toml"]
    for name in (*left, *kept):
        (tmp_path / name).write_text("half")
    for name in (*left[1:], *kept[2:]):
        os.utime(tmp_path / name, (0, time.time() - processes.LEFTOVER_SECONDS - 1))
    atomic_file.write(str(tmp_path / "page.md"), b"one")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["page.md", *kept])


def test_what_is_refused_at_the_last_moment_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("old")

    def refuse():
        raise ValueError("changed meanwhile")

    with pytest.raises(ValueError, match="changed meanwhile"):
        atomic_file.write(str(path), b"new", refuse)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("page.md", "old")]


def test_only_one_module_renames_files_that_users_name() -> None:
    files = [path for path in Path(atomic_file.__file__).parent.rglob("*.py") if RENAME.search(path.read_text())]
    assert [path.name for path in files] == ["rooted_path.py"]


def test_a_pipe_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputOutputError, match="pipe: is not a regular file"):
        atomic_file.write(str(tmp_path / "pipe"), b"x")
    assert [one.name for one in tmp_path.iterdir()] == ["pipe"]
    assert (tmp_path / "pipe").is_fifo()


def test_an_abandoned_file_is_removed_where_no_directory_can_be_opened_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooted_path, "_RELATIVE", False)
    left = tmp_path / temporary_name(2**22 + 1, "0123456789abcdef")
    left.write_text("half")
    os.utime(left, (0, 0))
    atomic_file.write(str(tmp_path / "page.md"), b"one")
    assert [(one.name, one.stat().st_mode & 0o777) for one in tmp_path.iterdir()] == [("page.md", 0o600)]
