"""What git says of removed and of ignored paths."""

import ast
import os
import subprocess
import time
from pathlib import Path

import pytest

import ctxkit
from ctxkit.engines.workspace import git as asking
from ctxkit.engines.workspace.git import (
    SUBCOMMANDS,
    Git,
    IgnoredPaths,
    RemovalHistory,
    command_line,
    find_git,
    make_environment,
    read_removals,
)


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


PACKAGE = Path(ctxkit.__file__).parent
WRAPPER = PACKAGE / "engines" / "workspace" / "git.py"
ALLOWED = {"ls-files", "log", "check-ignore", "cat-file", "rev-parse"}
STARTERS = {"subprocess", "os", "asyncio", "pty", "multiprocessing"}


def call_git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", root, *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def empty_repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    call_git(root, "init", "-q")
    return root


@pytest.fixture
def fake_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in the place of git, to be written by the test."""
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return program


def write_program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def test_only_subcommands_that_run_no_filter_are_allowed() -> None:
    assert SUBCOMMANDS == ALLOWED


@pytest.mark.parametrize("subcommand", ["status", "diff", "add", "show", "config", "-c", "--exec-path=.", "fetch"])
def test_any_other_subcommand_is_an_error(subcommand: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not allowed"):
        Git(str(tmp_path)).run(subcommand)


@pytest.mark.parametrize("option", ["--ext-diff", "--textconv", "--filters", "--show-signature", "--output=x"])
def test_options_that_execute_or_write_are_an_error(option: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not allowed"):
        Git(str(tmp_path)).run("log", option)


def starts_processes(tree: ast.AST) -> bool:
    """Whether a module imports something that starts programs."""
    modules = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    modules += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return bool(STARTERS & {module.split(".")[0] for module in modules})


def names_git(node: ast.AST) -> bool:
    """Whether a value is git's name, a path of it, or a command line that begins with it."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str | bytes):
        return False
    words = (node.value if isinstance(node.value, str) else node.value.decode("utf-8", "replace")).split()
    return bool(words) and words[0].rsplit("/", 1)[-1] in ("git", "git.exe") and "\n" not in str(node.value)


def docstrings(tree: ast.AST) -> set[int]:
    """The identities of the strings that are statements."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


@pytest.mark.slow
def test_nothing_starts_git_but_the_wrapper() -> None:
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text()
        if path == WRAPPER or "git" not in source or not starts_processes(tree := ast.parse(source)):
            continue
        texts = docstrings(tree)
        called = [node for node in ast.walk(tree) if names_git(node) and id(node) not in texts]
        assert not called, f"{path}: line {called[0].lineno} names git in a module that starts programs"  # type: ignore[attr-defined]


def test_the_scan_sees_a_call_of_git() -> None:
    for source in ("import subprocess\nsubprocess.run(['git', 'status'])", "import os\nos.system('git status')"):
        tree = ast.parse(source)
        assert starts_processes(tree)
        assert any(map(names_git, ast.walk(tree)))


def test_every_call_of_the_wrapper_names_an_allowed_subcommand() -> None:
    calls = 0
    for path in (PACKAGE / "engines" / "workspace").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("run", "start"):
                owner = ast.unparse(node.func.value)
                if owner in ("git", "self._git") and node.args:
                    assert ast.literal_eval(node.args[0]) in ALLOWED, ast.unparse(node)
                    calls += 1
    assert calls >= 3


def test_variables_that_redirect_git_are_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS",
                 "GIT_CONFIG_GLOBAL", "GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXEC_PATH", "GIT_TRACE"):
        monkeypatch.setenv(name, "/somewhere")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", "/home")
    kept = {name: value for name, value in make_environment().items() if name.startswith("GIT_")}
    assert "/somewhere" not in kept.values()
    assert kept["GIT_OPTIONAL_LOCKS"] == "0"
    assert kept["GIT_NO_LAZY_FETCH"] == "1"
    assert kept["GIT_TERMINAL_PROMPT"] == "0"
    assert kept["GIT_PAGER"] == "cat"
    assert kept["GIT_CEILING_DIRECTORIES"] == "/home"


def test_options_on_the_command_line_beat_the_configuration() -> None:
    words = command_line(".", "log") or []
    for setting in ("core.fsmonitor=false", "safe.bareRepository=explicit", "core.hooksPath=/dev/null",
                    "log.showSignature=false", "protocol.allow=never", "submodule.recurse=false"):
        assert words[words.index(setting) - 1] == "-c"
    assert {"--no-ext-diff", "--no-textconv"} < set(words)


def test_git_is_not_taken_from_the_directory_that_is_linted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(tmp_path / "git", "exit 0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    found = find_git()
    assert found is not None
    assert Path(found).parent != tmp_path


def test_without_git_there_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Git(str(tmp_path)).run("ls-files") == (b"", False)


def test_a_git_that_hangs_is_killed_with_all_it_started(fake_git, tmp_path: Path) -> None:
    write_program(fake_git, f"sleep 60 & echo $! > {tmp_path}/child\nprintf begun\nwait")
    began = time.monotonic()
    output = Git(str(tmp_path), seconds=0.5).run("ls-files")
    assert time.monotonic() - began < 30
    assert output == (b"begun", False)
    child = int((tmp_path / "child").read_text())
    for _ in range(100):
        stat = Path(f"/proc/{child}/stat")
        if not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("what git started still runs")


def test_a_git_that_prints_without_end_is_cut_off(fake_git, tmp_path: Path) -> None:
    write_program(fake_git, "exec cat /dev/zero")
    began = time.monotonic()
    output = Git(str(tmp_path)).run("ls-files", limit=100_000)
    assert (len(output.data), output.complete) == (100_000, False)
    assert time.monotonic() - began < 30


def test_one_limit_of_time_holds_for_all_calls(fake_git, tmp_path: Path) -> None:
    write_program(fake_git, "sleep 60")
    runner = Git(str(tmp_path), seconds=0.3)
    began = time.monotonic()
    ignored = IgnoredPaths(runner, str(tmp_path))
    assert not any(ignored(f"x{number}") for number in range(200))
    assert time.monotonic() - began < 30


def test_the_time_between_calls_does_not_count(empty_repository: Path) -> None:
    (empty_repository / ".gitignore").write_text("*.log\n")
    runner = Git(str(empty_repository), seconds=2)
    ignored = IgnoredPaths(runner, str(empty_repository))
    assert ignored("a.log")
    time.sleep(2.1)
    assert not runner.is_late()
    assert ignored("b.log")
    assert runner.run("ls-files").complete


def test_a_work_tree_elsewhere_is_not_listed(empty_repository, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "AGENTS.md").write_text("x")
    call_git(empty_repository, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert not Git(str(empty_repository)).is_worktree()


def test_a_directory_in_a_repository_is_listed(empty_repository) -> None:
    (empty_repository / "sub").mkdir()
    assert Git(str(empty_repository)).is_worktree()
    assert Git(str(empty_repository / "sub")).is_worktree()


def test_many_paths_are_asked_for_in_one_process(empty_repository) -> None:
    (empty_repository / ".gitignore").write_text("secret/\n*.log\n!kept.log\n")
    (empty_repository / "linked").symlink_to("secret")
    ignored = IgnoredPaths(Git(str(empty_repository)), str(empty_repository))
    asked = {"secret/a": True, "a.log": True, "kept.log": False, "AGENTS.md": False, ":(top)a.log": True, "../a.log": False,
             "/a.log": False, "": False, "linked/a.log": False, "a\0.log": False, "\ud800.log": False, "b.log": True}
    assert {path: ignored(path) for path in asked} == asked
    before = os.times()
    assert sum(ignored(f"deep/{number}.log") for number in range(2000)) == 2000
    assert sum(os.times()[:4]) - sum(before[:4]) < 3
