"""The output of a command that a shell runs, as core/hosts/wrap_script.py leaves it."""

import ast
import os
import subprocess
import sys

import pytest

from ctxkit.edge.wrapped_command import WrappedCommand


@pytest.fixture
def read(tmp_path):
    def read(shell: int, rest: bytes = b"", status: str = "") -> tuple[bytes, int, str, str]:
        (tmp_path / "first").write_bytes(b"first\n")
        (tmp_path / "command").write_text("make\n")
        if status:
            (tmp_path / "status").write_text(status)
        script = (
            "import sys; from ctxkit.edge.wrapped_command import WrappedCommand as Command;"
            "command = Command(sys.argv[1], int(sys.argv[2]));"
            "print([b''.join(command.read_output()), command.wait(), command.describe_failure(), command.script])"
        )
        argv = [sys.executable, "-c", script, str(tmp_path), str(shell)]
        done = subprocess.run(argv, input=rest, capture_output=True, timeout=60, check=True)
        assert not (tmp_path / "first").exists()
        return tuple(ast.literal_eval(done.stdout.decode()))

    return read


def test_the_first_part_and_the_rest_are_the_output(read) -> None:
    assert read(os.getpid(), b"rest", "3\n") == (b"first\nrest", 3, "Exit status 3", "make\n")


def test_a_shell_that_was_killed_leaves_no_status(read) -> None:
    with subprocess.Popen(["true"]) as shell:
        shell.wait()
    assert read(shell.pid) == (b"first\n", 0, "", "make\n")


def test_a_directory_without_a_first_part_is_an_error(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        WrappedCommand(str(tmp_path), os.getpid())


def test_a_script_that_is_not_there_is_unknown(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "first").touch()
    with open(os.devnull, encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert WrappedCommand(str(tmp_path), os.getpid()).script == ""
