"""Real sockets: which connections are taken, and how the server ends."""

import os
import signal
import socket
import threading
import time
from tempfile import TemporaryDirectory

import pytest

from ctxkit.core.errors import InputOutputError
from ctxkit.engines.server import http_server
from ctxkit.engines.server.http_server import is_of_this_user, serve_application
from ctxkit.engines.server.listener import open_unix_listener
from tests.servers import UnixConnection


class Echo:
    """Answers every request with its path."""

    requests = 0

    async def __call__(self, scope, receive, send) -> None:
        self.requests += 1
        body = scope["path"].encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        await send({"type": "http.response.body", "body": body})


@pytest.fixture
def path():
    with TemporaryDirectory() as folder:
        yield f"{folder}/s"


def read_path(path: str) -> bytes:
    connection = UnixConnection(path, 10)
    try:
        connection.request("GET", "/here")
        return connection.getresponse().read()
    except OSError as error:
        return type(error).__name__.encode()
    finally:
        connection.close()


def serve(path: str, visit, idle_seconds: float = 0) -> tuple[int, list]:
    """Serve in this process while a thread visits; return how it ended and what the visitor saw."""
    seen: list = []
    threads: list[threading.Thread] = []

    def start() -> None:
        threads.append(threading.Thread(target=lambda: seen.append(visit())))
        threads[0].start()

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        number = serve_application(Echo(), [open_unix_listener(path)], start, idle_seconds)
    finally:
        for signal_number, handler in before.items():
            signal.signal(signal_number, handler)
    threads[0].join()
    return number, seen


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_is_answered_and_a_signal_ends_the_server(path: str, number: int) -> None:
    def visit() -> bytes:
        answer = read_path(path)
        os.kill(os.getpid(), number)
        return answer

    assert serve(path, visit) == (number, [b"/here"])


def test_a_server_without_requests_ends_by_itself(path: str) -> None:
    began = time.monotonic()
    assert serve(path, lambda: read_path(path), idle_seconds=0.2) == (0, [b"/here"])
    assert 0.2 <= time.monotonic() - began < 10


def test_a_connection_of_another_user_is_closed(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "read_peer_uid", lambda _connection: os.geteuid() + 1)

    def visit() -> bytes:
        answer = read_path(path)
        os.kill(os.getpid(), signal.SIGTERM)
        return answer

    number, (answer,) = serve(path, visit)
    assert (number, answer) in [(signal.SIGTERM, b"RemoteDisconnected"), (signal.SIGTERM, b"ConnectionResetError"), (signal.SIGTERM, b"BrokenPipeError")]


def test_a_peer_that_is_not_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_connection: socket.socket) -> int:
        raise InputOutputError("not known")

    first, second = socket.socketpair()
    with first, second:
        assert is_of_this_user(first)
        monkeypatch.setattr(http_server, "read_peer_uid", fail)
        assert not is_of_this_user(first)
    with socket.socket(socket.AF_INET) as network:
        assert is_of_this_user(network)  # the token decides there
