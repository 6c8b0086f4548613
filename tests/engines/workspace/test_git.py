"""What git says of removed and of ignored paths."""

import subprocess
from pathlib import Path

import pytest

from ctxkit.engines.workspace import git as asking
from ctxkit.engines.workspace.git import IgnoredPaths, make_history, read_removals
from ctxkit.engines.workspace.git_process import Git


@pytest.fixture
def repository(tmp_path: Path):
    def git(*arguments):
        who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True, capture_output=True)

    git("init", "-q")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "old.md").write_text("some words that stay\n" * 9)
    (tmp_path / "gone.md").write_text("other words\n" * 9)
    (tmp_path / ".gitignore").write_text("*.log\n!kept.log\n")
    git("add", ".")
    git("commit", "-qm", "first")
    git("mv", "docs/old.md", "new.md")
    git("rm", "-q", "gone.md")
    git("commit", "-qm", "second")
    return tmp_path


def test_a_removed_path_and_a_renamed_one_are_told_apart(repository) -> None:
    removals = read_removals(Git(str(repository)))
    assert removals["docs/old.md"].renamed_to == "new.md"
    assert removals["gone.md"].renamed_to == ""
    assert removals["docs"].renamed_to == ""
    assert removals["gone.md"].commit == removals["docs/old.md"].commit != ""


def test_a_path_is_followed_through_its_renames(repository) -> None:
    find = make_history(Git(str(repository)), str(repository))
    assert find("docs/old.md").renamed_to == "new.md"
    assert find("new.md") is None
    assert find("never.md") is None


def test_ignored_paths_are_told_by_one_process(repository) -> None:
    is_ignored = IgnoredPaths(Git(str(repository)), str(repository))
    paths = ("a.log", "kept.log", "deep/b.log", "new.md", "../a.log", "/a.log", "", "a\0.log", "a.log")
    assert [is_ignored(path) for path in paths] == [True, False, True, False, False, False, False, False, True]
    assert is_ignored._starts == 1


def test_a_path_behind_a_link_is_not_asked(repository) -> None:
    (repository / "linked").symlink_to("docs")
    is_ignored = IgnoredPaths(Git(str(repository)), str(repository))
    assert not is_ignored("linked/a.log")
    assert not is_ignored("/".join(["d"] * (asking.DEEPEST + 2)) + "/a.log")
    assert is_ignored("a.log")


def test_without_a_repository_nothing_is_ignored(tmp_path: Path) -> None:
    assert not IgnoredPaths(Git(str(tmp_path)), str(tmp_path))("a.log")
    assert read_removals(Git(str(tmp_path))) == {}
