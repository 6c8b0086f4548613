"""Connections that fail: each gives one error with a hint, within a bound, and a lost server is left alone for a while."""

import errno
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from redis import exceptions

from bench.fleet import TripCounter
from ctxkit.core.store.address import StoreAddress, parse_address
from ctxkit.engines.redis_server import (
    PAUSE,
    RedisServer,
    ServerError,
    describe_error,
    find_refusal,
    list_setup,
    make_script,
)
from tests.conftest import Run
from tests.redis_servers import NAMED, VARIABLE, Server, find_free_port, require_server, run_server

ECHO = make_script("return {KEYS[1], ARGV[1]}")


def connect(url: str, folder: Path, **options: float) -> RedisServer:
    return RedisServer(parse_address(url), str(folder / "servers" / "mark"), **options)


def fail(server: RedisServer) -> ServerError:
    with pytest.raises(ServerError) as caught:
        server.execute("SET", server.make_key("x"), "x" * 100)
    return caught.value


@contextmanager
def fake_server(answer: bytes) -> Iterator[int]:
    """Listen on a port, and give each command the same answer; none if it is empty."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection = listener.accept()[0]
                threading.Thread(target=reply, args=(connection,), daemon=True).start()

    def reply(connection: socket.socket) -> None:
        with suppress(OSError), connection:
            while (command := connection.recv(65536)) and answer:
                version = b"# Server\r\nredis_version:3.0.6\r\n"
                is_info = b"INFO" in command
                connection.sendall(b"$%d\r\n%s\r\n" % (len(version), version) if is_info else answer)
            if not answer:
                time.sleep(5)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()


def test_scripts_and_commands_run_also_by_their_text(redis_server, tmp_path: Path) -> None:
    server = connect(redis_server.url, tmp_path)
    server.execute("SCRIPT", "FLUSH")
    for _ in range(2):
        assert server.run(ECHO, [server.make_key("a", "b")], 5) == [b"ctxkit:{a}:b", b"5"]
    assert server.execute_many([("SET", server.make_key("n"), 1), ("INCR", server.make_key("n"))]) == [True, 2]
    server.close()
    assert server.execute("GET", server.make_key("n")) == b"2"
    assert not server.is_paused()


@pytest.mark.parametrize("kind", ["redis_server", "redis_cluster"])
def test_a_script_and_a_command_run_together(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    servers = request.getfixturevalue(kind)
    url = servers.url if kind == "redis_server" else f"{servers[0].url}?cluster=1"
    server = connect(url, tmp_path)
    key = server.make_key("together")
    server.execute("DEL", key)
    if kind == "redis_server":
        server.execute("SCRIPT", "FLUSH")
    for number in (1, 2):
        assert server.run_and_execute(ECHO, [server.make_key("a", "b")], (5,), ("INCR", key)) == [b"ctxkit:{a}:b", b"5"]
        assert server.execute("GET", key) == b"%d" % number
    with pytest.raises(ServerError, match="not an integer"):
        server.run_and_execute(ECHO, [server.make_key("a", "b")], (5,), ("INCRBY", key, "a"))
    with pytest.raises(ServerError, match="script"):
        server.run_and_execute(make_script("return redis.call('XYZZY')"), [key], (), ("INCR", key))


def test_a_unix_socket_and_a_database_are_reached(tmp_path: Path) -> None:
    with run_server("--unixsocket", str(tmp_path / "s")):
        server = connect(f"unix://{tmp_path}/s?db=3", tmp_path)
        server.execute("SET", "k", "v")
        assert server.execute("INFO", "keyspace")["db3"]["keys"] == 1


def test_a_refused_connection_is_marked_and_the_server_is_left_alone(tmp_path: Path) -> None:
    port = find_free_port()
    server = connect(f"redis://:secret@127.0.0.1:{port}", tmp_path)
    error = fail(server)
    assert (error.strerror, error.filename) == ("Connection refused", f"redis://127.0.0.1:{port}/0")
    assert error.hint == "is the server running?"
    assert not error.is_repeated
    other = connect(server.address.place, tmp_path)
    assert fail(other).is_repeated
    os.utime(server.mark, (0, time.time() - PAUSE - 1))
    assert not fail(other).is_repeated


def test_a_server_that_does_not_answer_costs_a_bounded_time(tmp_path: Path) -> None:
    with fake_server(b"") as port:
        began = time.monotonic()
        server = connect(f"redis://127.0.0.1:{port}", tmp_path)
        assert "imeout" in str(fail(server))
        assert time.monotonic() - began < 2
        began = time.monotonic()
        assert fail(server).is_repeated
        assert time.monotonic() - began < 0.1


def test_a_server_that_speaks_another_language_is_an_error(tmp_path: Path) -> None:
    with fake_server(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        assert fail(connect(f"redis://127.0.0.1:{port}", tmp_path)).filename == f"redis://127.0.0.1:{port}/0"


def test_a_server_of_an_old_version_is_named(tmp_path: Path) -> None:
    with fake_server(b"-ERR unknown command\r\n") as port:
        error = fail(connect(f"redis://127.0.0.1:{port}", tmp_path))
        assert "3.0.6" in error.hint
        assert "6.2" in error.hint
        assert not os.path.exists(tmp_path / "servers" / "mark")


def test_the_server_is_the_program_that_the_variable_names(redis_server: Server) -> None:
    program = NAMED or pytest.skip(f"{VARIABLE} names no server")
    with socket.create_connection(("127.0.0.1", redis_server.port), 5) as connection:
        connection.sendall(b"INFO server\r\n")
        answer = connection.recv(1 << 16)
    assert (b"valkey_version:" in answer) == ("valkey" in Path(program).name)


def test_a_wrong_password_a_missing_one_and_foreign_keys_are_refused(tmp_path: Path) -> None:
    with run_server("--requirepass", "secret", "--user", *["team", "on", ">word", "~team:*", "+@all"]) as server:
        host = f"127.0.0.1:{server.port}"
        for url in (f"redis://:wrong@{host}", f"redis://{host}", f"redis://team:word@{host}?prefix=other"):
            error = fail(connect(url, tmp_path))
            assert "the user and the password are part of the URL" in error.hint, url
            assert "secret" not in str(error)
        for url in (f"redis://:secret@{host}", f"redis://team:word@{host}?prefix=team"):
            allowed = connect(url, tmp_path)
            allowed.execute("SET", allowed.make_key("x"), "y")
            assert allowed.execute("GET", allowed.make_key("x")) == b"y"


def test_a_full_server_is_said_to_be_full_and_is_not_marked(tmp_path: Path) -> None:
    with run_server("--maxmemory", "1", "--maxmemory-policy", "noeviction") as server:
        error = fail(connect(server.url, tmp_path))
        assert error.strerror == "the server's memory is full"
        assert "maxmemory" in error.hint
        assert not os.path.exists(tmp_path / "servers" / "mark")


def test_a_cluster_that_is_not_named_as_one_is_explained(redis_cluster, tmp_path: Path) -> None:
    server = connect(redis_cluster[0].url, tmp_path)
    commands = [("SET", f"{number}", "x") for number in range(50)]
    with pytest.raises(ServerError) as caught:
        server.execute_many(commands)
    assert "?cluster=1" in caught.value.hint


def test_a_mark_that_cannot_be_written_costs_only_the_pause(tmp_path: Path) -> None:
    (tmp_path / "servers").write_text("in the way")
    server = connect(f"redis://127.0.0.1:{find_free_port()}", tmp_path)
    assert not fail(server).is_repeated
    assert not fail(server).is_repeated


def make_certificate(folder: Path) -> None:
    """Make a certificate for the loopback that signs itself; skip the test if it cannot be used."""
    libraries = subprocess.run(["ldd", require_server()], capture_output=True, check=False).stdout
    if b"libssl" not in libraries:
        pytest.skip("this server cannot use TLS")
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*words.split(), "-keyout", "key", "-out", "cert"], cwd=folder, check=True, capture_output=True)


@pytest.mark.slow
def test_a_server_with_tls_is_trusted_by_its_authority_only(tmp_path: Path) -> None:
    make_certificate(tmp_path)
    port = find_free_port()
    files = ("--tls-cert-file", str(tmp_path / "cert"), "--tls-key-file", str(tmp_path / "key"))
    with run_server("--tls-port", str(port), *files, "--tls-ca-cert-file", str(tmp_path / "cert")):
        url = f"rediss://127.0.0.1:{port}?ca={tmp_path}/cert&cert={tmp_path}/cert&key={tmp_path}/key"
        server = connect(url, tmp_path)
        server.execute("SET", "k", "v")
        assert server.execute("GET", "k") == b"v"
        stranger = connect(f"rediss://127.0.0.1:{port}", tmp_path)
        assert "certificate" in str(fail(stranger)).lower()


def test_a_name_that_is_not_resolved_in_time_is_a_lost_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_server()
    release = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [release.wait(20)])
    server = connect("redis://store.example", tmp_path, timeout=0.2)
    began = time.monotonic()
    error = fail(server)
    release.set()
    assert time.monotonic() - began < 5
    assert str(error.strerror) == "the name of the host is not resolved in time"
    assert fail(server).is_repeated


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
