"""Speak stdio to a client and Streamable HTTP to a server: ``python -m ctxkit.engines.mcp_http.bridge``.

The first line of stdin has the URL and the headers, which no list of processes shows. Each other line is a message.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from select import select
from typing import Any

from ctxkit.core.redaction.masking import mask_secrets
from ctxkit.core.text.escapes import escape_line
from ctxkit.engines.mcp_http.http_connection import MAX_MESSAGE, HttpConnection
from ctxkit.engines.mcp_http.server_session import ServerSession

LAST_SECONDS = 30.0
"""Seconds to wait for answers after stdin has ended."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class OutputProtocol(asyncio.streams.FlowControlMixin):
    """Calls ``end`` once nobody reads stdout any more."""

    def __init__(self, end: Callable[[int], None]) -> None:
        super().__init__()
        self._end = end

    def connection_lost(self, exc: Exception | None) -> None:
        """End the bridge."""
        super().connection_lost(exc)
        self._end(signal.SIGPIPE)


async def run_bridge() -> int:
    """Relay messages until stdin has ended, and return the exit status."""
    loop = asyncio.get_running_loop()
    stop: asyncio.Future[int] = loop.create_future()

    def end(number: int) -> None:
        """End the bridge after a signal."""
        if not stop.done():
            stop.set_result(number)

    for number in SIGNALS:
        loop.add_signal_handler(number, end, number)
    source = asyncio.StreamReader(limit=MAX_MESSAGE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(source), sys.stdin.buffer)
    transport, protocol = await loop.connect_write_pipe(lambda: OutputProtocol(end), sys.stdout.buffer)
    transport.set_write_buffer_limits(0)  # a line that was written has left this process
    sink, lock = asyncio.StreamWriter(transport, protocol, None, loop), asyncio.Lock()
    options = json.loads(await source.readline())
    connection = HttpConnection(options["url"], [(name, value) for name, value in options["headers"]])

    async def emit(line: bytes) -> None:
        """Write a line of the server."""
        async with lock:
            sink.write(line)
            await sink.drain()

    def warn(message: str) -> None:
        """Print a warning on stderr, unless nobody reads it."""
        if not options["quiet"] and select([], [2], [], 0)[1]:
            text = escape_line(mask_secrets(connection.hide(message)))
            os.write(2, f"ctxkit: warning: {text}\n".encode("utf-8", "backslashreplace"))

    session = ServerSession(connection, emit, warn)
    relay = asyncio.create_task(_relay(source, session, warn))
    waiting: list[asyncio.Future[Any]] = [relay, stop]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    relay.cancel()
    await session.close()
    if stop.done():
        return 128 + stop.result()
    relay.result()
    return 0


async def _relay(source: asyncio.StreamReader, session: ServerSession, warn: Callable[[str], None]) -> None:
    """Hand the lines of the client to the session, and wait for the answers to the last ones."""
    while not source.at_eof():
        try:
            line = await source.readline()
        except ValueError:
            warn(f"a line of more than {MAX_MESSAGE:,} bytes is not sent")
            continue
        if line.strip():
            await session.take_line(line)
    await session.finish(LAST_SECONDS)


def main() -> None:
    """Relay messages, and end this process, whatever still waits."""
    try:
        # asyncio.run would also wait for threads that look up names
        status = asyncio.new_event_loop().run_until_complete(run_bridge())
    except (BrokenPipeError, ConnectionResetError):
        status = 128 + signal.SIGPIPE
    os._exit(status)


if __name__ == "__main__":
    main()
