"""The wrapper that runs git: what it allows, what it bounds, and that nothing in the package goes around it."""

import ast
import os
import subprocess
import time
from pathlib import Path

import pytest

import ctxkit
from ctxkit.engines.workspace.git import IgnoredPaths
from ctxkit.engines.workspace.git_process import SUBCOMMANDS, Git, command_line, find_git, make_environment

PACKAGE = Path(ctxkit.__file__).parent
WRAPPER = PACKAGE / "engines" / "workspace" / "git_process.py"
ALLOWED = {"ls-files", "log", "check-ignore", "cat-file", "rev-parse"}
STARTERS = {"subprocess", "os", "asyncio", "pty", "multiprocessing"}


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", root, *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
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
                if owner in ("git", "self._git", "self") and node.args and path != WRAPPER:
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


def test_the_time_between_calls_does_not_count(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.log\n")
    runner = Git(str(repository), seconds=2)
    ignored = IgnoredPaths(runner, str(repository))
    assert ignored("a.log")
    time.sleep(2.1)
    assert not runner.is_late()
    assert ignored("b.log")
    assert runner.run("ls-files").complete


def test_a_work_tree_elsewhere_is_not_listed(repository, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "AGENTS.md").write_text("x")
    git(repository, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert not Git(str(repository)).is_worktree()


def test_a_directory_in_a_repository_is_listed(repository) -> None:
    (repository / "sub").mkdir()
    assert Git(str(repository)).is_worktree()
    assert Git(str(repository / "sub")).is_worktree()


def test_many_paths_are_asked_for_in_one_process(repository) -> None:
    (repository / ".gitignore").write_text("secret/\n*.log\n!kept.log\n")
    (repository / "linked").symlink_to("secret")
    ignored = IgnoredPaths(Git(str(repository)), str(repository))
    asked = {"secret/a": True, "a.log": True, "kept.log": False, "AGENTS.md": False, ":(top)a.log": True, "../a.log": False,
             "/a.log": False, "": False, "linked/a.log": False, "a\0.log": False, "\ud800.log": False, "b.log": True}
    assert {path: ignored(path) for path in asked} == asked
    before = os.times()
    assert sum(ignored(f"deep/{number}.log") for number in range(2000)) == 2000
    assert sum(os.times()[:4]) - sum(before[:4]) < 3
