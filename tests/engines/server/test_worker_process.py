"""A forked process answers call after call, with files of its own, and ends with its channel."""

import json
import os
import socket

import pytest

from ctxkit.engines.server.worker_process import run_worker


def answer(call: dict, report_session) -> int:
    """Write what stdin has in capitals, and say what was left open."""
    os.write(1, os.read(0, 1_000).upper())
    os.write(2, json.dumps(sorted(map(int, os.listdir("/proc/self/fd")))).encode())
    return int(call["status"])


@pytest.fixture
def channel():
    """Return the parent's end of the channel of a process that answers."""
    ours, theirs = socket.socketpair()
    extra = os.open(os.devnull, os.O_RDONLY)
    pid = os.fork()
    if not pid:
        try:
            run_worker(theirs, answer)
        finally:
            os._exit(0)
    theirs.close()
    os.close(extra)
    yield ours
    ours.close()
    assert os.waitpid(pid, 0)[1] == 0


def ask(channel: socket.socket, body: bytes, status: int) -> tuple[bytes, bytes, bytes]:
    files = [os.memfd_create("test") for _ in range(3)]
    os.pwrite(files[0], body, 0)
    socket.send_fds(channel, [json.dumps({"status": status}).encode() + b"\n"], files)
    line = channel.recv(100)
    texts = [os.pread(number, 10_000, 0) for number in files[1:]]
    for number in files:
        os.close(number)
    return line, texts[0], texts[1]


def test_calls_are_answered_one_after_the_other(channel: socket.socket) -> None:
    for number in range(5):
        line, out, _ = ask(channel, b"word %d" % number, number)
        assert (line, out) == (b"%d\n" % number, b"WORD %d" % number)


def test_the_process_has_nothing_of_its_parent_open(channel: socket.socket) -> None:
    _, _, err = ask(channel, b"", 0)
    numbers = json.loads(err)
    assert numbers[:3] == [0, 1, 2]
    assert len(numbers) <= 5  # the channel, and the directory that is listed
