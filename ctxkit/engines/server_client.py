"""Ask the server on a Unix socket, with a client so small that asking costs less than loading a vocabulary."""

import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TypeVar

from ctxkit.core.errors import InputOutputError
from ctxkit.engines.server.peer import read_peer_uid

ANSWER_SECONDS = 130.0
SILENCE_SECONDS = 0.12
"""Seconds without an answer after which the server is asked whether it runs, and that it has to say so.

Each 16 MB that are sent or received give as much time again, a byte next to none. So a server that does not work adds
a quarter of a second.
"""
HEALTH_REQUEST = b"GET /v1/health HTTP/1.1\r\nhost: ctxkit\r\nconnection: close\r\n\r\n"
MAX_HEAD = 1 << 16
"""Maximum bytes of the status line and the headers of an answer."""
MAX_ANSWER = 1 << 26
PIECE, PACE = 1 << 18, 1 << 24
Result = TypeVar("Result")


class ServerClient:
    """A connection to the server at a path; it is opened by the first request, and kept."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._connection: socket.socket | None = None
        self._deadline = self._end = 0.0

    def __del__(self) -> None:
        self.close()

    def post(self, target: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """Return the body of the answer; raise OSError if there is none, or if its status is not 200.

        Raise InputOutputError if the server is not of this user.
        """
        connection = self._connection or self._connect()
        self._deadline, self._end = monotonic() + SILENCE_SECONDS, monotonic() + ANSWER_SECONDS
        lines = [f"POST {target} HTTP/1.1", "host: ctxkit", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        try:
            self._send(connection, "\r\n".join((*lines, "", "")).encode("ascii") + body)
            return _receive_answer(lambda: self._await(connection, lambda: connection.recv(PIECE), len))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection, if it is open."""
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
            self._connection = None

    def _send(self, connection: socket.socket, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._await(connection, partial(connection.send, view), int) :]

    def _await(self, connection: socket.socket, act: Callable[[], Result], measure: Callable[[Result], int]) -> Result:
        """Return what ``act`` returns, whose bytes ``measure`` counts.

        Raise TimeoutError if it takes too long, or if the server does not work.
        """
        while True:
            try:
                _limit_wait(connection, self._deadline)
                result = act()
            except TimeoutError:
                if monotonic() > self._end or not self._is_running():
                    raise
                self._deadline = monotonic() + SILENCE_SECONDS
            else:
                self._deadline += SILENCE_SECONDS * measure(result) / PACE
                return result

    def _is_running(self) -> bool:
        """Return whether the server answers another request at once, and whole."""
        deadline = monotonic() + SILENCE_SECONDS
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:

            def receive() -> bytes:
                """Return the next piece of the answer."""
                _limit_wait(probe, deadline)
                return probe.recv(PIECE)

            try:
                _limit_wait(probe, deadline)
                probe.connect(self._path)
                probe.sendall(HEALTH_REQUEST)
                _receive_answer(receive)
            except (OSError, ValueError):
                return False
            return True

    def _connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(SILENCE_SECONDS)
            connection.connect(self._path)
            if read_peer_uid(connection) != os.geteuid():
                raise InputOutputError(f"{self._path}: the server belongs to another user")
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection


def _limit_wait(connection: socket.socket, deadline: float) -> None:
    """Let the next use of a connection wait until a time at most; raise TimeoutError if it has passed."""
    left = deadline - monotonic()
    if left <= 0:
        raise TimeoutError("no answer in time")
    connection.settimeout(left)


def _receive_answer(receive: Callable[[], bytes]) -> bytes:
    """Return the body of an answer that comes in pieces.

    Raise OSError for another status than 200, or an answer that is cut off.
    """
    data = bytearray()
    while (end := data.find(b"\r\n\r\n")) < 0:
        if len(data) > MAX_HEAD:
            raise OSError("the answer has no end of its headers")
        data += _receive_piece(receive)
    status, *fields = bytes(data[:end]).split(b"\r\n")
    headers = dict(field.lower().split(b": ", 1) for field in fields if b": " in field)
    length = int(headers.get(b"content-length", b"-1"))
    if not 0 <= length <= MAX_ANSWER:
        raise OSError("the answer has no length")
    del data[: end + 4]
    while len(data) < length:
        data += _receive_piece(receive)
    if status.split(b" ")[1:2] != [b"200"]:
        raise OSError(f"the server answered {status[:100].decode('latin-1')}")
    return bytes(data[:length])


def _receive_piece(receive: Callable[[], bytes]) -> bytes:
    piece = receive()
    if not piece:
        raise ConnectionResetError("the server closed the connection")
    return piece
