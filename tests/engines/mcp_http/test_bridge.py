"""The bridge as a process: what it reads, writes and ends with."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.mcp_http import INITIALIZE, HttpServer, raw


@pytest.fixture
def start(http_server: HttpServer) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    started = []

    def start(*, quiet: bool = False, path: str = "/raw") -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-P", "-m", "ctxkit.engines.mcp_http.bridge"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started.append(process)
        assert process.stdin
        process.stdin.write(json.dumps({"url": http_server.url + path, "headers": [["X-Mark", "bridge"]], "quiet": quiet}).encode() + b"\n")
        process.stdin.flush()
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_stdin_without_a_message_ends_it(start) -> None:
    assert start().communicate(b"\n\n", timeout=20) == (b"", b"")


def test_the_last_line_needs_no_newline_and_warnings_are_one_line(start) -> None:
    for quiet in (False, True):
        process = start(quiet=quiet)
        out, err = process.communicate(json.dumps(raw(status=500, type="text/\x1bplain")).encode(), timeout=20)
        assert json.loads(out)["error"]["code"] == -32603
        assert (process.returncode, err.count(b"\n")) == (0, 0 if quiet else 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_also_while_a_session_begins(start, number: signal.Signals) -> None:
    process = start()
    slow = {**INITIALIZE, "params": {"pieces": ["", ""], "pause": 30}}
    process.stdin.write(json.dumps(raw(2, status=500)).encode() + b"\n" + json.dumps(slow).encode() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 2
    process.send_signal(number)
    assert process.wait(10) == 128 + number


def test_a_reader_that_goes_away_ends_it(start) -> None:
    process = start()
    process.stdout.close()
    assert process.wait(10) == 128 + signal.SIGPIPE


def test_a_long_line_is_sent(start) -> None:
    process = start()
    line = json.dumps({**raw(pieces=['{"jsonrpc": "2.0", "id": 1, "result": {}}']), "padding": "x" * 20_000_000})
    out, err = process.communicate(line.encode() + b"\n", timeout=60)
    assert (json.loads(out)["id"], err) == (1, b"")
