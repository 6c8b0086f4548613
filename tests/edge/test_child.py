"""Real commands, run and read as ``ctxkit run`` does it."""

import ast
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from ctxkit.edge.child import NOT_FOUND, TIMED_OUT, Child, OutputPipe, WrappedCommand
from tests.processes import wait_until_gone


def sh(script, timeout=None):
    return Child(["sh", "-c", script], timeout)


def run(child):
    """Return all that a command writes, and its status."""
    return b"".join(child.read_output()), child.wait()


def test_both_streams_come_in_the_order_in_which_they_were_written() -> None:
    script = "for n in 1 2 3; do echo out $n; echo err $n >&2; done"
    assert run(sh(script)) == (b"out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n", 0)


def test_every_byte_comes_as_it_is() -> None:
    script = "import os; os.write(1, bytes(range(256)) * 4000)"
    assert run(Child([sys.executable, "-c", script])) == (bytes(range(256)) * 4000, 0)


def test_output_comes_while_the_command_still_runs(tmp_path: Path) -> None:
    child = sh(f"echo first; while [ ! -e {tmp_path}/go ]; do sleep 0.02; done; echo second")
    output = child.read_output()
    assert next(output) == b"first\n"
    (tmp_path / "go").touch()
    assert b"".join(output) == b"second\n"
    assert child.wait() == 0


@pytest.mark.parametrize(
    ("script", "status", "ending"),
    [
        ("true", 0, ""),
        ("exit 3", 3, "Exit status 3"),
        ("exit 255", 255, "Exit status 255"),
        ("kill -TERM $$", 143, "Exit status 143: killed by SIGTERM"),
        ("kill -KILL $$", 137, "Exit status 137: killed by SIGKILL"),
        ("exit 124", TIMED_OUT, "Exit status 124"),
    ],
)
def test_a_status_is_the_shells_and_is_put_into_words(script: str, status, ending: str) -> None:
    child = sh(script)
    assert run(child) == (b"", status)
    assert child.describe_failure() == ending
    assert child.wait() == status


@pytest.mark.skipif(sys.platform != "linux", reason="real-time signals")
def test_a_signal_without_a_name_is_told_by_its_number() -> None:
    child = Child([sys.executable, "-c", f"import os; os.kill(os.getpid(), {signal.SIGRTMIN + 3})"])
    run(child)
    assert child.describe_failure() == f"Exit status {128 + signal.SIGRTMIN + 3}: killed by signal {signal.SIGRTMIN + 3}"


def test_what_cannot_start_raises_and_leaves_signals_and_descriptors_alone(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM), sorted(os.listdir("/dev/fd"))
    with pytest.raises(FileNotFoundError):
        Child([str(tmp_path / "nothing")])
    with pytest.raises(PermissionError):
        Child([str(tmp_path)])
    assert (signal.getsignal(signal.SIGTERM), sorted(os.listdir("/dev/fd"))) == before
    assert NOT_FOUND == 127


def test_once_it_has_ended_signals_are_ours_again() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)]
    run(sh("true"))
    assert before == [
        signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    ]


def test_a_command_out_of_time_is_asked_to_end_and_what_it_says_to_that_comes_too() -> None:
    child = sh("trap 'echo bye; exit 5' TERM; echo hello; while :; do sleep 0.05; done", 0.3)
    output, status = run(child)
    assert output.startswith(b"hello\n")  # some shells tell of their child's end in between
    assert output.endswith(b"bye\n")
    assert status == TIMED_OUT
    assert child.describe_failure() == "Exit status 124: stopped after 0.3 s"


def test_a_command_that_will_not_end_is_killed() -> None:
    start = time.monotonic()
    child = Child(["sh", "-c", "trap '' TERM; echo hello; while :; do sleep 0.05; done"], 0.2, kill_after=0.2)
    assert run(child) == (b"hello\n", TIMED_OUT)
    assert time.monotonic() - start < 20


def test_a_command_that_ends_in_time_is_not_stopped() -> None:
    child = sh("echo done", 30)
    assert run(child) == (b"done\n", 0)
    assert child.describe_failure() == ""


def test_time_is_up_for_a_silent_command_whose_output_nobody_reads() -> None:
    child = sh("exec >&- 2>&-; sleep 30", 0.2)
    start = time.monotonic()
    assert run(child) == (b"", TIMED_OUT)
    assert time.monotonic() - start < 20


def test_a_grandchild_that_keeps_the_pipe_open_is_not_waited_for() -> None:
    start = time.monotonic()
    child = sh("sleep 60 & echo $!")
    output, status = run(child)
    os.kill(int(output), signal.SIGKILL)
    assert status == 0
    assert time.monotonic() - start < 20


def test_what_a_grandchild_says_right_afterwards_still_counts() -> None:
    assert run(sh("(sleep 0.1; echo late) & echo early")) == (b"early\nlate\n", 0)


def test_a_grandchild_that_never_stops_talking_is_not_listened_to_for_ever() -> None:
    start = time.monotonic()
    child = sh("(sleep 0.1; while :; do echo more; sleep 0.02; done) & echo $!; exit 7")
    output, status = run(child)
    os.kill(int(output.split(b"\n")[0]), signal.SIGKILL)
    assert status == 7
    assert b"\nmore\n" in output
    assert time.monotonic() - start < 20


PARENT = textwrap.dedent(
    """
    import sys
    from ctxkit.edge.child import Child
    child = Child(["sh", "-c", sys.argv[1]], kill_after=0.5)
    for piece in child.read_output():
        sys.stdout.buffer.write(piece)
        sys.stdout.flush()
    print("status", child.wait(), child.describe_failure(), flush=True)
    """
)


def parent(script):
    return subprocess.Popen(
        [sys.executable, "-c", PARENT, script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        process_group=0,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "QUIT"])
def test_a_signal_is_handed_on_and_the_answer_arrives(name: str) -> None:
    script = f"trap 'echo got {name}; exit 9' {name}; echo ready; while :; do sleep 0.02; done"
    with parent(script) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(getattr(signal, f"SIG{name}"))
        assert process.stdout.read().endswith(f"got {name}\nstatus 9 Exit status 9\n".encode())
        assert process.wait(10) == 0


def test_a_signal_reaches_the_grandchildren_too() -> None:
    with parent("(trap 'echo inner; exit' TERM; echo ready; while :; do sleep 0.02; done) & wait") as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGTERM)
        said = process.stdout.read()
    assert b"inner\n" in said
    assert said.endswith(b"status 143 Exit status 143: killed by SIGTERM\n")


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(("first", "second"), [("INT", "INT"), ("TERM", "TERM"), ("INT", "TERM"), ("TERM", "INT")])
def test_a_second_interruption_leaves_the_group_some_seconds_and_then_kills_it(first: str, second: str) -> None:
    deaf = "trap '' INT TERM; (while :; do sleep 0.05; done) & echo $!; while :; do sleep 0.05; done"
    with parent(deaf) as process:
        inner = int(process.stdout.readline())
        process.send_signal(getattr(signal, f"SIG{first}"))
        with pytest.raises(subprocess.TimeoutExpired):  # the first one is only relayed: a REPL lives on after it
            process.wait(0.5)
        process.send_signal(getattr(signal, f"SIG{second}"))
        assert process.stdout.read().endswith(b"status 137 Exit status 137: killed by SIGKILL\n")
    assert wait_until_gone(inner)


def test_a_second_interruption_lets_a_command_end_by_itself() -> None:
    script = "trap 'n=$((n+1)); if [ $n = 2 ]; then echo bye; exit 4; fi; echo once' INT; echo ready; "
    with parent(script + "while :; do sleep 0.02; done") as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        while process.stdout.readline() != b"once\n":
            pass
        process.send_signal(signal.SIGINT)
        assert process.stdout.read().endswith(b"bye\nstatus 4 Exit status 4\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_command_starts_reaches_it(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    start = subprocess.Popen

    def start_slowly(*args, **named):
        process = start(*args, **named)
        os.kill(os.getpid(), number)
        return process

    before = signal.getsignal(number)
    monkeypatch.setattr(subprocess, "Popen", start_slowly)
    assert run(Child(["sleep", "60"])) == (b"", 128 + number)
    assert signal.getsignal(number) is before


def test_a_command_that_cannot_start_leaves_the_handlers_as_they_were() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(OSError, match="No such file"):
        Child(["/no/such/program"])
    assert signal.getsignal(signal.SIGINT) is before


def read(pipe: OutputPipe, ended: bool) -> bytes:
    return b"".join(pipe.read(lambda: ended, lambda: 0.02, ticks=True))


def test_all_is_read_until_the_writers_have_closed_the_pipe() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"abc")
    os.close(writer)
    pipe = OutputPipe(reader)
    assert read(pipe, ended=False) == b"abc"
    assert not pipe.is_open
    assert not pipe.has_writers()


def test_a_pipe_that_somebody_keeps_open_is_not_waited_for_after_the_end() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"abc")
    pipe = OutputPipe(reader)
    begin = time.monotonic()
    assert read(pipe, ended=True) == b"abc"
    assert time.monotonic() - begin < 10
    assert pipe.has_writers()
    os.close(writer)
    assert not pipe.has_writers()
    assert list(pipe.read_all()) == []
    pipe.close()


def test_a_pause_is_a_tick() -> None:
    reader, writer = os.pipe()
    pipe = OutputPipe(reader)
    script = "import os, sys, time; time.sleep(0.3); os.write(int(sys.argv[1]), b'late')"
    with subprocess.Popen([sys.executable, "-c", script, str(writer)], pass_fds=[writer]):
        os.close(writer)
        pieces = list(pipe.read(lambda: False, lambda: 0.02, ticks=True))
    assert b"" in pieces
    assert b"".join(pieces) == b"late"


@pytest.fixture
def read_wrapped(tmp_path):
    def read_wrapped(shell: int, rest: bytes = b"", status: str = "") -> tuple[bytes, int, str, str]:
        (tmp_path / "first").write_bytes(b"first\n")
        (tmp_path / "command").write_text("make\n")
        if status:
            (tmp_path / "status").write_text(status)
        script = (
            "import sys; from ctxkit.edge.child import WrappedCommand as Command;"
            "command = Command(sys.argv[1], int(sys.argv[2]));"
            "print([b''.join(command.read_output()), command.wait(), command.describe_failure(), command.script])"
        )
        argv = [sys.executable, "-c", script, str(tmp_path), str(shell)]
        done = subprocess.run(argv, input=rest, capture_output=True, timeout=60, check=True)
        assert not (tmp_path / "first").exists()
        return tuple(ast.literal_eval(done.stdout.decode()))

    return read_wrapped


def test_the_first_part_and_the_rest_are_the_output(read_wrapped) -> None:
    assert read_wrapped(os.getpid(), b"rest", "3\n") == (b"first\nrest", 3, "Exit status 3", "make\n")


def test_a_shell_that_was_killed_leaves_no_status(read_wrapped) -> None:
    with subprocess.Popen(["true"]) as shell:
        shell.wait()
    assert read_wrapped(shell.pid) == (b"first\n", 0, "", "make\n")


def test_a_directory_without_a_first_part_is_an_error(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        WrappedCommand(str(tmp_path), os.getpid())


def test_a_script_that_is_not_there_is_unknown(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "first").touch()
    with open(os.devnull, encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert WrappedCommand(str(tmp_path), os.getpid()).script == ""
