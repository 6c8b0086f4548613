from pathlib import Path

import pytest

from ctxkit.edge import completion_scripts
from ctxkit.edge.completion_scripts import SCRIPTS, read_script

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_script_of_a_source_tree_is_the_generated_one(shell: str) -> None:
    assert read_script(shell) == (ROOT / "completions" / SCRIPTS[shell]).read_bytes()


def test_the_installed_script_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ctxkit.bash").write_bytes(b"installed")
    monkeypatch.setattr(completion_scripts, "DIRECTORIES", (str(tmp_path), str(ROOT / "completions")))
    assert read_script("bash") == b"installed"
    assert read_script("fish") == (ROOT / "completions" / "ctxkit.fish").read_bytes()


def test_a_script_that_is_not_installed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion_scripts, "DIRECTORIES", (str(tmp_path),))
    with pytest.raises(FileNotFoundError):
        read_script("zsh")
