from pathlib import Path

import pytest

from ctxkit.commands import completion
from ctxkit.commands.completion import SCRIPTS, read_script
from tests.conftest import Run


@pytest.mark.parametrize("shell", SCRIPTS)
def test_it_prints_the_generated_script(run: Run, shell: str) -> None:
    ran = run("completion", shell)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (Path(__file__).parents[2] / "completions" / SCRIPTS[shell][0]).read_bytes()


def test_another_shell_is_an_error(run: Run) -> None:
    ran = run("completion", "tcsh")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == "ctxkit: SHELL: 'tcsh' is not one of bash, zsh, fish\n  hint: ctxkit completion --help\n"


ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_script_of_a_source_tree_is_the_generated_one(shell: str) -> None:
    assert read_script(shell) == (ROOT / "completions" / SCRIPTS[shell][0]).read_bytes()


def test_an_installed_script_is_below_the_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _, place in SCRIPTS.values():
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text(place)
    monkeypatch.setattr(completion, "SOURCE", str(tmp_path / "none"))
    monkeypatch.setattr(completion, "PREFIXES", (str(tmp_path / "other"), str(tmp_path)))
    assert [read_script(shell).decode() for shell in SCRIPTS] == [place for _, place in SCRIPTS.values()]


def test_a_script_that_is_not_installed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion, "SOURCE", str(tmp_path))
    monkeypatch.setattr(completion, "PREFIXES", (str(tmp_path),))
    with pytest.raises(FileNotFoundError):
        read_script("zsh")
