"""CTXKIT_DISABLE, exclude and include let output pass as it is."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Run

SMALL = ("--window", "2000", "--tokenizer", "bytes/3")
LONG = b"".join(b"row %d of many\n" % row for row in range(2000))
OFF = {"CTXKIT_DISABLE": "1"}


@pytest.fixture
def rows(tmp_path: Path) -> str:
    path = tmp_path / "rows"
    path.write_bytes(LONG)
    return str(path)


@pytest.mark.slow
def test_the_variable_lets_all_content_of_gate_pass(run: Run, home: dict[str, str]) -> None:
    assert run("gate", *SMALL, stdin=LONG).out != LONG
    assert run("gate", *SMALL, stdin=LONG, env=OFF).out == LONG
    assert run("gate", *SMALL, stdin=LONG, env={"CTXKIT_DISABLE": "0"}).out != LONG
    value = json.loads(run("gate", *SMALL, "--json", stdin=LONG, env=OFF).out)
    assert (value["result"], value["tokens"], value["content"].encode()) == ("raw", None, LONG)


def test_the_variable_changes_no_answer_of_check(run: Run) -> None:
    assert run("gate", *SMALL, "--check", stdin=LONG, env=OFF).status == 1


@pytest.mark.slow
def test_run_becomes_the_command(run_installed: Run, rows: str) -> None:
    done = run_installed("run", *SMALL, "--", "sh", "-c", f"cat {rows}; echo problem >&2; exit 3", env=OFF)
    assert (done.status, done.out, done.err) == (3, LONG, "problem\n")


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("program", "status"), [("no-such-program", 127), ("", 127), ("/", 126)])
def test_a_command_that_cannot_start_has_the_status_of_a_shell(run_installed: Run, program: str, status: int) -> None:
    on, off = (run_installed("run", *SMALL, "--", program, env=env) for env in ({}, OFF))
    assert (off.status, off.err, off.out) == (status, on.err, b"")


def test_run_reports_a_disabled_command_as_an_object(run: Run, rows: str) -> None:
    done = run("run", *SMALL, "--json", "--", "cat", rows, env={"CTXKIT_EXCLUDE": "cat"})
    value = json.loads(done.out)
    assert (value["result"], value["exit"], value["content"].encode()) == ("raw", 0, LONG)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("variable", "pattern", "passes"),
    [
        ("CTXKIT_EXCLUDE", "cat", True),
        ("CTXKIT_EXCLUDE", "git diff\ncat *", True),
        ("CTXKIT_EXCLUDE", "tac", False),
        ("CTXKIT_INCLUDE", "tac", True),
        ("CTXKIT_INCLUDE", "cat", False),
    ],
)
def test_lists_choose_the_output_that_is_gated(run: Run, rows: str, variable: str, pattern: str, passes: bool) -> None:
    env = {variable: pattern}
    assert (run("run", *SMALL, "--", "cat", rows, env=env).out == LONG) is passes
    assert (run("run", *SMALL, "--", "sh", "-c", f"true && cat {rows}", env=env).out == LONG) is passes
    assert (run("gate", *SMALL, "--name", f"cat {rows}", stdin=LONG, env=env).out == LONG) is passes


@pytest.mark.slow
def test_gate_without_a_name_is_not_subject_to_the_lists(run: Run, rows: str) -> None:
    assert run("gate", *SMALL, stdin=LONG, env={"CTXKIT_INCLUDE": "make"}).out != LONG


@pytest.mark.slow
def test_a_map_begins_with_the_status_of_its_command(run: Run) -> None:
    failed = run("gate", *SMALL, "--status", "3", "--name", "make test", stdin=LONG)
    assert failed.status == 0
    assert failed.out.startswith(b"Exit status 3\n")
    assert b"Exit status" not in run("gate", *SMALL, "--status", "0", stdin=LONG).out
    assert run("gate", *SMALL, "--status", "3", stdin=b"few\n").out == b"few\n"


@pytest.mark.parametrize("status", ["-1", "256", "x"])
def test_a_status_that_no_command_has_is_an_error(run: Run, status: str) -> None:
    done = run("gate", *SMALL, "--status", status, stdin=b"")
    assert done.status == 2
    assert "--status" in done.err


def test_a_disabled_run_keeps_the_terminal_of_its_caller(ctxkit: str, home: dict[str, str]) -> None:
    controller, terminal = os.openpty()
    argv = [ctxkit, "run", "--", "sh", "-c", "test -t 1 && echo terminal"]
    assert subprocess.run(argv, stdout=terminal, env={**home, **OFF}).returncode == 0
    assert os.read(controller, 100).split() == [b"terminal"]
    os.close(controller)
    os.close(terminal)


def test_a_disabled_run_ends_with_its_reader(ctxkit: str, home: dict[str, str]) -> None:
    argv = ["sh", "-c", f"{ctxkit} run -- yes | head -n 1"]
    done = subprocess.run(argv, capture_output=True, env={**home, **OFF}, timeout=60)
    assert (done.stdout, done.stderr) == (b"y\n", b"")
