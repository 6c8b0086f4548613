from pathlib import Path

import pytest

from ctxkit.edge.completion_scripts import SCRIPTS
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
