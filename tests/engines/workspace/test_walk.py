"""Which files a directory has, with and without git."""

import os
from pathlib import Path

import pytest

from ctxkit.core.errors import MalformedInputError
from ctxkit.engines.workspace import walk
from ctxkit.engines.workspace.git_process import Git


def result(root):
    return walk.walk_directory(str(root), Git(str(root)))


def test_directories_of_tools_are_skipped_without_git(tmp_path: Path) -> None:
    for name in ("a.md", "b/c.md", "node_modules/d.md", ".venv/e.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = result(tmp_path)
    assert (found.paths, found.repository) == (["a.md", "b/c.md"], False)


def test_a_file_outside_is_read_as_a_file_and_a_directory_outside_is_a_link(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "a.md").write_text("")
    os.symlink(outside / "a.md", root / "file.md")
    os.symlink(outside, root / "folder")
    os.symlink("nowhere", root / "dead")
    found = result(root)
    assert found.paths == ["file.md"]
    assert found.links == {"folder": str(outside)}
    assert found.broken == ("dead",)


def test_pipes_and_temporary_files_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / ".ctxkit-12-0123456789abcdef").write_text("")
    (tmp_path / "a.md").write_text("")
    assert result(tmp_path).paths == ["a.md"]


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MOST_PATHS", 2)
    for name in "abc":
        (tmp_path / name).write_text("")
    with pytest.raises(MalformedInputError, match="more than 2 files"):
        result(tmp_path)


def test_links_to_one_directory_repeat_its_files_only_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MOST_LINKED", 5)
    (tmp_path / "real").mkdir()
    for number in range(3):
        (tmp_path / "real" / f"{number}.md").write_text("")
        os.symlink("real", tmp_path / f"link{number}")
    behind = [path for path in result(tmp_path).links if "/" in path]
    assert len(behind) == 5
