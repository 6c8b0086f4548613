"""The door: what a command answers, and what goes wrong, becomes the exit status."""

import os
import re
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from ctxkit import __version__
from ctxkit.system.installation import DISTRIBUTION
from tests.conftest import Run

CRASH = "from ctxkit import main; from ctxkit.edge import command_group; main._exit_now(command_group.run_for_status(lambda: 1 // 0))"
MISUSES = [
    (("gaet",), "ctxkit: no such command: gaet; did you mean gate?\n  hint: ctxkit --help\n"),
    (("xyzzy",), "ctxkit: no such command: xyzzy\n  hint: ctxkit --help\n"),
    (("cache", "gte"), "ctxkit: no such command: gte; did you mean get?\n  hint: ctxkit cache --help\n"),
    (("gate", "--xyzzy"), "ctxkit: no such option: --xyzzy\n  hint: stdin goes through gate without it; ctxkit gate --help\nctxkit: warning: "),
    (("cache", "get"), "ctxkit: missing argument: REF|FILE\n  hint: ctxkit cache get --help\n"),
    (("cache", "rm"), "ctxkit: name the refs to remove, or --all\n"),
]


@pytest.mark.parametrize(("args", "err"), MISUSES, ids=[" ".join(args) or "nothing" for args, _ in MISUSES])
def test_a_misuse_is_status_2_and_says_what_and_where_to_read(run: Run, args, err: str) -> None:
    ran = run(*args)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == err or (err.endswith("warning: ") and ran.err.startswith(err))


def test_a_start_collects_no_garbage() -> None:
    code = (
        "import gc; from ctxkit.main import cli; before = gc.get_stats(); cli(['gate', '--help'], standalone_mode=False);"
        "print(sum(new['collections'] - old['collections'] for new, old in zip(gc.get_stats(), before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0"


def test_the_version_is_the_installed_one(run: Run) -> None:
    ran = run("--version")
    assert (ran.status, ran.err) == (0, "")
    assert re.fullmatch(rf"ctxkit {__version__} \((?:source tree|commit .*)\)\n", ran.out.decode())
    assert version(DISTRIBUTION) == __version__


@pytest.mark.parametrize("words", [(), ("gate",), ("cache",), ("cache", "get")])
def test_each_command_shows_the_version(run: Run, words) -> None:
    assert run(*words, "-V") == run("--version")


@pytest.mark.parametrize("words", [(), ("cache",), ("session",)])
def test_a_group_alone_shows_its_help(run: Run, words) -> None:
    assert run(*words) == run(*words, "--help")


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("words", [(), ("gate",), ("cache",), ("cache", "get")])
def test_help_is_on_stdout_with_status_0(run: Run, words, flag: str) -> None:
    ran = run(*words, flag)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(" ".join(["Usage: ctxkit", *words]).encode())


def test_a_missing_file_is_66(run: Run) -> None:
    ran = run("gate", "--window", "100", "absent.txt")
    assert (ran.status, ran.out, ran.err) == (66, b"", "ctxkit: absent.txt: No such file or directory\n")


def test_what_is_not_stored_is_1(run: Run) -> None:
    ran = run("cache", "get", "abcdef0")
    hint = "  hint: ctxkit cache list shows all content\n"
    assert (ran.status, ran.out, ran.err) == (1, b"", f"ctxkit: nothing is stored under abcdef0\n{hint}")


def test_a_bad_setting_is_78(run: Run) -> None:
    ran = run("gate", "--strict", stdin="x", env={"CTXKIT_WINDOW": "wide"})
    message = "ctxkit: CTXKIT_WINDOW: window = 'wide' is not a whole number\n"
    assert (ran.status, ran.out, ran.err) == (78, b"", message)


def test_a_crash_is_70_in_one_line_without_a_traceback(home: dict[str, str]) -> None:
    done = subprocess.run([sys.executable, "-c", CRASH], env=home, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (70, "")
    first, hint = done.stderr.splitlines()
    assert first.startswith("ctxkit: internal error: ZeroDivisionError: ")
    assert hint == "  hint: CTXKIT_DEBUG=1 shows where; please report it"


def test_debugging_shows_where_it_crashed(home: dict[str, str]) -> None:
    env = {**home, "CTXKIT_DEBUG": "1"}
    done = subprocess.run([sys.executable, "-c", CRASH], env=env, capture_output=True, text=True)
    assert done.stderr.startswith("Traceback (most recent call last):")
    assert "ZeroDivisionError" in done.stderr
    assert done.returncode != 0


def test_an_interrupt_is_130_and_silent(ctxkit: str, home: dict[str, str]) -> None:
    process = subprocess.Popen([ctxkit, "cache", "put"], env=home, stdin=-1, stdout=-1, stderr=-1)
    # More than a pipe holds: once this returns, the command is reading.
    process.stdin.write(b"x\n" * 200_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    status = process.wait(30)
    with process.stdin, process.stdout, process.stderr:
        assert (status, process.stdout.read(), process.stderr.read()) == (130, b"", b"")


def test_it_dies_of_sigpipe_silently_when_its_reader_has_left(ctxkit: str, home: dict[str, str], tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"line\n" * 400_000)
    command = [ctxkit, "cache", "get", str(large)]
    with subprocess.Popen(command, env=home, stdin=subprocess.DEVNULL, stdout=-1, stderr=-1) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == -signal.SIGPIPE


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("args", [("--version",), ("--help",), ("gate", "--window", "100"), ("cache", "put")])
def test_a_full_disk_is_74(ctxkit: str, home: dict[str, str], args) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([ctxkit, *args], env=home, input=b"text\n", stdout=full, stderr=-1, text=False)
    assert (done.returncode, done.stderr) == (74, b"ctxkit: No space left on device\n")


def test_a_closed_stderr_costs_nothing_but_the_message(ctxkit: str, home: dict[str, str]) -> None:
    done = subprocess.run(["bash", "-c", '"$0" gate --window 100 absent.txt 2>&-', ctxkit], env=home)
    assert done.returncode == 66


def test_python_m_ctxkit_is_the_same_door(home: dict[str, str]) -> None:
    done = subprocess.run([sys.executable, "-m", "ctxkit", "gaet"], env=home, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, MISUSES[0][1])


def test_an_interrupt_while_modules_load_is_silent(tmp_path: Path, home: dict[str, str]) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")
    env = {**home, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-m", "ctxkit", "--version"], env=env, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_directory_on_stdin_ends_the_interpreter_before_us(ctxkit: str, home: dict[str, str], tmp_path: Path) -> None:
    """No code of ours runs: Python checks its stdin first. The status is no yes, and the message names the cause."""
    descriptor = os.open(tmp_path, os.O_RDONLY)
    try:
        done = subprocess.run([ctxkit, "gate", "--window", "8192"], stdin=descriptor, capture_output=True, env=home)
    finally:
        os.close(descriptor)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"<stdin> is a directory" in done.stderr
