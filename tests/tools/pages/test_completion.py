"""The completion scripts are those that the commands give today."""

from pathlib import Path

import pytest

from ctxkit.app.completion import COMMAND, LISTERS
from tools.pages import completion
from tools.pages.words import ARGUMENT_KINDS, KINDS

ROOT = Path(__file__).parents[3]
SCRIPTS = completion.scripts()


@pytest.mark.skipif(not (ROOT / "completions").is_dir(), reason="no completions/ beside the tests")
def test_the_committed_scripts_are_the_generated_ones() -> None:
    committed = {path.name: path.read_text() for path in (ROOT / "completions").iterdir()}
    assert committed == SCRIPTS, "make pages writes them anew"


def test_every_script_says_where_it_is_from() -> None:
    for text in SCRIPTS.values():
        assert f"# {completion.LEAD}" in text.splitlines()[:2]


def test_a_script_starts_ctxkit_for_values_alone() -> None:
    for text in SCRIPTS.values():
        code = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        assert "python -m" not in code
        assert "_COMPLETE=" not in code
        assert code.count("_complete ") == code.count(f"{COMMAND} ") == 1


def test_every_kind_that_a_script_asks_for_is_listed_and_no_other() -> None:
    assert {*KINDS.values(), *ARGUMENT_KINDS.values()} == set(LISTERS)
