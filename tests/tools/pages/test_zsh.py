"""The script for zsh knows every verb, and zsh can read it."""

import shutil

import click
import pytest

from tools.pages.tree import tree
from tools.pages.zsh import zsh

TOP = tree()
SCRIPT = zsh(TOP, "Lead.")


def test_the_script_names_its_command_first_and_calls_its_function_last() -> None:
    assert SCRIPT.startswith("#compdef ctxkit\n# Lead.\n\n")
    assert SCRIPT.endswith('\n}\n\n_ctxkit "$@"\n')


@pytest.mark.parametrize("verb", list(TOP.walk()), ids=lambda verb: verb.name)
def test_every_verb_and_every_option_is_in_the_script(verb) -> None:
    function = SCRIPT.partition(f"\n_{verb.name.replace(' ', '_')}() {{")[2].partition("\n}")[0]
    for option in verb.options:
        for name in option.opts:
            assert f"{name}[" in function or f"{name}=[" in function or f"{name}+[" in function
    for below in verb.verbs:
        assert f"'{below.command.name}:" in function


@pytest.mark.parametrize(
    ("parameter", "spec"),
    [
        (click.Option(["--all"], is_flag=True, help="Take it all."), "'--all[Take it all]'"),
        (click.Option(["--hint"], metavar="HOW"), "'--hint=[]:HOW:(ctxkit sed read_file read_result)'"),
        (click.Option(["-e", "--events"], metavar="FILE"), "'(-e --events)-e+[]:FILE:_files'"),
        (click.Option(["--at"], metavar="A:B", help="It's [x]."), r"'--at=[It'\''s \[x\]]:A\:B: '"),
        (click.Argument(["file"], metavar="FILE"), "'1:file:_files'"),
        (click.Argument(["file"], metavar="[FILE]", required=False), "'1::file:_files'"),
        (click.Argument(["refs"], metavar="REF...", nargs=-1), "'*:ref: '"),
    ],
)
def test_a_parameter_is_a_specification(parameter, spec: str) -> None:
    assert spec in zsh(tree(click.Command("ctxkit", params=[parameter])), "Lead.")


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_finds_no_fault_in_the_script(asked) -> None:
    assert asked("zsh", "-n", "_ctxkit") == set()
