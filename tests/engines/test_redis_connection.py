"""What sets up a connection travels with its first command, and its errors are reported."""

import errno
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from redis import exceptions

from bench.fleet import TripCounter
from ctxkit.core.store.address import StoreAddress, parse_address
from ctxkit.engines.redis_connection import ServerError, describe_error, find_refusal, list_setup
from ctxkit.engines.redis_server import RedisServer
from tests.conftest import Run
from tests.redis_servers import Server, find_free_port, run_server


@pytest.mark.parametrize(
    ("address", "commands"),
    [
        (StoreAddress("h"), []),
        (StoreAddress("h", db=3), [("SELECT", 3)]),
        (StoreAddress("h", password="p"), [("AUTH", "p")]),
        (StoreAddress("h", user="u", password="p", db=1), [("AUTH", "u", "p"), ("SELECT", 1)]),
    ],
)
def test_only_what_the_address_needs_is_sent(address: StoreAddress, commands: list[tuple[object, ...]]) -> None:
    assert list_setup(address) == commands


@pytest.fixture
def guarded() -> Iterator[Server]:
    with run_server("--requirepass", "secret", "--user", *["team", "on", ">word", "~*", "+@all"]) as server:
        yield server


def reach(port: int, login: str, folder: Path, db: int = 3) -> RedisServer:
    return RedisServer(parse_address(f"redis://{login}@127.0.0.1:{port}/{db}"), str(folder / "mark"), timeout=5)


@pytest.mark.parametrize("login", [":secret", "team:word"])
def test_a_password_and_a_database_cost_no_trip(guarded: Server, tmp_path: Path, login: str) -> None:
    proxy = TripCounter(guarded.port)
    server = reach(proxy.port, login, tmp_path)
    assert server.execute("SET", "a", "1") in (True, b"OK")
    assert proxy.trips == 1
    assert server.execute_many([("GET", "a"), ("CLIENT", "LIST")])[0] == b"1"
    assert b"db=3" in server.execute("CLIENT", "LIST", "TYPE", "NORMAL") or proxy.trips == 3
    assert proxy.trips == 3
    first = reach(proxy.port, login, tmp_path)
    assert first.execute_many([("GET", "a"), ("GET", "b")]) == [b"1", None]
    assert proxy.trips == 4


def test_a_connection_that_was_lost_is_set_up_again(guarded: Server, tmp_path: Path) -> None:
    server, killer = (reach(guarded.port, ":secret", tmp_path) for _ in range(2))
    server.execute("SET", "a", "1")
    killer.execute("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "yes")
    assert server.execute("GET", "a") == b"1"


@pytest.mark.parametrize(
    ("login", "db", "words"), [(":wrong", 0, "invalid username-password"), (":secret", 99, "out of range")]
)
def test_an_error_of_the_setup_is_the_error_of_the_command(
    guarded: Server, tmp_path: Path, login: str, db: int, words: str
) -> None:
    server = reach(guarded.port, login, tmp_path, db)
    for _ in range(2):
        with pytest.raises(ServerError) as raised:
            server.execute("GET", "a")
        assert words in str(raised.value.strerror)


def test_a_refusal_has_a_number_and_a_hint() -> None:
    refusal = find_refusal(exceptions.OutOfMemoryError("command not allowed"), "command not allowed")
    assert refusal is not None
    assert refusal[:2] == (errno.ENOSPC, "the server's memory is full")
    assert "maxmemory" in refusal[2]


def test_a_refusal_without_a_message_of_its_own_keeps_the_one_of_the_server() -> None:
    refusal = find_refusal(exceptions.ReadOnlyError("no"), "You can't write against a replica")
    assert refusal == (errno.EROFS, "You can't write against a replica", "name the primary, not a replica")


def test_a_refusal_in_a_script_is_told_by_its_code() -> None:
    text = "Error running script (call to f_1): @user_script:1: -OOM command not allowed when used memory > 'maxmemory'"
    refusal = find_refusal(exceptions.ResponseError(text), text)
    assert refusal is not None
    assert refusal[0] == errno.ENOSPC


def test_any_other_error_is_none() -> None:
    assert find_refusal(exceptions.ResponseError("wrong number of arguments"), "wrong number of arguments") is None


def test_an_error_is_described_on_a_short_line() -> None:
    assert describe_error(ValueError("a\n  b.")) == "a b"
    assert describe_error(ValueError()) == "ValueError"
    assert len(describe_error(ValueError("x" * 999))) == 200


LARGE = b"".join(b"line %d of the log\n" % number for number in range(9_000))
ATTEMPTS = 4
"""Number of times that a delay is measured until it is short enough."""
CONTENTS = {"fits": b"a line\n" * 40, "map": LARGE}


def trickle(connection: socket.socket) -> None:
    """Answer with a byte each 100 ms: a large string that never ends."""
    connection.recv(65536)
    for byte in b"$10000000\r\n" + b"x" * 10_000_000:
        connection.sendall(bytes([byte]))
        time.sleep(0.1)


def trickle_lines(connection: socket.socket) -> None:
    """Answer with a byte each 100 ms: a line that never ends."""
    connection.recv(65536)
    while True:
        connection.sendall(b"+")
        time.sleep(0.1)


def flood(connection: socket.socket) -> None:
    """Answer with bytes as fast as they are taken: a string of 4 GB."""
    connection.recv(65536)
    connection.sendall(b"$4000000000\r\n")
    while True:
        connection.sendall(b"x" * 1_000_000)


def flood_lines(connection: socket.socket) -> None:
    """Answer with a line that never ends."""
    connection.recv(65536)
    while True:
        connection.sendall(b"+" * 1_000_000)


def swallow(connection: socket.socket) -> None:
    """Take everything slowly, and answer nothing."""
    while connection.recv(4096):
        time.sleep(0.05)


@contextmanager
def run_failing_server(answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """Accept connections on a port, and answer each in a thread."""
    listener = socket.create_server(("127.0.0.1", 0))

    def reply(connection: socket.socket) -> None:
        with suppress(OSError), connection:
            answer(connection)

    def serve() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=reply, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


@contextmanager
def run_stopped_server() -> Iterator[int]:
    """Run a real server that is stopped: the system still connects."""
    with run_server() as server:
        assert server.process is not None
        os.kill(server.process.pid, signal.SIGSTOP)
        try:
            yield server.port
        finally:
            os.kill(server.process.pid, signal.SIGCONT)


@contextmanager
def run_no_server() -> Iterator[int]:
    yield find_free_port()


SERVERS = {
    **{answer.__name__: lambda answer=answer: run_failing_server(answer) for answer in (trickle, trickle_lines, flood, flood_lines, swallow)},
    "stopped": run_stopped_server,
    "dead": run_no_server,
}


@pytest.mark.parametrize("kind", SERVERS)
def test_an_exchange_ends_within_a_second(kind: str, tmp_path: Path) -> None:
    import redis  # noqa: F401 (its import takes time)

    exchanges = {
        "execute": lambda server: server.execute("GET", "a"),
        "large": lambda server: server.execute("SET", "a", b"x" * 300_000),
        "many": lambda server: server.execute_many([("GET", "a")] * 50),
    }
    with SERVERS[kind]() as port:
        for name, work in exchanges.items():
            server = RedisServer(parse_address(f"redis://127.0.0.1:{port}"), str(tmp_path / name))
            began = time.monotonic()
            with pytest.raises(ServerError):
                work(server)
            assert time.monotonic() - began < (1.4 if name == "large" else 1.0), name
            assert server.is_paused() or "too large" in kind


@pytest.mark.slow
@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("kind", SERVERS)
def test_a_failing_server_adds_a_second_to_a_gate(run: Run, home: dict[str, str], kind: str, content: bytes, tmp_path: Path) -> None:
    words = ("gate", "--session", "s", "--window", "9000", "--tokenizer", "bytes/3")
    run(*words, stdin=content)  # loads what both need

    def measure(attempt: int, **env: str) -> tuple[float, bytes]:
        folder = tmp_path / f"{attempt} {len(env)}"
        ours = {**env, **{name: str(folder / name) for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME")}}
        began = time.monotonic()
        done = run(*words, stdin=content, env=ours)
        assert done.status == 0
        return time.monotonic() - began, done.out

    def measure_added(attempt: int) -> float:
        alone, expected = measure(attempt)
        took, shown = measure(attempt, CTXKIT_STORE=f"redis://127.0.0.1:{port}")
        assert len(shown) == len(expected)
        return took - alone

    with SERVERS[kind]() as port:  # a machine that is busy adds to either, but not each time
        assert any(measure_added(attempt) < 1.4 for attempt in range(ATTEMPTS))


def test_a_large_answer_has_time_and_one_that_is_too_large_is_an_error(tmp_path: Path) -> None:
    with run_server() as real:
        server = RedisServer(parse_address(real.url), str(tmp_path / "mark"))
        server.execute("SET", "a", b"x" * 3_000_000)
        with pytest.raises(ServerError, match="too large"):
            server.execute("GET", "a")
        os.unlink(server.mark)
        assert len(server.execute("GET", "a", most=4_000_000)) == 3_000_000
