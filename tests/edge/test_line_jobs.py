"""Work in a process of its own."""

import os
import select
import signal
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.edge.line_jobs import PIECE, Job, JobProcess, LineBuffer, OutputBuffer, read_available


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
