"""The completion scripts are those that the commands give today."""

from pathlib import Path

import pytest

from tools.pages import completion

ROOT = Path(__file__).parents[3]
SCRIPTS = completion.scripts()


@pytest.mark.skipif(not (ROOT / "completions").is_dir(), reason="no completions/ beside the tests")
def test_the_committed_scripts_are_the_generated_ones() -> None:
    committed = {path.name: path.read_text() for path in (ROOT / "completions").iterdir()}
    assert committed == SCRIPTS, "make pages writes them anew"


def test_every_script_says_where_it_is_from() -> None:
    for text in SCRIPTS.values():
        assert f"# {completion.LEAD}" in text.splitlines()[:2]


def test_no_script_starts_ctxkit_or_python() -> None:
    for text in SCRIPTS.values():
        code = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        assert "python -m" not in code
        assert "_COMPLETE=" not in code
