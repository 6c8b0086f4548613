"""Sockets to listen on: this user's alone, and never in place of something else."""

import os
import socket
import stat
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ctxkit.core.errors import InputOutputError, UsageError
from ctxkit.engines.server import listener


@pytest.fixture
def path():
    with TemporaryDirectory() as folder:
        yield f"{folder}/s"


def test_connections_over_the_network_send_at_once() -> None:
    with listener.open_network_listener("127.0.0.1:0") as server, socket.create_connection(server.getsockname()):
        connection, _ = server.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_only_this_user_can_open_the_socket(path: str) -> None:
    with listener.open_unix_listener(path):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert listener.is_answered(path)


def test_the_socket_of_a_server_that_has_ended_is_replaced(path: str) -> None:
    listener.open_unix_listener(path).close()
    assert os.path.exists(path)
    assert not listener.is_answered(path)
    with listener.open_unix_listener(path):
        assert listener.is_answered(path)


def test_a_running_server_is_not_replaced(path: str) -> None:
    with listener.open_unix_listener(path):
        with pytest.raises(InputOutputError, match="a server listens here already"):
            listener.open_unix_listener(path)
        assert listener.is_answered(path)


@pytest.mark.parametrize("make", [lambda path: path.write_text("mine"), lambda path: path.mkdir(), lambda path: path.symlink_to("elsewhere")])
def test_what_is_not_a_socket_stays(path: str, make) -> None:
    make(Path(path))
    with pytest.raises(InputOutputError, match="is not a socket of this user"):
        listener.open_unix_listener(path)
    assert os.path.lexists(path)


@pytest.mark.parametrize("place", ["absent/s", "x" * 200])
def test_a_path_that_cannot_be_made_is_an_error(path: str, place: str) -> None:
    with pytest.raises(InputOutputError, match=place[:20]):
        listener.open_unix_listener(os.path.join(os.path.dirname(path), place))


def test_a_socket_is_removed_unless_a_server_answers_there(path: str) -> None:
    first = listener.open_unix_listener(path)
    identity = listener.identify_file(path)
    listener.remove_listener(path, identity)
    assert os.path.exists(path)
    first.close()
    listener.remove_listener(path, identity)
    assert not os.path.exists(path)


def test_a_file_in_the_place_of_the_socket_stays(path: str) -> None:
    with listener.open_unix_listener(path):
        identity = listener.identify_file(path)
        os.unlink(path)
        with open(path, "w") as file:
            file.write("theirs")
    listener.remove_listener(path, identity)
    with open(path) as file:
        assert file.read() == "theirs"
    assert listener.identify_file(f"{path}/none") == (0, 0)


@pytest.mark.parametrize("address", ["", "8787", "localhost:", ":1", "localhost:http", "localhost:70000", "localhost:-1"])
def test_an_address_has_a_host_and_a_port(address: str) -> None:
    with pytest.raises(UsageError, match="is not HOST:PORT"):
        listener.open_network_listener(address)


def test_a_network_listener_listens() -> None:
    with listener.open_network_listener("127.0.0.1:0") as opened:
        assert opened.getsockname()[0] == "127.0.0.1"
        with pytest.raises(InputOutputError):
            listener.open_network_listener(f"127.0.0.1:{opened.getsockname()[1]}")


@pytest.mark.parametrize("environ", [{}, {"LISTEN_FDS": "1"}, {"LISTEN_FDS": "1", "LISTEN_PID": "1"}, {"LISTEN_FDS": "x", "LISTEN_PID": "77"}])
def test_sockets_for_another_process_are_left_alone(environ: dict[str, str]) -> None:
    assert listener.take_inherited_listeners(environ, 77) == []


def test_sockets_of_the_service_manager_begin_at_3(path: str) -> None:
    pid = os.fork()
    if not pid:  # a process in which descriptor 3 can be replaced
        status = 1
        try:
            opened = listener.open_unix_listener(path)
            os.dup2(opened.fileno(), listener.FIRST_INHERITED)
            taken = listener.take_inherited_listeners({"LISTEN_FDS": "1", "LISTEN_PID": "5"}, 5)
            status = 0 if [entry.getsockname() for entry in taken] == [path] and taken[0].family == socket.AF_UNIX else 1
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0
