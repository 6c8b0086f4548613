"""Check that a server of ``ctxkit serve`` answers on a Unix socket, and that of the shared store."""

import errno
import os
import socket
from time import perf_counter

from ctxkit.core.checkup import Check
from ctxkit.core.store.address import parse_address
from ctxkit.engines.redis_connection import ServerError
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.redis_store import RedisStore

_SOCKET_TOPIC = "server"
SECONDS = 0.5
"""Maximum seconds to wait for a connection, and for the first bytes of an answer."""
_REQUEST = b"GET /v1/health HTTP/1.1\r\nhost: ctxkit\r\nconnection: close\r\n\r\n"


def check_socket(path: str, *, is_named: bool) -> Check | None:
    """Return whether a server answers on a socket; None if there is no socket, and no setting names one."""
    if not os.path.lexists(path):
        if not is_named:
            return None
        hint = "ctxkit serve --socket PATH starts a server"
        return Check(_SOCKET_TOPIC, "socket", f"{path}: does not exist", "bad", hint)
    try:
        answer = _ask(path)
    except OSError as error:
        message = f"{path}: no server answers ({error.strerror or error})"
        return Check(_SOCKET_TOPIC, "socket", message, "bad", "start ctxkit serve again, or remove the socket")
    if not answer.startswith(b"HTTP/1."):
        return Check(_SOCKET_TOPIC, "socket", f"{path}: another program answers", "bad", "change the setting server")
    return Check(_SOCKET_TOPIC, "socket", f"{path}: a server answers")


def _ask(path: str) -> bytes:
    """Return the first bytes of the answer; raise OSError if there is none in time."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(SECONDS)
        connection.connect(path)
        connection.sendall(_REQUEST)
        return connection.recv(64)


_TOPIC = "store"
_NOWHERE = os.path.join(os.devnull, "lost")
"""A mark that cannot be written: a checkup changes nothing, and asks a server that was lost a moment ago."""
_SOME_REF = "0" * 64
"""A ref that nobody stores."""
HINT = "start the server, or change the setting store; until then, content and sessions are kept on this machine only"


def check_server(url: str) -> Check:
    """Return whether the server at a URL answers in time."""
    server = RedisServer(parse_address(url), _NOWHERE)
    start = perf_counter()
    try:
        RedisStore(server, lambda _message: None, 1).has_ref(_SOME_REF)
    except ServerError as error:
        hint = error.hint if error.hint and error.errno != errno.ECONNREFUSED else HINT
        return Check(_TOPIC, "shared store", f"{server.place}: {error.strerror}", "bad", hint)
    finally:
        server.close()
    return Check(_TOPIC, "shared store", f"{server.place}: answers in {1000 * (perf_counter() - start):.0f} ms")
