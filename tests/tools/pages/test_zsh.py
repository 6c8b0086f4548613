"""The script for zsh knows every verb, and zsh can read it."""

import os
import pty
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from tests.tools.pages.conftest import make_environment
from tools.pages.tree import tree
from tools.pages.zsh import zsh

TOP = tree()
SCRIPT = zsh(TOP, "Lead.")
needs_zsh = pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")


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
        (click.Option(["--old"], metavar="N", hidden=True), "'!--old=[]:N: '"),
        (click.Option(["--hint"], metavar="HOW"), "'--hint=[]:HOW:(ctxkit sed read_file read_result)'"),
        (click.Option(["-e", "--events"], metavar="FILE"), "'(-e --events)-e+[]:FILE:_files'"),
        (click.Option(["--at"], metavar="A:B", help="It's [x]."), r"'--at=[It'\''s \[x\]]:A\:B: '"),
        (click.Argument(["file"], metavar="FILE"), "'1:file:_files'"),
        (click.Argument(["file"], metavar="[FILE]", required=False), "'1::file:_files'"),
        (click.Argument(["refs"], metavar="REF...", nargs=-1), "'*:ref: __ctxkit_ask refs'"),
        (click.Argument(["ref"], metavar="REF|FILE"), "'1:ref|file: __ctxkit_ask refs files'"),
        (click.Argument(["host"], type=click.Choice(["a", "b"]), metavar="HOST"), "'1:host:(a b)'"),
        (click.Option(["--model"], metavar="NAME"), "'--model=[]:NAME: __ctxkit_ask models'"),
        (click.Option(["--stages"], metavar="LIST"), "'--stages=[]:LIST:_sequence compadd - clear summarize truncate'"),
    ],
)
def test_a_parameter_is_a_specification(parameter, spec: str) -> None:
    assert spec in zsh(tree(click.Command("ctxkit", params=[parameter])), "Lead.")


SETUP = """\
fpath=($PWD $fpath)
autoload -Uz compinit && compinit -u -D
compadd() {
    local -a captured
    case " ${(j: :)@} " in
    *" -O "*|*" -A "*|*" -D "*) builtin compadd "$@"; return ;;
    esac
    builtin compadd -A captured "$@"
    (($#captured)) && print -rl -- $captured >>$ANSWER
    builtin compadd "$@"
}
zle -C complete-once complete-word _main_complete
zle-line-init() { BUFFER=$LINE_TYPED; CURSOR=$#BUFFER; zle complete-once; exit }
zle -N zle-line-init
"""
"""What makes an interactive zsh complete one line, note the words that it offers, and end."""


def complete(place: Path, line: str) -> set[str]:
    """Return the words that zsh offers after a line."""
    answer = place / "answer"
    answer.write_text("")
    (place / ".zshrc").write_text(SETUP)
    env = make_environment(place) | {"ZDOTDIR": str(place), "ANSWER": str(answer), "LINE_TYPED": line}
    main, terminal = pty.openpty()
    try:
        shell = [str(shutil.which("zsh")), "-d", "-i"]
        subprocess.run(shell, cwd=place, env=env, stdin=terminal, stdout=terminal, stderr=terminal, timeout=60)
    finally:
        os.close(terminal)
        os.close(main)
    return set(answer.read_text().split())


@pytest.mark.quick_cases(6)
@needs_zsh
def test_zsh_completes(place, position) -> None:
    line, words = position
    answer = complete(place, line)
    if not line.rpartition(" ")[2].startswith("-"):
        answer = {word for word in answer if not word.startswith("-")}  # zsh offers options where nothing else may stand
    assert answer == {word.rpartition(",")[2] for word in words}


@needs_zsh
def test_zsh_finds_no_fault_in_the_script(asked) -> None:
    assert asked("zsh", "-n", "_ctxkit") == set()
