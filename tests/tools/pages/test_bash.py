"""The script for bash knows every verb, and completes in a real bash."""

import re
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
COMP_LINE=$1; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_POINT=${#COMP_LINE}
_ctxkit && ((${#COMPREPLY[@]})) && printf '%s\\n' "${COMPREPLY[@]}"
"""
needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")


@pytest.fixture
def complete(asked):
    def complete(*words: str) -> set[str]:
        line = " ".join(words).replace(" : ", ":").replace(" :", ":")
        return asked("bash", "--norc", "-c", ASK, "bash", "ctxkit.bash", line, *words)

    return complete


def test_the_lead_stands_above_the_code() -> None:
    assert SCRIPT.startswith("# bash completion for ctxkit\n# Lead.\n\n_ctxkit() {\n")


@pytest.mark.parametrize("verb", list(TOP.walk()), ids=lambda verb: verb.name)
def test_every_verb_and_every_option_is_in_the_script(verb) -> None:
    words = SCRIPT.partition(f"'{verb.name}')\n")[2].partition(";;")[0].replace("'", " ").split()
    for option in (option for option in verb.options if not option.hidden):
        for name in option.opts:
            assert name in words
    for below in verb.verbs:
        assert below.command.name in words


@pytest.mark.quick_cases(12)
@needs_bash
def test_bash_completes(complete, position) -> None:
    line, words = position
    typed = line.rpartition(" ")[2]
    head = typed[: typed.rfind(":") + 1]  # bash splits words at colons, and keeps what is before the last one
    parts = [part for word in line.split(" ") for part in (re.split("(:)", word) if word else [word])]
    assert {head + word for word in complete(*(parts[:-1] if head == typed and head else parts))} == words


@needs_bash
def test_bash_completes_a_value_after_an_equals_sign(complete) -> None:
    assert complete("ctxkit", "gate", "--model", "=", "qwen3") == QWEN
    assert complete("ctxkit", "gate", "--hint", "=") == {"ctxkit", "sed", "read_file", "read_result"}
    assert complete("ctxkit", "gate", "--model", "=", "haiku", "--mo") == {"--model"}


@needs_bash
def test_bash_asks_no_program_of_the_current_directory(place, asked) -> None:
    folder = place / "repository"
    folder.mkdir(exist_ok=True)
    program = folder / "ctxkit"
    program.write_text("#!/bin/sh\necho evil\n")
    program.chmod(0o755)
    ask = f"cd repository; source ../ctxkit.bash\n{ASK.partition(chr(10))[2]}"
    words = ("./ctxkit gate --session ", "./ctxkit", "gate", "--session", "")
    for path in (".", ":", ""):
        assert asked("bash", "--norc", "-c", ask, "bash", *words, path=f"{path}:/nonexistent") == set()


@needs_bash
def test_bash_offers_no_value_that_a_shell_would_run(complete) -> None:
    assert not [name for name in complete("ctxkit", "gate", "--model", "") if "$" in name]


@needs_bash
def test_bash_finds_no_fault_in_the_script(asked) -> None:
    assert asked("bash", "-n", "ctxkit.bash") == set()
