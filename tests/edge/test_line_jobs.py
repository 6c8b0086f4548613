"""Work in a process of its own."""

import os
import select
import signal
from time import monotonic

import pytest

from ctxkit.edge.line_jobs import Job, JobProcess


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
