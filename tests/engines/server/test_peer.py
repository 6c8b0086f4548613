"""The system says who is at the other end of a socket."""

import os
import socket
from tempfile import TemporaryDirectory

import pytest

from ctxkit.core.errors import InputOutputError
from ctxkit.engines.server.peer import read_peer_uid


def test_the_other_end_of_a_pair_is_this_user() -> None:
    first, second = socket.socketpair()
    with first, second:
        assert read_peer_uid(first) == read_peer_uid(second) == os.geteuid()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_seen() -> None:
    with TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:  # no folder above it is this user's alone
        path = f"{folder}/s"
        listener.bind(path)
        listener.listen()
        listener.settimeout(20)
        os.chmod(path, 0o777)
        os.chmod(folder, 0o755)
        child = os.fork()
        if not child:
            try:
                os.setuid(65_534)
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(path)
                    client.recv(1)
            finally:
                os._exit(0)
        connection, _ = listener.accept()
        with connection:
            assert read_peer_uid(connection) == 65_534
        os.waitpid(child, 0)


def test_a_socket_without_a_peer_is_an_error() -> None:
    closed = socket.socket(socket.AF_UNIX)
    closed.close()
    with pytest.raises(InputOutputError, match="the user of a connection is not known"):
        read_peer_uid(closed)
