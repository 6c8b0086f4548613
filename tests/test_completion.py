"""The completion scripts are those that the commands give today, and complete in real shells."""

import shutil
import subprocess
from pathlib import Path

import pytest

from ctxkit import completion
from ctxkit.core.models import MODELS
from ctxkit.manual import tree
from ctxkit.registry import CACHE, VERBS

ROOT = Path(__file__).parents[1]
SCRIPTS = completion.scripts()
ALL = list(tree().walk())
QWEN = {name for name in MODELS if name.startswith("qwen3")}
POSITIONS = [
    ("ctxkit ga", {"gate"}),
    ("ctxkit ", set(VERBS)),
    ("ctxkit cache g", {"get", "gc"}),
    ("ctxkit cache ", set(CACHE)),
    ("ctxkit gate --mo", {"--model"}),
    ("ctxkit gate --model qwen3", QWEN),
    ("ctxkit gate --used 5 --model qwen3", QWEN),
    ("ctxkit gate --model haiku --hint r", {"read_file"}),
    ("ctxkit gate --tokenizer o2", {"o200k"}),
    ("ctxkit gate --window ", set()),
    ("ctxkit gate here", {"here.txt"}),
    ("ctxkit gate --events here", {"here.txt"}),
    ("ctxkit cache get --li", {"--lines"}),
    ("ctxkit cache get --lines 1:2 here", {"here.txt"}),
    ("ctxkit cache list ", set()),
    ("ctxkit run -- seq", {"seq"}),
    ("ctxkit run seq", {"seq"}),
    ("ctxkit run --model haiku -- ls here", {"here.txt"}),
    ("ctxkit run ls here", {"here.txt"}),
    ("ctxkit run -- gate --mo", set()),
]
BASH = """\
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_ctxkit && ((${#COMPREPLY[@]})) && printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "here.txt").write_text("")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("seq", "ls"):
        (tools / name).symlink_to(shutil.which(name))
    for name, text in SCRIPTS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def asked(place, *command):
    """Run a shell whose commands are few, and return its answer as a set of words."""
    shell = shutil.which(command[0])
    env = {"HOME": str(place), "PATH": str(place / "tools"), "LC_ALL": "C.UTF-8"}
    done = subprocess.run([shell, *command[1:]], cwd=place, env=env, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return {line.partition("\t")[0] for line in done.stdout.splitlines() if line}


def in_bash(place, *words):
    return asked(place, "bash", "--norc", "-c", BASH, "bash", "ctxkit.bash", *words)


@pytest.mark.skipif(not (ROOT / "completions").is_dir(), reason="no completions/ beside the tests")
def test_the_committed_scripts_are_the_generated_ones():
    committed = {path.name: path.read_text() for path in (ROOT / "completions").iterdir()}
    assert committed == SCRIPTS, "make pages writes them anew"


@pytest.mark.parametrize("verb", ALL, ids=lambda verb: verb.name)
def test_every_verb_and_every_option_is_in_each_script(verb):
    bash, zsh, fish = SCRIPTS["ctxkit.bash"], SCRIPTS["_ctxkit"], SCRIPTS["ctxkit.fish"]
    in_bash_ = bash.partition(f"'{verb.name}')\n")[2].partition(";;")[0].replace("'", " ").split()
    in_zsh = zsh.partition(f"\n_{verb.name.replace(' ', '_')}() {{")[2].partition("\n}")[0]
    in_fish = "\n".join(line for line in fish.splitlines() if f"'__ctxkit_at {verb.name}'" in line)
    for option in verb.options:
        for name in option.opts:
            assert name in in_bash_
            assert f"{name}[" in in_zsh or f"{name}=[" in in_zsh or f"{name}+[" in in_zsh
            assert (f" -l {name[2:]} " if name.startswith("--") else f" -s {name[1:]} ") in in_fish
    for below in verb.verbs:
        assert below.command.name in in_bash_
        assert f"'{below.command.name}:" in in_zsh
        assert f" -a {below.command.name} " in in_fish


def test_no_script_starts_ctxkit_or_python():
    for text in SCRIPTS.values():
        code = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        assert "python -m" not in code
        assert "_COMPLETE=" not in code


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize(("line", "words"), POSITIONS)
def test_bash_completes(place, line, words):
    assert in_bash(place, *line.split(" ")) == words


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_completes_a_value_after_an_equals_sign(place):
    assert in_bash(place, "ctxkit", "gate", "--model", "=", "qwen3") == QWEN
    assert in_bash(place, "ctxkit", "gate", "--hint", "=") == {"ctxkit", "sed", "read_file"}
    assert in_bash(place, "ctxkit", "gate", "--model", "=", "haiku", "--mo") == {"--model"}


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize(("line", "words"), POSITIONS)
def test_fish_completes(place, line, words):
    assert asked(place, "fish", "--no-config", "-c", f"source ctxkit.fish; complete -C '{line}'") == words


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_shows_what_a_verb_does():
    done = subprocess.run(
        ["fish", "--no-config", "-c", "source -; complete -C 'ctxkit ga'"],
        input=SCRIPTS["ctxkit.fish"],
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"gate\t{VERBS['gate'].removesuffix('.')}\n"


@pytest.mark.parametrize(("shell", "name"), [("bash", "ctxkit.bash"), ("zsh", "_ctxkit"), ("fish", "ctxkit.fish")])
def test_a_shell_finds_no_fault_in_its_script(place, shell, name):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    assert asked(place, shell, "-n", name) == set()
