"""The script for fish knows every verb, and completes in a real fish."""

import shutil
import subprocess

import pytest

from ctxkit.registry import VERBS
from tools.pages.fish import fish
from tools.pages.tree import tree

TOP = tree()
SCRIPT = fish(TOP, "Lead.")
needs_fish = pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")


def test_the_lead_stands_above_the_code() -> None:
    assert SCRIPT.startswith("# fish completion for ctxkit\n# Lead.\n")


@pytest.mark.parametrize("verb", list(TOP.walk()), ids=lambda verb: verb.name)
def test_every_verb_and_every_option_is_in_the_script(verb) -> None:
    lines = "\n".join(line for line in SCRIPT.splitlines() if f"'__ctxkit_at {verb.name}'" in line)
    for option in (option for option in verb.options if not option.hidden):
        for name in option.opts:
            assert (f" -l {name[2:]} " if name.startswith("--") else f" -s {name[1:]} ") in lines
    for below in verb.verbs:
        assert f" -a {below.command.name} " in lines


@pytest.mark.quick_cases(4)
@needs_fish
def test_fish_completes(asked, position) -> None:
    line, words = position
    assert asked("fish", "--no-config", "-c", f"source ctxkit.fish; complete -C '{line}'") == words


@needs_fish
def test_fish_shows_what_a_verb_does() -> None:
    command = ["fish", "--no-config", "-c", "source -; complete -C 'ctxkit ga'"]
    done = subprocess.run(command, input=SCRIPT, capture_output=True, text=True)
    assert done.stdout == f"gate\t{VERBS['gate'].removesuffix('.')}\n"


@needs_fish
def test_fish_finds_no_fault_in_the_script(asked) -> None:
    assert asked("fish", "-n", "ctxkit.fish") == set()
