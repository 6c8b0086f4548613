"""Real sockets: which connections are taken, and how the server ends."""

import asyncio
import os
import signal
import socket
import stat
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ctxkit.core.errors import InputOutputError, UsageError
from ctxkit.engines.server import http_server
from ctxkit.engines.server.http_server import is_of_this_user, make_room, open_unix_listener, serve_application
from tests.servers import UnixConnection


class Echo:
    """Answers every request with its path; /slow takes long, and is ended by ``drain``."""

    requests = 0

    def __init__(self) -> None:
        self.slow: list[asyncio.Event] = []

    async def drain(self, seconds: float) -> None:
        """Let slow requests wait for so long."""
        await asyncio.sleep(seconds)
        for event in self.slow:
            event.set()

    async def __call__(self, scope, receive, send) -> None:
        self.requests += 1
        if scope["path"] == "/slow":
            self.slow.append(asyncio.Event())
            await self.slow[-1].wait()
        body = scope["path"].encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        await send({"type": "http.response.body", "body": body})


@pytest.fixture
def path():
    with TemporaryDirectory() as folder:
        yield f"{folder}/s"


@pytest.fixture(autouse=True)
def _short_drain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "DRAIN_SECONDS", 0.2)


def read_path(path: str, target: str = "/here") -> bytes:
    connection = UnixConnection(path, 10)
    try:
        connection.request("GET", target)
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


def test_a_server_that_drains_still_listens(path: str) -> None:
    def visit() -> list[bytes]:
        answers: list[bytes] = []
        slow = threading.Thread(target=lambda: answers.append(read_path(path, "/slow")))
        slow.start()
        read_path(path)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.05)
        answers.append(read_path(path))
        slow.join()
        return answers

    assert serve(path, visit) == (signal.SIGTERM, [[b"/here", b"/slow"]])


def test_a_second_signal_ends_the_server_at_once(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "DRAIN_SECONDS", 60)

    def visit() -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.2)  # two signals at the same time are one

    began = time.monotonic()
    assert serve(path, visit)[0] == signal.SIGTERM
    assert time.monotonic() - began < 10


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


def connect(path: str, data: bytes = b"") -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(10)
    connection.connect(path)
    connection.sendall(data)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Return whether the server closes a connection within 10 seconds, and close it."""
    with connection:
        try:
            return connection.recv(1) == b""
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"POST /here HTTP/1.1\r\n",
        b"POST /here HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nthe",
        b"GET /here HTTP/1.1\r\nhost: x\r\n\r\nGET /here HTTP/1.1\r\nhost: x\r\n\r\nGET",
    ],
    ids=["nothing", "a part of the head", "a part of a body that nobody reads", "a part of a third head"],
)
def test_a_head_that_does_not_come_ends_the_connection(path: str, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(http_server, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(http_server, "KEEP_ALIVE_SECONDS", 1)

    def visit() -> tuple[bool, bytes]:
        connection, answers = connect(path, data), b""
        while answers.count(b"/here") < data.count(b"\r\n\r\n"):
            answers += connection.recv(1000)
        result = is_closed(connection), read_path(path)
        os.kill(os.getpid(), signal.SIGTERM)
        return result

    assert serve(path, visit) == (signal.SIGTERM, [(True, b"/here")])


def test_a_request_that_is_answered_may_take_longer(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "HEAD_SECONDS", 0.1)

    def visit() -> bytes:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
        return read_path(path, "/slow")

    assert serve(path, visit) == (signal.SIGTERM, [b"/slow"])


class Waiting:
    """A connection of a host that waits for a request, or is answered."""

    def __init__(self, host: str, began: float, *, is_waiting: bool = True) -> None:
        self.host, self.began, self.is_waiting = host, began, is_waiting
        self.transport, self.is_open = self, True

    def abort(self) -> None:
        self.is_open = False

    def is_closing(self) -> bool:
        return not self.is_open


def test_the_oldest_connection_that_waits_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("MAX_LOCAL", 2), ("MAX_NETWORK", 4), ("MAX_PER_HOST", 3)):
        monkeypatch.setattr(http_server, name, number)

    def admit(host: str, *others: Waiting) -> tuple[bool, list[float]]:
        """Return whether a host may connect, and which connections remain."""
        return make_room(others, host), [other.began for other in others if other.is_open]

    def local(began: float, **kind: bool) -> Waiting:
        return Waiting("", began, **kind)

    one, two = (lambda began, host=host, **kind: Waiting(host, began, **kind) for host in ("10.0.0.1", "10.0.0.2"))
    assert admit("10.0.0.1", one(1), one(2)) == (True, [1, 2])
    assert admit("10.0.0.1", one(3), one(1, is_waiting=False), one(2)) == (True, [3, 1])
    assert admit("10.0.0.1", *(one(at, is_waiting=False) for at in range(3))) == (False, [0, 1, 2])
    assert admit("10.0.0.2", one(3), one(2), one(1), two(4)) == (True, [3, 2, 4])
    assert admit("", one(3), one(2), one(1), two(4), local(1)) == (True, [3, 2, 1, 4, 1])
    assert admit("", local(2), local(1)) == (True, [2])
    assert admit("", local(2, is_waiting=False), local(1, is_waiting=False)) == (False, [2, 1])


def test_connections_beyond_the_limit_do_not_keep_others_out(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "MAX_LOCAL", 5)

    def visit() -> tuple[int, bytes]:
        idle = [connect(path, b"POST /here HTTP/1.1\r\n") for _ in range(20)]
        answer = read_path(path)
        for connection in idle[-4:]:
            connection.settimeout(0.1)
        still_open = [not is_closed(connection) for connection in idle]
        os.kill(os.getpid(), signal.SIGTERM)
        return sum(still_open), answer

    assert serve(path, visit) == (signal.SIGTERM, [(4, b"/here")])


def test_connections_over_the_network_send_at_once() -> None:
    with http_server.open_network_listener("127.0.0.1:0") as server, socket.create_connection(server.getsockname()):
        connection, _ = server.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_only_this_user_can_open_the_socket(path: str) -> None:
    with http_server.open_unix_listener(path):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert http_server.is_answered(path)


def test_the_socket_of_a_server_that_has_ended_is_replaced(path: str) -> None:
    http_server.open_unix_listener(path).close()
    assert os.path.exists(path)
    assert not http_server.is_answered(path)
    with http_server.open_unix_listener(path):
        assert http_server.is_answered(path)


def test_a_running_server_is_not_replaced(path: str) -> None:
    with http_server.open_unix_listener(path):
        with pytest.raises(InputOutputError, match="a server listens here already"):
            http_server.open_unix_listener(path)
        assert http_server.is_answered(path)


@pytest.mark.parametrize("make", [lambda path: path.write_text("mine"), lambda path: path.mkdir(), lambda path: path.symlink_to("elsewhere")])
def test_what_is_not_a_socket_stays(path: str, make) -> None:
    make(Path(path))
    with pytest.raises(InputOutputError, match="is not a socket of this user"):
        http_server.open_unix_listener(path)
    assert os.path.lexists(path)


@pytest.mark.parametrize("place", ["absent/s", "x" * 200])
def test_a_path_that_cannot_be_made_is_an_error(path: str, place: str) -> None:
    with pytest.raises(InputOutputError, match=place[:20]):
        http_server.open_unix_listener(os.path.join(os.path.dirname(path), place))


def test_a_socket_is_removed_unless_a_server_answers_there(path: str) -> None:
    first = http_server.open_unix_listener(path)
    identity = http_server.identify_file(path)
    http_server.remove_listener(path, identity)
    assert os.path.exists(path)
    first.close()
    http_server.remove_listener(path, identity)
    assert not os.path.exists(path)


def test_a_file_in_the_place_of_the_socket_stays(path: str) -> None:
    with http_server.open_unix_listener(path):
        identity = http_server.identify_file(path)
        os.unlink(path)
        with open(path, "w") as file:
            file.write("theirs")
    http_server.remove_listener(path, identity)
    with open(path) as file:
        assert file.read() == "theirs"
    assert http_server.identify_file(f"{path}/none") == (0, 0)


@pytest.mark.parametrize("address", ["", "8787", "localhost:", ":1", "localhost:http", "localhost:70000", "localhost:-1"])
def test_an_address_has_a_host_and_a_port(address: str) -> None:
    with pytest.raises(UsageError, match="is not HOST:PORT"):
        http_server.open_network_listener(address)


def test_a_network_listener_listens() -> None:
    with http_server.open_network_listener("127.0.0.1:0") as opened:
        assert opened.getsockname()[0] == "127.0.0.1"
        with pytest.raises(InputOutputError):
            http_server.open_network_listener(f"127.0.0.1:{opened.getsockname()[1]}")


@pytest.mark.parametrize("environ", [{}, {"LISTEN_FDS": "1"}, {"LISTEN_FDS": "1", "LISTEN_PID": "1"}, {"LISTEN_FDS": "x", "LISTEN_PID": "77"}])
def test_sockets_for_another_process_are_left_alone(environ: dict[str, str]) -> None:
    assert http_server.take_inherited_listeners(environ, 77) == []


def test_sockets_of_the_service_manager_begin_at_3(path: str) -> None:
    pid = os.fork()
    if not pid:  # a process in which descriptor 3 can be replaced
        status = 1
        try:
            opened = http_server.open_unix_listener(path)
            os.dup2(opened.fileno(), http_server.FIRST_INHERITED)
            taken = http_server.take_inherited_listeners({"LISTEN_FDS": "1", "LISTEN_PID": "5"}, 5)
            status = 0 if [entry.getsockname() for entry in taken] == [path] and taken[0].family == socket.AF_UNIX else 1
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0
