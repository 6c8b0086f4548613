"""Ask the server on a Unix socket, with a client so small that asking costs less than loading a vocabulary."""

import os
import socket
from collections.abc import Mapping
from contextlib import suppress

from ctxkit.core.errors import InputOutputError
from ctxkit.engines.server.peer import read_peer_uid

CONNECT_SECONDS, ANSWER_SECONDS = 0.25, 130.0
MAX_HEAD = 1 << 16
"""Maximum bytes of the status line and the headers of an answer."""
MAX_ANSWER = 1 << 30


class ServerClient:
    """A connection to the server at a path; it is opened by the first request, and kept."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._connection: socket.socket | None = None

    def __del__(self) -> None:
        self.close()

    def post(self, target: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """Return the body of the answer; raise OSError if there is none, or if its status is not 200.

        Raise InputOutputError if the server is not of this user.
        """
        connection = self._connection or self._connect()
        lines = [f"POST {target} HTTP/1.1", "host: ctxkit", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        try:
            connection.sendall("\r\n".join((*lines, "", "")).encode("ascii") + body)
            return _receive_answer(connection)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection, if it is open."""
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
            self._connection = None

    def _connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(CONNECT_SECONDS)
            connection.connect(self._path)
            if read_peer_uid(connection) != os.geteuid():
                raise InputOutputError(f"{self._path}: the server belongs to another user")
            connection.settimeout(ANSWER_SECONDS)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection


def _receive_answer(connection: socket.socket) -> bytes:
    """Return the body of an answer; raise OSError for another status than 200, or an answer that is cut off."""
    data = bytearray()
    while (end := data.find(b"\r\n\r\n")) < 0:
        if len(data) > MAX_HEAD:
            raise OSError("the answer has no end of its headers")
        data += _receive_piece(connection)
    status, *fields = bytes(data[:end]).split(b"\r\n")
    headers = dict(field.lower().split(b": ", 1) for field in fields if b": " in field)
    length = int(headers.get(b"content-length", b"-1"))
    if not 0 <= length <= MAX_ANSWER:
        raise OSError("the answer has no length")
    del data[: end + 4]
    while len(data) < length:
        data += _receive_piece(connection)
    if status.split(b" ")[1:2] != [b"200"]:
        raise OSError(f"the server answered {status[:100].decode('latin-1')}")
    return bytes(data[:length])


def _receive_piece(connection: socket.socket) -> bytes:
    piece = connection.recv(1 << 18)
    if not piece:
        raise ConnectionResetError("the server closed the connection")
    return piece
