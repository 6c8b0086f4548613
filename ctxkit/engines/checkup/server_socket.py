"""Check that a server of ``ctxkit serve`` answers on a Unix socket."""

import os
import socket

from ctxkit.core.checkup import Check

TOPIC = "server"
SECONDS = 0.5
"""Maximum seconds to wait for a connection, and for the first bytes of an answer."""
_REQUEST = b"GET /v1/health HTTP/1.1\r\nhost: ctxkit\r\nconnection: close\r\n\r\n"


def check_socket(path: str, *, is_named: bool) -> Check | None:
    """Return whether a server answers on a socket; None if there is no socket, and no setting names one."""
    if not os.path.lexists(path):
        if not is_named:
            return None
        return Check(TOPIC, "socket", f"{path}: does not exist", "bad", "ctxkit serve --socket PATH starts a server")
    try:
        answer = _ask(path)
    except OSError as error:
        message = f"{path}: no server answers ({error.strerror or error})"
        return Check(TOPIC, "socket", message, "bad", "start ctxkit serve again, or remove the socket")
    if not answer.startswith(b"HTTP/1."):
        return Check(TOPIC, "socket", f"{path}: another program answers", "bad", "change the setting server")
    return Check(TOPIC, "socket", f"{path}: a server answers")


def _ask(path: str) -> bytes:
    """Return the first bytes of the answer; raise OSError if there is none in time."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(SECONDS)
        connection.connect(path)
        connection.sendall(_REQUEST)
        return connection.recv(64)
