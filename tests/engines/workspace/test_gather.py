import os
import subprocess
from pathlib import Path

import pytest

from ctxkit.engines.workspace import walk as walking
from ctxkit.engines.workspace.gather import read_workspace
from ctxkit.engines.workspace.git_process import Git


def walk(root):
    return walking.walk_directory(root, Git(root))


def git(root, *arguments):
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", root, *who, *arguments], check=True, capture_output=True)


def write(root, **files):
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def repository(tmp_path: Path):
    git(tmp_path, "init", "-q")
    return tmp_path


def test_a_plain_directory_is_walked_without_what_tools_put_there(tmp_path: Path) -> None:
    write(tmp_path, AGENTS_md="x", node_modules__AGENTS_md="x", web__CLAUDE_md="x")
    found = walk(str(tmp_path))
    assert (found.paths, found.repository) == (["AGENTS.md", "web/CLAUDE.md"], False)


def test_what_git_ignores_is_left_out(repository) -> None:
    write(repository, AGENTS_md="x", secret__CLAUDE_md="x")
    (repository / ".gitignore").write_text("secret/\n")
    assert walk(str(repository)).paths == [".gitignore", "AGENTS.md"]
    ignored = read_workspace(str(repository), len).project.is_ignored
    assert (ignored("secret/x.md"), ignored("AGENTS.md")) == (True, False)


def test_of_a_submodule_nobody_knows_the_files(repository) -> None:
    write(repository, AGENTS_md="See [x](docs/inner/a.md) and [y](docs/b.md).\n", docs__x_md="x")
    (repository / "docs/inner").mkdir()
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{'a' * 40},docs/inner")
    found = walk(str(repository))
    assert (found.paths, found.modules) == (["AGENTS.md", "docs/x.md"], ("docs/inner",))
    ignored = read_workspace(str(repository), len).project.is_ignored
    assert (ignored("docs/inner/a.md"), ignored("docs/inner2/a.md"), ignored("docs/b.md")) == (True, False, False)


@pytest.mark.parametrize("under_git", [False, True])
def test_links_are_remembered_and_never_followed_in_circles(tmp_path: Path, under_git: bool) -> None:
    if under_git:
        git(tmp_path, "init", "-q")
    write(tmp_path, AGENTS_md="# A\n", real__SKILL_md="# S\n")
    os.symlink("AGENTS.md", tmp_path / "CLAUDE.md")
    os.symlink("real", tmp_path / "linked")
    os.symlink("loop", tmp_path / "loop")
    os.symlink("nowhere", tmp_path / "dead")
    os.symlink(".", tmp_path / "self")
    found = walk(str(tmp_path))
    assert found.paths == ["AGENTS.md", "real/SKILL.md"]
    assert found.links["CLAUDE.md"] == "AGENTS.md"
    assert found.links["linked/SKILL.md"] == "real/SKILL.md"
    assert found.broken == ("dead", "loop")
    made = read_workspace(str(tmp_path), len)
    assert "CLAUDE.md" in made.document("AGENTS.md").aliases


def test_the_history_knows_what_is_gone(repository) -> None:
    write(repository, AGENTS_md="# A\n", src__old_md="one\ntwo\nthree\nfour\n", lib__gone_md="bye\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first")
    git(repository, "mv", "src/old.md", "src/new.md")
    git(repository, "rm", "-q", "lib/gone.md")
    git(repository, "commit", "-qm", "second")
    history = read_workspace(str(repository), len).project.history
    assert history("src/old.md").renamed_to == "src/new.md"
    assert history("lib/gone.md").renamed_to == ""
    assert history("lib").commit == history("lib/gone.md").commit
    assert len(history("lib").date) == len("2026-01-01")
    assert history("never/was.md") is None


def test_a_directory_inside_a_repository_has_paths_of_its_own(repository) -> None:
    write(repository, sub__AGENTS_md="# A\n", sub__gone_md="bye\n", other_md="x\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first")
    git(repository, "rm", "-q", "sub/gone.md")
    git(repository, "commit", "-qm", "second")
    made = read_workspace(str(repository / "sub"), len)
    assert [document.path for document in made.documents] == ["AGENTS.md"]
    assert made.project.history("gone.md") is not None


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, AGENTS_md="@secret.md\n", secret_md="x\n")
    (tmp_path / "secret.md").unlink()
    (tmp_path / "secret.md").mkdir()
    assert [document.path for document in read_workspace(str(tmp_path), len).documents] == ["AGENTS.md"]


def commit(root, what):
    git(root, "add", "-A")
    git(root, "commit", "-qm", what)


def test_what_moved_twice_is_followed_to_where_it_is(repository) -> None:
    write(repository, a_md="one\ntwo\nthree\n", x_md="four\nfive\nsix\n", AGENTS_md="# A\n")
    commit(repository, "first")
    for old, new in (("a.md", "b.md"), ("b.md", "c.md"), ("x.md", "y.md")):
        git(repository, "mv", old, new)
        commit(repository, "move")
    git(repository, "rm", "-q", "y.md")
    commit(repository, "remove")
    history = read_workspace(str(repository), len).project.history
    assert history("a.md").renamed_to == "c.md"
    assert (history("x.md").renamed_to, history("x.md").commit) == ("", history("y.md").commit)


def test_a_clone_that_lacks_old_files_still_knows_what_is_gone(repository) -> None:
    write(repository, AGENTS_md="# A\n", old_md="one\ntwo\nthree\n", gone_md="bye\n")
    commit(repository, "first")
    git(repository, "rm", "-q", "gone.md")
    commit(repository, "second")
    (repository / "old.md").rename(repository / "new.md")
    (repository / "new.md").write_text("one\ntwo\nthree\nfour\n")
    commit(repository, "third")
    (repository / "new.md").write_text("one\ntwo\nthree\nfour\nfive\n")
    commit(repository, "fourth")
    for name in ("old.md", "new.md"):
        line = subprocess.run(
            ["git", "-C", repository, "rev-parse", f"HEAD~2:{name}" if name == "old.md" else "HEAD~1:new.md"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        lost = repository / ".git" / "objects" / line[:2] / line[2:]
        lost.unlink()
    history = read_workspace(str(repository), len).project.history
    assert history("gone.md") is not None
    assert history("old.md") is not None


def test_a_pipe_in_place_of_ignore_rules_costs_git_and_no_file(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Git.__init__, "__defaults__", (0.3,))
    (repository / "AGENTS.md").write_text("# A\n")
    os.mkfifo(repository / ".gitignore")
    warnings: list[str] = []
    workspace = read_workspace(str(repository), len, warn=warnings.append)
    assert [document.path for document in workspace.documents] == ["AGENTS.md"]
    assert warnings == [f"{repository}: git gave no answer in 0.3 s: its ignore rules and its history are not used"]
