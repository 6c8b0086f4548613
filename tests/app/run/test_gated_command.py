"""Notes on pipelines, from the setting to what a model sees."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ctxkit.app.run.gated_command import CommandLine, add_pipe_notes
from tests.conftest import Run


@pytest.mark.parametrize(
    ("command", "title", "masked", "words"),
    [
        (CommandLine(("ls", "a b")), "ls 'a b'", "ls 'a b'", ("ls", "a b")),
        (CommandLine(("x", "--token", "t")), "x --token t", "x --token ***", ("x", "--token", "t")),
        (
            CommandLine(("bash", "-c", "source s && eval 'git  log'"), "git  log --token=abcdef"),
            "git log --token=abcdef",
            "git  log --token=***",
            ("sh", "-c", "git  log --token=abcdef"),
        ),
    ],
)
def test_a_command_is_named_as_it_was_typed(command: CommandLine, title: str, masked: str, words: tuple[str, ...]) -> None:
    assert (command.title, command.masked_line, command.words) == (title, masked, words)


def test_a_title_is_short() -> None:
    assert len(CommandLine(("x" * 500,)).title) == 80


WINDOW = ("--window", "9000", "--tokenizer", "bytes/3")
SCRIPT = "(echo out; exit 3) | tail -1"
NOTE = "[ctxkit: (echo out; exit 3) exited 3 before | tail -1]\n"
SHELLS = [name for name in ("bash", "zsh") if shutil.which(name)]


def test_only_scripts_of_bash_and_zsh_change(under: Any) -> None:
    for argv in (("sh", "-c", SCRIPT), ("bash", "-xc", SCRIPT), ("bash", "--verbose", "-c", SCRIPT), ("bash", "a|b"), ("tail", "|")):
        assert add_pipe_notes(argv, under()) == argv
    assert add_pipe_notes(("/bin/bash", "-lc", SCRIPT, "x"), under(pipe_notes=False))[2] == SCRIPT
    changed = add_pipe_notes(("/bin/bash", "-lc", SCRIPT, "x"), under(pipe_notes=True))
    assert (changed[:2], changed[3:], SCRIPT in changed[2]) == (("/bin/bash", "-lc"), ("x",), True)
    assert changed[2] != SCRIPT


@pytest.mark.parametrize("shell", SHELLS)
def test_run_and_shell_tell_the_lost_status(run: Run, shell: str) -> None:
    for command in (("shell", *WINDOW, "-c", SCRIPT), ("run", *WINDOW, "--", shell, "-c", SCRIPT)):
        done = run(*command, env={"SHELL": shell})
        assert (done.status, done.out.decode()) == (0, f"out\n{NOTE}")
        assert run(*command, env={"SHELL": shell, "CTXKIT_PIPE_NOTES": "false"}).out == b"out\n"
        assert run(*command, env={"SHELL": shell, "CTXKIT_DISABLE": "1"}).out == b"out\n"


def test_the_command_in_claude_codes_script_has_its_notes(run: Run, tmp_path: Path) -> None:
    script = f"true && eval '{SCRIPT}; echo '\"'\"'a'\"'\"'' < /dev/null && pwd -P >| {tmp_path}/cwd"
    done = run("shell", *WINDOW, "--host", "claude-code", "-c", script, env={"SHELL": "/bin/bash"})
    assert done.out.decode() == f"out\n{NOTE}a\n"
    assert (tmp_path / "cwd").exists()


def test_a_project_does_not_turn_notes_off(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text("pipe_notes = false\n")
    done = run("shell", *WINDOW, "-c", SCRIPT, env={"SHELL": "/bin/bash"}, cwd=tmp_path)
    assert done.out.decode() == f"out\n{NOTE}"


def test_the_script_is_printed_and_not_run(run: Run, tmp_path: Path) -> None:
    done = run("shell", "--print", "-c", f"{SCRIPT}; touch planted", env={"SHELL": "/bin/bash"}, cwd=tmp_path)
    assert (done.status, list(tmp_path.glob("planted"))) == (0, [])
    assert subprocess.run(["bash", "-c", done.out], capture_output=True, cwd=tmp_path).stderr.decode() == NOTE
    assert run("shell", "--print", "-c", SCRIPT, env={"SHELL": "/bin/sh"}).out.decode() == SCRIPT
    assert run("shell", "--print").status == 2


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("host", ["codex", "pi"])
def test_a_host_with_a_shell_of_its_own_for_the_command_tells_it(
    run: Run, home: dict[str, str], ctxkit: str, shell: str, host: str
) -> None:
    assert run("init", host, "--yes").status == 0
    wrap = Path(home["XDG_DATA_HOME"], "ctxkit", "hosts", host, "wrap.sh")
    script = f"test -r {wrap} && . {wrap}; {SCRIPT}; exit 5"
    env = {**home, "PATH": f"{os.path.dirname(ctxkit)}:{os.environ['PATH']}"}
    done = subprocess.run([shell, "-c", script], capture_output=True, env=env, timeout=60)
    assert (done.returncode, done.stdout.decode()) == (5, f"out\n{NOTE}")
    script = f"test -r {wrap} && . {wrap}; seq 60000; echo a heron; seq 9000 # focus: heron"
    shown = subprocess.run([shell, "-c", script], capture_output=True, env=env, timeout=60).stdout
    assert b"\n## Focus: heron: 1 line\n- 60001: a heron\n" in shown
