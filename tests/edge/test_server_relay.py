"""Real servers behind the relay, which hands each line to a handler."""

import os
import select
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.edge.server_relay import PIECE, Job, JobProcess, LineBuffer, OutputBuffer, read_available

PROGRAM = """\
import sys
from ctxkit.edge.server_relay import Job
from ctxkit.edge.server_relay import ServerRelay

class Handler:
    def take_client_line(self, line):
        if line.startswith(b"own"):
            return b"", Job(lambda: b"answer to " + line, lambda data: data)
        return line, None

    def take_server_line(self, line):
        if line.startswith(b"slow"):
            import time
            return Job(lambda: time.sleep(0.5) or b"changed\\n", lambda data: data)
        return None

sys.exit(ServerRelay(sys.argv[1:], Handler()).run())
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    program, started = tmp_path / "relay.py", []
    program.write_text(PROGRAM)

    def start(*argv: str, **rest: object) -> "subprocess.Popen[bytes]":
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **rest}
        process = subprocess.Popen([sys.executable, str(program), *argv], cwd=tmp_path, **pipes)  # type: ignore[call-overload]
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def python(script: str) -> tuple[str, ...]:
    return sys.executable, "-c", textwrap.dedent(script)


def wait_for_end(pid: int, seconds: float = 5) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z":
                return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


def test_all_bytes_pass_in_both_directions(start) -> None:
    data = bytes(range(256)) * 3_000 + b"\nno newline at the end"
    process = start("cat")
    out, err = process.communicate(data, timeout=30)
    assert (process.returncode, out, err) == (0, data, b"")


@pytest.mark.slow
def test_a_line_of_100_mb_passes(start) -> None:
    data = b"x" * 100_000_000 + b"\n"
    assert start("cat").communicate(data, timeout=120)[0] == data


def test_stdin_may_be_a_file(start, tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"a\nb\n")
    with (tmp_path / "lines").open() as file:
        assert start("cat", stdin=file).communicate(timeout=30)[0] == b"a\nb\n"


def test_lines_pass_while_others_are_changed_one_after_another(start) -> None:
    process = start(*python("print('first\\nslow\\nlast\\nslow', flush=True); import sys; sys.stdin.read()"))
    assert [process.stdout.readline() for _ in range(2)] == [b"first\n", b"last\n"]
    lines = process.communicate(b"own 1\nother\n", timeout=30)[0].splitlines()
    assert lines[0] == b"changed"
    assert sorted(lines[1:]) == [b"answer to own 1", b"changed"]


def test_a_server_with_many_results_is_read_as_they_are_changed(start) -> None:
    process = start(*python("for n in range(300): print('own' if n % 2 else n)"))
    out = process.communicate(timeout=60)[0].split()
    assert sorted(out) == sorted([b"%d" % n for n in range(0, 300, 2)] + [b"own"] * 150)


def test_the_client_is_heard_while_a_line_is_changed(start, tmp_path: Path) -> None:
    script = f"print('slow', flush=True); import sys; open({str(tmp_path / 'heard')!r}, 'w').write(sys.stdin.readline())"
    process = start(*python(script))
    process.stdin.write(b"now\n")
    process.stdin.flush()
    until = time.monotonic() + 5
    while time.monotonic() < until and not (tmp_path / "heard").exists():
        time.sleep(0.01)
    assert process.communicate(timeout=30)[0] == b"changed\n"
    assert (tmp_path / "heard").read_text() == "now\n"


@pytest.mark.parametrize(("script", "status"), [("exit 3", 3), ("kill -9 $$", 137), ("kill -TERM $$", 143), ("echo last >&2; exit 0", 0)])
def test_the_status_and_stderr_are_those_of_the_server(start, script: str, status: int) -> None:
    process = start("sh", "-c", f"printf 'partial'; {script}")
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (status, b"partial")
    assert err == (b"last\n" if "last" in script else b"")


def test_a_server_that_ends_ends_the_relay_although_the_client_and_a_child_hold_the_pipes_open(start) -> None:
    process = start("sh", "-c", "sleep 3 & echo here; exit 4")
    assert process.wait(10) == 4
    assert process.stdout.read() == b"here\n"


def test_a_server_that_closes_its_stdin_is_read_to_its_end(start) -> None:
    process = start("sh", "-c", "exec 0<&-; sleep 0.3; echo end")
    assert process.communicate(b"x" * 300_000 + b"\n", timeout=30)[0] == b"end\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_descriptor_is_an_end_and_no_other_file(tmp_path: Path, closed: str) -> None:
    (tmp_path / "relay.py").write_text(PROGRAM)
    script = f"echo hello | '{sys.executable}' relay.py sh -c 'cat; echo bye; echo aside >&2' {closed}"
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, timeout=30)
    assert done.returncode == 0
    assert done.stdout == (b"" if ">&-" in closed and closed != "2>&-" else b"bye\n" if "<" in closed else b"hello\nbye\n")
    assert done.stderr == (b"" if "2>&-" in closed else b"aside\n")


def test_a_client_that_closes_its_end_ends_the_server(start) -> None:
    process = start("yes")
    process.stdout.close()
    assert process.wait(10) == 128 + signal.SIGPIPE


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_is_passed_on(start, number: signal.Signals) -> None:
    script = f"import signal, sys; signal.signal({int(number)}, lambda *_: sys.exit(9)); print('ready', flush=True); signal.pause()"
    process = start(*python(script))
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    assert process.wait(10) == 9


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of the death of its parent")
def test_no_server_outlives_a_relay_that_is_killed(start) -> None:
    process = start(*python("import os, signal; print(os.getpid(), flush=True); [signal.pause() for _ in iter(int, 1)]"))
    pid = int(process.stdout.readline())
    process.kill()
    assert wait_for_end(pid)


@pytest.mark.parametrize(("argv", "error"), [(("/nowhere/at/all",), b"FileNotFoundError"), (("",), b"FileNotFoundError"), (("/",), b"PermissionError")])
def test_a_server_that_cannot_start_is_an_error(start, argv: tuple[str, ...], error: bytes) -> None:
    assert error in start(*argv).communicate(timeout=30)[1]


def run(job: Job) -> bytes:
    process = JobProcess(job)
    while not process.read():
        select.select([process.descriptor], [], [], 10)
    return process.finish()


def fail() -> bytes:
    raise ValueError


def test_the_parent_gets_what_the_work_returns() -> None:
    assert run(Job(lambda: b"x" * 300_000, lambda data: b"" if data is None else data + b"!")) == b"x" * 300_000 + b"!"


def test_work_that_fails_or_dies_returns_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    def answer(data: bytes | None) -> bytes:
        return b"none" if data is None else data

    assert run(Job(fail, answer)) == b"none"
    assert capfd.readouterr().err == ""
    assert run(Job(lambda: os.kill(os.getpid(), signal.SIGKILL) or b"", answer)) == b"none"
    assert "was killed by signal 9" in capfd.readouterr().err


def test_work_is_ended() -> None:
    process = JobProcess(Job(lambda: signal.pause() or b"", lambda data: repr(data).encode(), 1_000_000))
    assert 60 < process.deadline - monotonic() <= 66
    process.kill()
    assert process.read()
    assert process.finish() == b"None"


@given(st.lists(st.binary(max_size=6).map(lambda data: data.replace(b"a", b"\n"))))
def test_lines_are_the_bytes_that_came(pieces: list[bytes]) -> None:
    buffer = LineBuffer()
    for piece in filter(None, pieces):
        buffer.add(piece)
    assert all(line.endswith(b"\n") for line in buffer.lines)
    buffer.add(b"")
    assert all(line.count(b"\n") <= 1 for line in buffer.lines)
    assert b"".join(buffer.lines) == b"".join(pieces)


def test_output_waits_until_the_reader_takes_it() -> None:
    reader, writer = os.pipe()
    for descriptor in (reader, writer):
        os.set_blocking(descriptor, False)
    output = OutputBuffer(writer, PIECE)
    for data in (b"", b"x" * 200_000, b"end"):
        output.add(data)
    assert output.size == 200_003
    taken = b""
    while output.size:
        output.write()
        taken += read_available(reader)
    assert taken == b"x" * 200_000 + b"end"
    output.add(b"more")
    os.close(reader)
    output.write()
    assert (output.size, output.is_open) == (0, False)
    output.add(b"more")
    assert output.size == 0
    os.close(writer)
    assert read_available(reader) == b""
