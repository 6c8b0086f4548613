"""A socket with a server, with another program, without one, and none at all."""

import os
import socket
import threading
from pathlib import Path

import pytest

from ctxkit.engines.checkup import services
from ctxkit.engines.checkup.services import check_server, check_socket
from tests.redis_servers import run_server


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
    monkeypatch.setattr(services, "SECONDS", 0.05)
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


pytest.importorskip("redis")


def test_a_server_that_refuses_or_says_nothing_is_a_problem() -> None:
    refused = check_server("redis://me:secret@127.0.0.1:1")
    assert (refused.state, refused.value.startswith("redis://127.0.0.1:1")) == ("bad", True)
    assert refused.hint.startswith("start the server, or change the setting store")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        silent = check_server(f"redis://127.0.0.1:{mute.getsockname()[1]}")
    assert silent.state == "bad"


@pytest.mark.slow
def test_a_server_that_answers_is_well_and_one_that_wants_a_password_is_not() -> None:
    with run_server() as server:
        assert check_server(server.url).state == "ok"
    with run_server("--requirepass", "secret") as server:
        check = check_server(f"redis://127.0.0.1:{server.port}")
        assert check.state == "bad"
        assert check.hint
