"""The small client: against a real server, and against what is none."""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable
from tempfile import TemporaryDirectory

import pytest

from ctxkit.core.errors import InputOutputError
from ctxkit.engines import server_client
from ctxkit.engines.server_client import ServerClient


@pytest.fixture
def listen():
    """Answer each connection with a function of what it sends; return the path."""
    with TemporaryDirectory() as folder:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{folder}/s")
        listener.listen()
        threads: list[threading.Thread] = []

        def start(answer: Callable[[socket.socket], None], times: int = 1) -> str:
            def serve() -> None:
                for _ in range(times):
                    connection, _ = listener.accept()
                    with connection:
                        answer(connection)

            threads.append(threading.Thread(target=serve))
            threads[-1].start()
            return f"{folder}/s"

        yield start
        for thread in threads:
            thread.join(10)
        listener.close()


def send(*pieces: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        connection.recv(100_000)
        for piece in pieces:
            connection.sendall(piece)

    return answer


def test_the_body_of_an_answer_is_returned(listen) -> None:
    path = listen(send(b"HTTP/1.1 200 OK\r\nContent-", b"Length: 6\r\n", b"\r\nsix", b" by"))
    client = ServerClient(path)
    assert client.post("/x", {"a": "b"}, b"body") == b"six by"
    client.close()


def test_a_connection_serves_several_requests(listen) -> None:
    def answer(connection: socket.socket) -> None:
        for _ in range(3):
            head, _, body = connection.recv(100_000).partition(b"\r\n\r\n")
            assert head.splitlines()[:3] == [b"POST /echo HTTP/1.1", b"host: ctxkit", b"content-length: %d" % len(body)]
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)

    client = ServerClient(listen(answer))
    assert [client.post("/echo", {}, text) for text in (b"a", b"", b"ccc")] == [b"a", b"", b"ccc"]
    client.close()


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 409 Conflict\r\ncontent-length: 2\r\n\r\nno",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n",
        b"garbage",
        b"",
        b"x" * 100_000,
    ],
)
def test_anything_but_a_whole_answer_is_an_error(listen, answer: bytes) -> None:
    with pytest.raises(OSError):
        ServerClient(listen(send(answer))).post("/x", {}, b"")


def test_a_length_that_is_no_number_is_an_error(listen) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        ServerClient(listen(send(b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n"))).post("/x", {}, b"")


@pytest.mark.parametrize("name", ["absent", "file"])
def test_no_server_is_an_error(tmp_path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        ServerClient(str(tmp_path / name)).post("/x", {}, b"")


def test_the_server_of_another_user_gets_nothing(listen, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    path = listen(lambda connection: seen.append(connection.recv(100)))
    monkeypatch.setattr(server_client, "read_peer_uid", lambda _connection: os.geteuid() + 1)
    with pytest.raises(InputOutputError, match="belongs to another user"):
        ServerClient(path).post("/x", {}, b"secret")
    while not seen:
        pass
    assert seen == [b""]


def test_a_server_that_is_stopped_holds_nobody(listen) -> None:
    """The system connects, but nothing answers: neither the request nor the question whether the server runs."""
    asked = threading.Event()
    path = listen(lambda _connection: asked.wait(20))
    began = time.monotonic()
    for body in (b"short", b"x" * 4_000_000):
        with pytest.raises(TimeoutError):
            ServerClient(path).post("/x", {}, body)
    assert time.monotonic() - began < 0.6
    asked.set()


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"])
def test_bytes_that_trickle_hold_nobody(listen, beginning: bytes) -> None:
    def answer(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.sendall(beginning)
            while True:
                connection.sendall(b"x")
                time.sleep(0.05)

    path = listen(lambda connection: threading.Thread(target=answer, args=(connection.dup(),)).start(), 2)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        ServerClient(path).post("/x", {}, b"")
    assert time.monotonic() - began < 0.3


def test_a_server_that_runs_may_take_longer(listen) -> None:
    answered = threading.Event()

    def answer(connection: socket.socket) -> None:
        if connection.recv(100_000).startswith(b"GET /v1/health"):
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
            answered.set()
        else:
            threading.Thread(target=finish, args=(connection.dup(),)).start()

    def finish(connection: socket.socket) -> None:
        with connection:
            answered.wait(20)
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    assert ServerClient(listen(answer, 2)).post("/x", {}, b"") == b"ok"
