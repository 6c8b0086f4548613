"""The script for bash knows every verb, and completes in a real bash."""

import shutil

import pytest

from ctxkit.core.models.lookup import MODELS
from tools.pages.bash import bash
from tools.pages.tree import tree

TOP = tree()
SCRIPT = bash(TOP, "Lead.")
QWEN = {name for name in MODELS if name.startswith("qwen3")}
ASK = """\
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_ctxkit && ((${#COMPREPLY[@]})) && printf '%s\\n' "${COMPREPLY[@]}"
"""
needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")


@pytest.fixture
def complete(asked):
    return lambda *words: asked("bash", "--norc", "-c", ASK, "bash", "ctxkit.bash", *words)


def test_the_lead_stands_above_the_code() -> None:
    assert SCRIPT.startswith("# bash completion for ctxkit\n# Lead.\n\n_ctxkit() {\n")


@pytest.mark.parametrize("verb", list(TOP.walk()), ids=lambda verb: verb.name)
def test_every_verb_and_every_option_is_in_the_script(verb) -> None:
    words = SCRIPT.partition(f"'{verb.name}')\n")[2].partition(";;")[0].replace("'", " ").split()
    for option in verb.options:
        for name in option.opts:
            assert name in words
    for below in verb.verbs:
        assert below.command.name in words


@pytest.mark.quick_cases(12)
@needs_bash
def test_bash_completes(complete, position) -> None:
    line, words = position
    assert complete(*line.split(" ")) == words


@needs_bash
def test_bash_completes_a_value_after_an_equals_sign(complete) -> None:
    assert complete("ctxkit", "gate", "--model", "=", "qwen3") == QWEN
    assert complete("ctxkit", "gate", "--hint", "=") == {"ctxkit", "sed", "read_file", "read_result"}
    assert complete("ctxkit", "gate", "--model", "=", "haiku", "--mo") == {"--model"}


@needs_bash
def test_bash_finds_no_fault_in_the_script(asked) -> None:
    assert asked("bash", "-n", "ctxkit.bash") == set()
