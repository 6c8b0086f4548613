"""Open the sockets that the server listens on, and serve an application over HTTP with uvicorn."""

import asyncio
import os
import signal
import socket
import stat
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, Protocol

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ctxkit.core.errors import InputOutputError, UsageError
from ctxkit.system.processes import read_peer_uid

HEAD_SECONDS = 10.0
"""Seconds in which the head of a request must come, from its first byte or from the connection on."""
KEEP_ALIVE_SECONDS = 75
"""Seconds that a connection may be idle."""
DRAIN_SECONDS = 20.0
"""Seconds that running requests have after the signal to end."""
_CLOSE_SECONDS = 1
"""Seconds that connections have to close after that."""
MAX_LOCAL, MAX_NETWORK, MAX_PER_HOST = 1_000, 400, 100
"""Maximum connections to the Unix sockets, over the network, and of each host there."""
MAX_HEAD = 1 << 18
"""Maximum bytes of the first line and the headers of a request: two headers of a caller, percent-encoded."""


class UserProtocol(H11Protocol):
    """HTTP on connections of this user; a Unix socket's peer is asked from the system.

    ``host`` is the address of a peer over the network, "" for one on a Unix socket. A connection ends if its head does
    not come in time, and if newer ones need its place while it ``is_waiting`` for a request.
    """

    is_refused = False
    host = ""
    began = 0.0
    _head_timer: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """Return whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or close it if it is another user's or one too many."""
        self.host, self.began = _find_host(transport), time.monotonic()
        if is_of_this_user(transport.get_extra_info("socket")) and make_room(self.connections, self.host):
            super().connection_made(transport)
            self._limit_head()
        else:
            self.is_refused = True
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read data, unless the connection is refused."""
        if not self.is_refused:
            super().data_received(data)
            self._limit_head()

    def on_response_complete(self) -> None:
        """Take the next request; a client that goes on to send a body that nobody reads has no more time."""
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:
            self._limit_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """End a connection."""
        self._forget_timer()
        if not self.is_refused:
            super().connection_lost(exc)

    def _limit_head(self) -> None:
        """Bound the time until a request begins; one that is being answered has limits of its own."""
        if not self.is_waiting:
            self._forget_timer()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _forget_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


def _find_host(transport: asyncio.Transport) -> str:
    """Return the address of the peer of a connection over the network, "" for a Unix socket."""
    name = transport.get_extra_info("peername")
    return str(name[0]) if isinstance(name, tuple) else ""


def make_room(connections: Iterable[Any], host: str) -> bool:
    """Return whether a host may connect; to let it, close the oldest of too many connections that only wait.

    Those on Unix sockets and those over the network do not count together.
    """
    alive = (connection for connection in connections if not connection.transport.is_closing())
    group = [connection for connection in alive if bool(connection.host) == bool(host)]
    of_host = [connection for connection in group if connection.host == host]
    limits = ((of_host, MAX_PER_HOST), (group, MAX_NETWORK)) if host else ((group, MAX_LOCAL),)
    for members, limit in limits:
        waiting = [connection for connection in members if connection.is_waiting]
        if len(members) >= limit:
            if not waiting:
                return False
            min(waiting, key=lambda connection: connection.began).transport.abort()
    return True


def is_of_this_user(connection: socket.socket) -> bool:
    """Return whether a connection is over the network, or from a process of the user who runs this one."""
    if connection.family != socket.AF_UNIX:
        return True
    try:
        return read_peer_uid(connection) == os.geteuid()
    except InputOutputError:
        return False


class ServedApplication(Protocol):
    """An ASGI application that counts its requests, and that can end."""

    requests: int

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""

    async def drain(self, seconds: float) -> None:
        """Refuse new requests, and wait some seconds at most for those that run."""


class _Server(uvicorn.Server):
    """Ends as the caller's handlers of signals say, not by uvicorn's own."""

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        return nullcontext()


def serve_application(
    application: ServedApplication,
    listeners: Sequence[socket.socket],
    report_start: Callable[[], None],
    idle_seconds: float = 0,
) -> int:
    """Serve until SIGINT or SIGTERM, and return the number of the signal.

    Requests that run then are answered, if they take ``DRAIN_SECONDS`` at most; a second signal ends them. Return 0 if
    there was no request for ``idle_seconds``, unless these are 0. ``report_start`` is called once the sockets are open.
    """
    config = uvicorn.Config(
        application,
        http=UserProtocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        loop="asyncio",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_CLOSE_SECONDS,
        limit_concurrency=MAX_LOCAL + MAX_NETWORK,
        h11_max_incomplete_event_size=MAX_HEAD,
    )
    return asyncio.run(_serve(_Server(config), application, list(listeners), report_start, idle_seconds))


async def _serve(
    server: uvicorn.Server,
    application: ServedApplication,
    listeners: list[socket.socket],
    report_start: Callable[[], None],
    idle_seconds: float,
) -> int:
    ends: list[int] = []
    drains: list[asyncio.Task[None]] = []
    loop = asyncio.get_running_loop()

    def end(number: int) -> None:
        """Let the server end once no request runs, at once if it was told before."""
        server.should_exit = server.force_exit = bool(ends)
        ends.append(number)
        drains.append(loop.create_task(_drain(server, application)))

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end, number)
    report_start()
    watch = asyncio.ensure_future(_end_when_idle(application, idle_seconds, lambda: end(0))) if idle_seconds else None
    await server.serve(sockets=listeners)
    for task in (*drains, *([watch] if watch else [])):
        task.cancel()
    return ends[0] if ends else 0


async def _drain(server: uvicorn.Server, application: ServedApplication) -> None:
    """Let the requests end that run, then the server; until then, it refuses new ones."""
    await application.drain(DRAIN_SECONDS)
    server.should_exit = True


async def _end_when_idle(application: ServedApplication, seconds: float, end: Callable[[], None]) -> None:
    """Call ``end`` once no request has come for some seconds."""
    seen = -1
    while seen != application.requests:
        seen = application.requests
        await asyncio.sleep(seconds)
    end()


_BACKLOG = 128
FIRST_INHERITED = 3
"""Number of the first socket of a service manager (sd_listen_fds(3))."""
_CONNECT_SECONDS = 1.0


def open_unix_listener(path: str) -> socket.socket:
    """Return a socket that listens at a path, which only this user can open.

    Replace the socket of a server that has ended. Raise InputOutputError if a server answers there, if the path is
    something else, or if it cannot be made.
    """
    _remove_unused(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    umask = os.umask(0o177)
    try:
        listener.bind(path)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise InputOutputError(f"{path}: {error.strerror or error}") from error
    finally:
        os.umask(umask)
    return listener


def _remove_unused(path: str) -> None:
    """Remove the socket of a server that has ended."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from error
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.geteuid():
        raise InputOutputError(f"{path}: exists, and is not a socket of this user")
    if is_answered(path):
        raise InputOutputError(f"{path}: a server listens here already")
    with suppress(FileNotFoundError):
        os.unlink(path)


def is_answered(path: str) -> bool:
    """Return whether a server listens at a path."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_CONNECT_SECONDS)
        try:
            probe.connect(path)
        except OSError as error:
            return isinstance(error, BlockingIOError | TimeoutError)  # its queue is full
        return True


def identify_file(path: str) -> tuple[int, int]:
    """Return the device and the number of the file at a path, (0, 0) if there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def remove_listener(path: str, identity: tuple[int, int]) -> None:
    """Remove the socket at a path, unless it is not the one with this identity, or another server listens there."""
    with suppress(OSError):
        if identify_file(path) == identity and not is_answered(path):
            os.unlink(path)


def open_network_listener(address: str) -> socket.socket:
    """Return a socket that listens at ``HOST:PORT``; raise UsageError if the address is not of this form."""
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise UsageError(f"{address} is not HOST:PORT", hint="as in 127.0.0.1:8787")
    host = host.removeprefix("[").removesuffix("]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, int(port)), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise InputOutputError(f"{address}: {error.strerror or error}") from error
    # Connections inherit it. Without it, the body of an answer waits 40 ms for the acknowledgement of its head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def take_inherited_listeners(environ: Mapping[str, str], process: int) -> list[socket.socket]:
    """Return the sockets that the service manager opened for this process, none without it."""
    if environ.get("LISTEN_PID") != str(process):
        return []
    number = environ.get("LISTEN_FDS", "")
    count = int(number) if number.isascii() and number.isdigit() else 0
    try:
        return [socket.socket(fileno=FIRST_INHERITED + at) for at in range(min(count, _BACKLOG))]
    except OSError as error:
        raise InputOutputError(f"a socket of the service manager is not usable: {error.strerror}") from error
