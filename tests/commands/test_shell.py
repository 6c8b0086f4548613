"""A shell whose output is gated: for hosts that run the scripts of a model."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import Run

SMALL = ("--window", "2000", "--tokenizer", "bytes/3")
BASH = {"SHELL": "/bin/bash"}


def claude(command: str, tmp_path: Path) -> str:
    """Return a script as Claude Code makes it."""
    snapshot = "source /nowhere/shell-snapshots/snapshot-bash-1-x.sh 2>/dev/null || true && "
    quoted = command.replace("'", "'\"'\"'")
    return f"{snapshot}eval '{quoted}' < /dev/null && pwd -P >| {tmp_path}/claude-1-cwd"


@pytest.mark.parametrize("status", [0, 3, 255])
def test_output_that_fits_and_the_status_are_those_of_the_shell(run: Run, status: int) -> None:
    done = run("shell", *SMALL, "-c", f"echo out; echo err >&2; exit {status}", env=BASH)
    assert (done.status, done.out) == (status, b"out\nerr\n")


@pytest.mark.slow
def test_other_output_becomes_a_map_with_the_script_as_its_title(run: Run) -> None:
    done = run("shell", *SMALL, "-c", "seq 5000; exit 3", env=BASH)
    assert done.status == 3
    assert done.out.startswith(b"Exit status 3\n# seq 5000; exit 3 (5,000 lines")


def test_the_script_gets_its_arguments_and_stdin(run: Run) -> None:
    assert run("shell", *SMALL, "-c", 'echo "$0-$1"; cat', "a", "b", stdin=b"in\n", env=BASH).out == b"a-b\nin\n"
    assert run("shell", *SMALL, "-lc", "shopt -q login_shell && echo login", env=BASH).out == b"login\n"


@pytest.mark.slow
def test_a_file_is_run_as_the_shell_runs_it(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "script.sh"
    script.write_text('seq "$1"; exit 4\n')
    done = run("shell", *SMALL, str(script), "5000", env=BASH)
    assert done.status == 4
    assert done.out.startswith(b"Exit status 4\n")


def test_without_a_variable_the_shell_is_sh(run: Run) -> None:
    assert run("shell", *SMALL, "-c", "echo $0", env={"SHELL": ""}).out == b"bash\n"


def test_an_empty_script_reads_no_stdin(run: Run) -> None:
    done = run("shell", *SMALL, "-c", "", stdin=b"seq 3\n", env=BASH)
    assert (done.status, done.out) == (0, b"")


def test_without_a_script_the_shell_reads_stdin_itself(run_installed: Run) -> None:
    assert run_installed("shell", stdin=b"seq 5000\nexit 5\n", env=BASH).out.count(b"\n") == 5000


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ("exec seq 3", 3),
        ("set -e; seq 3; false; seq 9", 3),
        ("trap 'seq 2' EXIT; seq 3", 5),
        ("bash -c 'bash -c \"seq 3\"'", 3),
        ("(seq 2; exit 1) || seq 1", 3),
        (r"printf '\033[31mred\033[0m\n'", 1),
    ],
)
def test_scripts_behave_as_in_a_shell(run: Run, script: str, lines: int) -> None:
    plain = subprocess.run(["bash", "-c", script], capture_output=True)
    done = run("shell", *SMALL, "-c", script, env=BASH)
    assert (done.status, done.out) == (plain.returncode, plain.stdout)
    assert done.out.count(b"\n") == lines


@pytest.mark.slow
def test_the_title_for_claude_code_is_what_the_model_typed(run: Run, tmp_path: Path) -> None:
    script = claude("cd sub && seq 50000; echo \"it's\"", tmp_path)
    (tmp_path / "sub").mkdir()
    done = run("shell", "--host", "claude-code", "-c", script, env=BASH, cwd=tmp_path)
    assert done.out.startswith(b'# cd sub && seq 50000; echo "it\'s" (50,001 lines')
    assert len(done.out) < 12_000
    assert (tmp_path / "claude-1-cwd").read_text() == f"{tmp_path}/sub\n"
    assert done.err == ""


def test_what_claude_code_itself_lets_in_passes(run: Run, tmp_path: Path) -> None:
    script = claude("yes 'some words here' | head -n 1200", tmp_path)
    assert run("shell", "--host", "claude-code", "-c", script, env=BASH).out == b"some words here\n" * 1200


@pytest.mark.slow
def test_options_and_settings_beat_the_limits_of_a_host(run: Run, tmp_path: Path) -> None:
    script = claude("seq 5000", tmp_path)
    raw = b"".join(b"%d\n" % number for number in range(1, 5001))
    for flags, env in ((("--limit", "100000"), {}), ((), {"CTXKIT_EXCLUDE": "seq"})):
        assert run("shell", "--host", "claude-code", *flags, "-c", script, env={**BASH, **env}).out == raw
    assert run("shell", "--host", "claude-code", "-c", script, env={**BASH, "CTXKIT_WINDOW": "2000"}).out != raw


@pytest.mark.parametrize("before", ["CTXKIT_DISABLE=1 ", "export CTXKIT_DISABLE=1; "])
def test_an_assignment_in_the_script_turns_the_gate_off(run_installed: Run, before: str, tmp_path: Path) -> None:
    done = run_installed("shell", "--host", "claude-code", "-c", claude(f"{before}seq 50000", tmp_path), env=BASH)
    assert done.out.count(b"\n") == 50_000


def test_a_server_prints_its_first_line_at_once(ctxkit: str, home: dict[str, str]) -> None:
    script = "python3 -u -c 'import time; print(\"ready\"); time.sleep(60)' & wait"
    with subprocess.Popen(
        [ctxkit, "shell", *SMALL, "-c", script], stdout=subprocess.PIPE, env={**home, **BASH}, start_new_session=True
    ) as process:
        assert process.stdout is not None
        begin = time.monotonic()
        assert process.stdout.readline() == b"ready\n"
        assert time.monotonic() - begin < 30
        os.killpg(process.pid, signal.SIGKILL)


def test_output_passes_where_the_gate_fails(run: Run, no_store: dict[str, str]) -> None:
    done = run("shell", *SMALL, "-c", "seq 20; exit 2", env={**BASH, **no_store, "CTXKIT_WINDOW": "nonsense"})
    assert (done.status, done.out.count(b"\n")) == (2, 20)


def test_an_unknown_host_is_an_error(run: Run) -> None:
    done = run("shell", "--host", "emacs", "-c", "true")
    assert done.status == 2
    assert "'emacs' is not" in done.err


def test_a_shell_that_does_not_exist_has_the_status_of_a_shell(run: Run) -> None:
    done = run("shell", *SMALL, "-c", "true", env={"SHELL": "/no/such/shell"})
    assert (done.status, done.err) == (127, "ctxkit: /no/such/shell: command not found\n")
