"""A user with neither HOME nor an entry in the list of users is told which variable to set."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxkit.edge import user_dirs

Run = Callable[..., "subprocess.CompletedProcess[str]"]
NOBODY = ["unshare", "-U", "--map-user=4321"]
HINT = "there is no home directory: set HOME, or both CTXKIT_CACHE_DIR and CTXKIT_DATA_DIR"


@pytest.fixture
def run_without_home(ctxkit: str, tmp_path: Path) -> Run:
    if not shutil.which("unshare") or subprocess.run([*NOBODY, "true"], capture_output=True).returncode:
        pytest.skip("a user namespace makes a user without an entry")

    def run(*words: str, stdin: str = "", **environ: str) -> "subprocess.CompletedProcess[str]":
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TMPDIR": str(tmp_path), **environ}
        return subprocess.run(
            [*NOBODY, ctxkit, *words], input=stdin, capture_output=True, text=True, env=env, cwd=tmp_path, timeout=60
        )

    return run


@pytest.mark.slow
def test_content_is_stored_elsewhere_and_the_variable_is_named(run_without_home: Run, tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(3000))
    done = run_without_home("gate", "--window", "900", "--tokenizer", "qwen3", stdin=text)
    assert (done.returncode, "a map, not the content" in done.stdout) == (0, True)
    assert done.stderr == f"ctxkit: warning: {HINT}; content is stored in {tmp_path}/ctxkit-4321 instead\n"


@pytest.mark.slow
@pytest.mark.parametrize("command", [("session", "new", "s", "--window", "900"), ("trust", ".", "--yes")])
def test_what_cannot_be_stored_is_an_error_with_the_variable(run_without_home: Run, command: tuple[str, ...]) -> None:
    done = run_without_home(*command)
    assert done.returncode == 74
    assert f"hint: {HINT}" in done.stderr


@pytest.mark.slow
def test_a_setup_writes_no_directory_called_tilde(run_without_home: Run, tmp_path: Path) -> None:
    done = run_without_home("init", "claude-code", "--yes", CTXKIT_DATA_DIR=str(tmp_path / "data"))
    assert (done.returncode, "hint: set HOME\n" in done.stderr) == (2, True)
    assert not (tmp_path / "~").exists()


@pytest.mark.slow
def test_doctor_says_so(run_without_home: Run) -> None:
    done = run_without_home("doctor")
    assert done.stdout.count("there is no home directory") == 2
    assert "hint: set HOME, or both CTXKIT_CACHE_DIR and CTXKIT_DATA_DIR" in done.stdout


def test_only_a_directory_that_stands_for_none_has_the_hint() -> None:
    assert user_dirs.find_home_hint("Not a directory: /dev/null/data") == HINT
    assert user_dirs.find_home_hint("Not a directory: /dev/null") == ""
