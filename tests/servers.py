"""A real ``ctxkit serve`` for tests, and a client that knows HTTP from the standard library."""

import http.client
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

START_SECONDS = 60


@dataclass(frozen=True)
class Reply:
    """An answer: its status, its headers by lower-case name, and its body."""

    status: int
    headers: dict[str, str]
    body: bytes


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float = 60) -> None:
        super().__init__("ctxkit", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the path."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


@dataclass(frozen=True)
class RunningServer:
    """A server that listens at a path."""

    path: str
    process: subprocess.Popen[str]

    def ask(self, target: str, body: bytes = b"", headers: Mapping[str, str] | None = None, method: str = "POST") -> Reply:
        """Return the answer to a request."""
        connection = UnixConnection(self.path)
        try:
            return receive(connection, method, target, body, headers)
        finally:
            connection.close()

    def end(self) -> tuple[int, str]:
        """End the server as a service manager does; return its status and what it said since it listens."""
        self.process.terminate()
        _, err = self.process.communicate(timeout=20)
        return self.process.returncode, err


def receive(connection: http.client.HTTPConnection, method: str, target: str, body: bytes, headers: Mapping[str, str] | None) -> Reply:
    """Return the answer to a request on a connection."""
    connection.request(method, target, body, dict(headers or {}))
    response = connection.getresponse()
    return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


def make_user(folder: Path) -> dict[str, str]:
    """Return the environment of a user whose directories are the usual ones: a server answers no other places."""
    places = {"HOME": ".", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share", "XDG_CONFIG_HOME": ".config", "TMPDIR": "tmp"}
    ours = {name: str((folder / place).absolute()) for name, place in places.items()}
    for place in ours.values():
        Path(place).mkdir(parents=True, exist_ok=True)
    return {**os.environ, **ours, "TZ": "UTC", "LC_ALL": "C.UTF-8"}


@contextmanager
def run_server(ctxkit: str, home: Mapping[str, str], *arguments: str, path: str = "", **settings: Any) -> Iterator[RunningServer]:
    """Run a server until the block ends."""
    with TemporaryDirectory() as folder:  # the path of a socket is short
        place = path or f"{folder}/s"
        command = [ctxkit, "serve", "--socket", place, *arguments]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=dict(home), text=True, **settings)
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert line == f"ctxkit: listens on {place}\n", line + process.stderr.read()
            yield RunningServer(place, process)
        finally:
            process.kill()
            process.wait()
            process.stderr.close()


def ask_as_another_user(path: str) -> bytes:
    """Return what a server answers to a process of the user nobody; only root can become another user."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setuid(65_534)
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(20)
                client.connect(path)
                os.write(writer, b"connected ")
                client.sendall(b"GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n")
                os.write(writer, client.recv(100))
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with open(reader, "rb") as answer:
        return answer.read()


def wait_until(is_true: Any, seconds: float = 20) -> bool:
    """Return whether a condition comes true in time."""
    end = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def list_children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(word) for word in text.split()]
