"""What git says of removed and of ignored paths."""

import subprocess
from pathlib import Path

import pytest

from ctxkit.engines.workspace import git as asking
from ctxkit.engines.workspace.git import IgnoredPaths, RemovalHistory, read_removals
from ctxkit.engines.workspace.git_process import Git


@pytest.fixture
def git(tmp_path: Path):
    def run(*arguments):
        who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True, capture_output=True)

    return run


@pytest.fixture
def repository(tmp_path: Path, git):
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
    removals, complete = read_removals(Git(str(repository)))
    assert complete
    assert set(removals) == {"docs/old.md", "docs", "gone.md"}
    find = RemovalHistory(Git(str(repository)), str(repository))
    assert [find(path).renamed_to for path in ("docs/old.md", "gone.md", "docs")] == ["new.md", "", ""]
    assert find("gone.md").commit == find("docs/old.md").commit == removals["docs"].commit != ""


def test_removed_paths_are_found_by_their_name_in_any_case(repository) -> None:
    history = RemovalHistory(Git(str(repository)), str(repository))
    assert [history.list_named(name) for name in ("OLD.md", "docs", "new.md")] == [["docs/old.md"], ["docs"], []]


@pytest.mark.parametrize("separate", [0, 1, 50])
def test_renames_are_the_same_whether_commits_are_read_one_by_one_or_all(
    repository, git, monkeypatch, separate
) -> None:
    monkeypatch.setattr(asking, "MAX_SEPARATE_COMMITS", separate)
    for number in range(3):
        (repository / f"a{number}.md").write_text(f"words of file {number}\n" * 9)
    git("add", ".")
    git("commit", "-qm", "third")
    for number in range(3):
        git("mv", f"a{number}.md", f"b{number}.md")
        git("commit", "-qm", f"rename {number}")
    find = RemovalHistory(Git(str(repository)), str(repository))
    assert [find(f"a{number}.md").renamed_to for number in range(3)] == ["b0.md", "b1.md", "b2.md"]
    assert (find("docs/old.md").renamed_to, find("gone.md").renamed_to) == ("new.md", "")


def test_a_path_is_followed_through_its_renames(repository) -> None:
    find = RemovalHistory(Git(str(repository)), str(repository))
    assert find("docs/old.md").renamed_to == "new.md"
    assert find("new.md") is None
    assert find("never.md") is None
    assert find.find_problem() == ""


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
    assert read_removals(Git(str(tmp_path))) == ({}, False)


def test_a_shallow_clone_and_a_late_git_say_that_history_is_missing(repository, tmp_path_factory) -> None:
    clone = tmp_path_factory.mktemp("shallow") / "clone"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{repository}", clone], check=True, capture_output=True
    )
    shallow = RemovalHistory(Git(str(clone)), str(clone))
    assert (shallow("gone.md"), shallow.find_problem()) == (None, "the clone is shallow")
    late = RemovalHistory(Git(str(repository), seconds=0.0), str(repository))
    assert (late("gone.md"), late.find_problem()) == (None, "the history could not be read")


def test_only_the_newest_commits_are_read(repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MAX_COMMITS", 1)
    removals, complete = read_removals(Git(str(repository)))
    assert complete
    assert "gone.md" in removals
    (repository / "third.md").write_text("x")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", repository, "add", "."], check=True)
    subprocess.run(["git", "-C", repository, *who, "commit", "-qm", "third"], check=True)
    assert read_removals(Git(str(repository))) == ({}, True)
