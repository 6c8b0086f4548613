"""Serve an application over HTTP with uvicorn, and refuse connections of other users."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ctxkit.core.errors import InputOutputError
from ctxkit.engines.server.peer import read_peer_uid

KEEP_ALIVE_SECONDS = 75
"""Seconds that a connection may be idle."""
DRAIN_SECONDS = 20.0
"""Seconds that running requests have after the signal to end."""
CLOSE_SECONDS = 1
"""Seconds that connections have to close after that."""
MAX_CONNECTIONS = 1_000
MAX_HEAD = 1 << 18
"""Maximum bytes of the first line and the headers of a request: two headers of a caller, percent-encoded."""


class UserProtocol(H11Protocol):
    """HTTP on connections of this user; a Unix socket's peer is asked from the system."""

    is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or close it if it is another user's."""
        if is_of_this_user(transport.get_extra_info("socket")):
            super().connection_made(transport)
        else:
            self.is_refused = True
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read data, unless the connection is refused."""
        if not self.is_refused:
            super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """End a connection."""
        if not self.is_refused:
            super().connection_lost(exc)


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
        timeout_graceful_shutdown=CLOSE_SECONDS,
        limit_concurrency=MAX_CONNECTIONS,
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
