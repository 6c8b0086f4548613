"""A socket with a server, with another program, without one, and none at all."""

import os
import socket
import threading
from pathlib import Path

import pytest

from ctxkit.engines.checkup import server_socket
from ctxkit.engines.checkup.server_socket import check_socket


def answer_once(path: str, reply: bytes) -> threading.Thread:
    """Listen at a path, and answer the first request."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()

    def serve() -> None:
        connection, _ = listener.accept()
        with listener, connection:
            connection.recv(1000)
            connection.sendall(reply)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


@pytest.mark.parametrize(("reply", "state"), [(b"HTTP/1.1 200 OK\r\n\r\n", "ok"), (b"220 mail\r\n", "bad")])
def test_what_answers_is_a_server_or_another_program(tmp_path: Path, reply: bytes, state: str) -> None:
    path = str(tmp_path / "s")
    thread = answer_once(path, reply)
    check = check_socket(path, is_named=True)
    thread.join()
    assert check is not None
    assert check.state == state


def test_a_socket_that_is_named_must_be_there(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    assert check_socket(path, is_named=False) is None
    check = check_socket(path, is_named=True)
    assert check is not None
    assert (check.state, check.value) == ("bad", f"{path}: does not exist")


def test_a_dead_socket_and_a_silent_server_are_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_socket, "SECONDS", 0.05)
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        for listens in (False, True):
            if listens:
                listener.listen()
            check = check_socket(path, is_named=False)
            assert check is not None
            assert (check.state, "no server answers" in check.value) == ("bad", True)
    assert os.path.exists(path)
