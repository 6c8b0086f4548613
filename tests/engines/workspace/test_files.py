"""Which files a directory has, with and without git."""

import os
import subprocess
from pathlib import Path

import pytest

from ctxkit.core.brief.repository.file_scan import scan_file
from ctxkit.core.brief.repository.repository_file import RepositoryFile
from ctxkit.core.errors import MalformedInputError, MissingInputError
from ctxkit.engines.syntax import find_definitions
from ctxkit.engines.workspace import files
from ctxkit.engines.workspace import files as walking
from ctxkit.engines.workspace.files import (
    LATE,
    ReadLimits,
    ReadReports,
    read_repository,
    read_workspace,
)
from ctxkit.engines.workspace.git import Git


def result(root):
    return files.walk_directory(str(root), Git(str(root)))


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
    monkeypatch.setattr(files, "MOST_PATHS", 2)
    for name in "abc":
        (tmp_path / name).write_text("")
    with pytest.raises(MalformedInputError, match="more than 2 files"):
        result(tmp_path)


def test_links_to_one_directory_repeat_its_files_only_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_LINKED", 5)
    (tmp_path / "real").mkdir()
    for number in range(3):
        (tmp_path / "real" / f"{number}.md").write_text("")
        os.symlink("real", tmp_path / f"link{number}")
    behind = [path for path in result(tmp_path).links if "/" in path]
    assert len(behind) == 5


def walk_files(root):
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
    found = walk_files(str(tmp_path))
    assert (found.paths, found.repository) == (["AGENTS.md", "web/CLAUDE.md"], False)


def test_what_git_ignores_is_left_out(repository) -> None:
    write(repository, AGENTS_md="x", secret__CLAUDE_md="x")
    (repository / ".gitignore").write_text("secret/\n")
    assert walk_files(str(repository)).paths == [".gitignore", "AGENTS.md"]
    ignored = read_workspace(str(repository), len).project.is_ignored
    assert (ignored("secret/x.md"), ignored("AGENTS.md")) == (True, False)


def test_of_a_submodule_nobody_knows_the_files(repository) -> None:
    write(repository, AGENTS_md="See [x](docs/inner/a.md) and [y](docs/b.md).\n", docs__x_md="x")
    (repository / "docs/inner").mkdir()
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{'a' * 40},docs/inner")
    found = walk_files(str(repository))
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
    found = walk_files(str(tmp_path))
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
    workspace = read_workspace(str(repository), len, reports=ReadReports(warn=warnings.append))
    assert [document.path for document in workspace.documents] == ["AGENTS.md"]
    assert warnings == [f"{repository}: git gave no answer in 0.3 s: its ignore rules and its history are not used"]


SOURCE = "def make_cake():\n    pass\n"


def write_files(root: Path, *names: str, text: str = SOURCE) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def read(root: Path, **options) -> dict[str, RepositoryFile]:
    files = read_repository(str(root), lambda path, data: scan_file(path, data, find_definitions), **options)
    assert files == sorted(files, key=lambda file: (file.directory, file.base))
    return {file.path: file for file in files}


def test_source_is_scanned_and_other_files_are_only_listed(tmp_path: Path) -> None:
    write_files(tmp_path, "a.py", "lib/b.py", "data.json", "README.md")
    sizes: list[int] = []
    numbers: list[int] = []
    scanned: list[int] = []
    files = read(tmp_path, reports=ReadReports(numbers.append, sizes.append, scanned.append))
    assert numbers == [4]
    assert list(files) == ["README.md", "a.py", "data.json", "lib/b.py"]
    assert [len(file.symbols) for file in files.values()] == [0, 1, 0, 1]
    assert (files["data.json"].lines, files["data.json"].size, files["data.json"].skipped) == (0, len(SOURCE), "")
    assert sizes == scanned == [len(SOURCE)] * 3


def test_answers_of_other_processes_are_used_and_the_rest_is_scanned_here(tmp_path: Path) -> None:
    write_files(tmp_path, *(f"lib/{number}.py" for number in range(9)), "data.json")
    asked: list[dict[int, int]] = []

    def share_every_third(answer, sizes):
        """Yield the answers for the first, fourth and seventh item."""
        asked.append(sizes)
        return ((index, answer(index)) for index in list(sizes)[::3])

    scanned: list[str] = []

    def scan(path: str, data: bytes) -> RepositoryFile:
        scanned.append(path)
        return scan_file(path, data, find_definitions)

    files = read_repository(str(tmp_path), scan, ReadReports(share=share_every_third))
    assert list(asked[0].values()) == [len(SOURCE)] * 9
    assert sorted(scanned) == [f"lib/{number}.py" for number in range(9)]
    assert files == read_repository(str(tmp_path), lambda path, data: scan_file(path, data, find_definitions))


def test_the_error_of_another_process_is_raised(tmp_path: Path) -> None:
    write_files(tmp_path, "a.py")
    with pytest.raises(MalformedInputError, match="too deep"):
        read(tmp_path, reports=ReadReports(share=lambda _, sizes: ((index, MalformedInputError("too deep")) for index in sizes)))


def test_git_leaves_out_what_it_ignores_unless_it_ignores_everything(tmp_path: Path) -> None:
    write_files(tmp_path, "a.py", "out/b.py", "out/c.py")
    write_files(tmp_path, ".gitignore", text="out/\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert list(read(tmp_path)) == [".gitignore", "a.py"]
    assert list(read(tmp_path / "out")) == ["b.py", "c.py"]


def test_no_link_is_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_files(root, "a.py")
    write_files(tmp_path, "outside/secret.py")
    os.symlink(tmp_path / "outside" / "secret.py", root / "link.py")
    os.symlink(tmp_path / "outside", root / "folder")
    os.symlink(root, root / "loop")
    os.symlink("self", root / "self")
    assert list(read(root)) == ["a.py"]


def test_a_forged_index_leads_nowhere(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_files(root, "a.py", "folder/secret.py")
    write_files(tmp_path, "outside/secret.py")
    subprocess.run(["git", "init", "-q", root], check=True)
    subprocess.run(["git", "-C", root, "add", "."], check=True)
    (root / "folder" / "secret.py").unlink()
    (root / "folder").rmdir()
    os.symlink(tmp_path / "outside", root / "folder")
    assert list(read(root)) == ["a.py"]


def test_pipes_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    write_files(tmp_path, "a.py")
    assert list(read(tmp_path)) == ["a.py"]


def test_what_limits_leave_out_is_said_with_the_reason_and_tests_first(tmp_path: Path) -> None:
    write_files(tmp_path, "a.py", "tests/test_a.py", "generated/b.py")
    write_files(tmp_path, "large.py", text=SOURCE * 9)
    limits = ReadLimits(file_bytes=100, total_bytes=40)
    reasons = {path: file.skipped for path, file in read(tmp_path, limits=limits).items()}
    assert reasons == {
        "a.py": "",
        "large.py": "over 100 bytes",
        "tests/test_a.py": "past the first 40 bytes",
        "generated/b.py": "vendored or generated",
    }
    late = read(tmp_path, limits=ReadLimits(seconds=-1, seconds_per_mb=0))
    assert late["a.py"].skipped == LATE


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_said(tmp_path: Path) -> None:
    write_files(tmp_path, "a.py")
    (tmp_path / "a.py").chmod(0)
    assert read(tmp_path)["a.py"].skipped == "not readable"


def test_a_file_that_cannot_be_opened_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, "a.py")

    def refuse(*_: object) -> int:
        raise PermissionError

    monkeypatch.setattr("ctxkit.engines.workspace.files.os.open", refuse)
    assert read(tmp_path)["a.py"].skipped == "not readable"


def test_a_directory_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="No such file"):
        read(tmp_path / "none")


def test_a_script_without_an_extension_is_read(tmp_path: Path) -> None:
    write_files(tmp_path, "run", text="#!/bin/sh\ngo() {\n  :\n}\n")
    write_files(tmp_path, "LICENSE", text="words\n")
    files = read(tmp_path)
    assert [symbol.name for symbol in files["run"].symbols] == ["go"]
    assert (files["LICENSE"].symbols, files["LICENSE"].skipped) == ((), "")
