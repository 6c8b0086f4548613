"""Speak stdio to a client and Streamable HTTP to a server: ``python -m ctxkit.engines.mcp_http.bridge``.

The first line of stdin has the URL and the headers, which no list of processes shows. Each other line is a message.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from select import select
from time import monotonic
from typing import Any

from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.mcp.http_messages import (
    INITIALIZE,
    INITIALIZED,
    HttpMessage,
    MarkedParameters,
    describe_line,
    find_answered,
    find_marked_parameters,
    join_lines,
    make_error_line,
    mirror_request,
)
from ctxkit.core.redaction.masking import mask_secrets
from ctxkit.core.text.escapes import escape_line
from ctxkit.engines import decoder
from ctxkit.engines.mcp_http.http_connection import (
    JSON_TYPE,
    MAX_MESSAGE,
    SILENT_SECONDS,
    STREAM_TYPE,
    AnswerReader,
    Exchange,
    Headers,
    HttpConnection,
    HttpExchangeError,
    RefusedError,
    ServerAnswer,
)

_NOTICE_SECONDS, _END_SECONDS = 30.0, 3.0
"""Seconds to wait for the answer to a notification, which has no result, and to the end of a session."""
_MAX_RETRY_SECONDS = 60.0
"""The longest wait in seconds before a stream is resumed."""
_MAX_ATTEMPTS, _STEADY_SECONDS = 5, 10.0
"""Attempts in a row to resume a stream that bring no event, and seconds after which one that lasted counts anew."""
_PASSING = (409, 429)
"""Statuses below 500 after which a stream may be had later."""
_ANSWERS = ("accept", f"{JSON_TYPE}, {STREAM_TYPE}"), ("content-type", JSON_TYPE)
"""Headers of each POST."""


class ServerSession:
    """Takes lines of the client, and gives those of the server to ``emit``; ``warn`` gets what no line reports."""

    def __init__(
        self, connection: HttpConnection, emit: Callable[[bytes], Awaitable[None]], warn: Callable[[str], None]
    ) -> None:
        self._connection, self._emit, self._warn = connection, emit, warn
        self._session_id, self._version = "", ""
        self._first_lines: dict[str, bytes] = {}
        self._exchanges: list[Exchange] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._marked: dict[str, MarkedParameters] = {}
        self._renewal = asyncio.Lock()
        self._listener: asyncio.Task[None] | None = None
        self._reader = AnswerReader(connection, self._take_message, emit, warn)

    async def take_line(self, line: bytes) -> None:
        """Send a line of the client; return at once if it has requests, except the one that begins a session."""
        try:
            value = decoder.parse(line)
        except ValueError:
            await self._emit(make_error_line(None, "a line of the client is not JSON"))
            return
        message = describe_line(value)
        if self._cancel(message):
            return
        exchange = Exchange(line.strip(), message, mirror_request(value, self._marked) if message.version else ())
        if not message.ids:
            await self._notify(exchange)
            return
        if exchange.begins_session:
            self._first_lines = {INITIALIZE: exchange.line}
            self._session_id = self._version = ""
        self._exchanges.append(exchange)
        exchange.task = asyncio.create_task(self._answer(exchange))
        self._tasks.add(exchange.task)
        exchange.task.add_done_callback(self._tasks.discard)
        if exchange.begins_session:
            await asyncio.wait([exchange.task])

    def _cancel(self, message: HttpMessage) -> bool:
        """Take a request back, and return whether that ends its stream without a message, as from 2026-07-28 on."""
        if message.cancelled is None:
            return False
        for exchange in self._exchanges:
            if message.cancelled in exchange.waiting:
                exchange.waiting.discard(message.cancelled)  # no error answers it
                if exchange.message.version and exchange.task is not None:
                    exchange.task.cancel()
                    return True
        return bool(message.version)

    async def _notify(self, exchange: Exchange) -> None:
        """Send a line without requests, and warn if the server does not take it."""
        try:
            await self._post(exchange, _check_notice, _NOTICE_SECONDS)
        except HttpExchangeError as failure:
            name = ", ".join(filter(None, exchange.message.methods)) or "an answer of the client"
            self._warn(f"{name} was not delivered: {failure}")
            return
        if INITIALIZED in exchange.message.methods:
            self._first_lines[INITIALIZED] = exchange.line
            self._listen()

    async def _answer(self, exchange: Exchange) -> None:
        """Send a line with requests, and answer those with an error that the server does not answer."""
        reason = ""
        try:
            await self._post(exchange, self._read_answer, SILENT_SECONDS)
            await self._resume(exchange)
        except HttpExchangeError as failure:
            reason = str(failure)
        except Exception as error:  # a client must not wait for ever
            reason = f"an answer of {self._connection.name} could not be read: {type(error).__name__}: {error}"
        finally:
            self._exchanges.remove(exchange)
        if exchange.waiting:
            reason = self._connection.hide(reason or self._describe_end(exchange))
            self._warn(reason)
            for id_ in exchange.waiting:
                await self._emit(make_error_line(id_, reason))

    async def _read_answer(self, answer: ServerAnswer, exchange: Exchange) -> None:
        """Read an answer, which names the session if it begins one."""
        if exchange.begins_session and answer.is_accepted:
            self._session_id = answer.session_id
        await self._reader.read(answer, exchange)

    def _describe_end(self, exchange: Exchange) -> str:
        return exchange.broken or f"{self._connection.name} ended its answer without a result"

    async def _post(
        self, exchange: Exchange, read: Callable[[ServerAnswer, Exchange], Awaitable[None]], seconds: float
    ) -> None:
        """Send a line, once more in a new session if the server has ended this one; ``read`` reads the answer."""
        for is_last in (False, True):
            session_id = "" if exchange.begins_session or exchange.headers else self._session_id
            headers = exchange.headers or self._make_headers(session_id)
            async with self._connection.send("POST", [*_ANSWERS, *headers], exchange.line, seconds) as answer:
                if answer.status != 404 or not session_id or is_last:
                    await read(answer, exchange)
                    return
            await self._renew(session_id)

    def _make_headers(self, session_id: str) -> Headers:
        """Return the headers of a request in a session of a revision before 2026-07-28."""
        headers = [("mcp-session-id", session_id)] if session_id else []
        return [*headers, ("mcp-protocol-version", self._version)] if self._version else headers

    async def _renew(self, session_id: str) -> None:
        """Begin a session in place of one that the server has ended; raise HttpExchangeError if it does not begin."""
        async with self._renewal:
            if self._session_id != session_id:
                return
            try:
                await self._begin_again()
            except HttpExchangeError as failure:
                self._session_id = session_id
                raise HttpExchangeError(
                    f"{self._connection.name} has ended the session, and begins no other: {failure}"
                ) from None
        self._warn(f"{self._connection.name} had ended the session; a new one was begun")
        self._listen()

    async def _begin_again(self) -> None:
        first = self._first_lines[INITIALIZE]  # the session has an id because of it
        exchange = Exchange(first, describe_line(decoder.parse(first)), is_hidden=True)
        version, self._version = self._version, ""
        async with self._connection.send("POST", _ANSWERS, first) as answer:
            await self._read_answer(answer, exchange)
        if self._version != version:
            raise HttpExchangeError(self._describe_end(exchange) if exchange.waiting else "it speaks another version")
        if INITIALIZED in self._first_lines:
            headers = [*_ANSWERS, *self._make_headers(self._session_id)]
            line = self._first_lines[INITIALIZED]
            async with self._connection.send("POST", headers, line, _NOTICE_SECONDS) as answer:
                await _check_notice(answer, exchange)

    async def _take_message(self, data: bytes, exchange: Exchange) -> None:
        """Hand on a message of the server; raise ValueError if it is not JSON."""
        value = decoder.parse(data)
        answered = find_answered(value)
        for id_, message in answered:
            for other in (exchange, *self._exchanges):
                other.waiting.discard(id_)
            result = get_object(message, "result")
            if exchange.begins_session and id_ in exchange.message.ids:
                self._version = get_text(result, "protocolVersion")
            elif exchange.message.version and "tools/list" in exchange.message.methods:
                self._marked |= find_marked_parameters(result)
        if not (exchange.is_hidden and answered):
            await self._emit(join_lines(data))

    async def _resume(self, exchange: Exchange) -> None:
        """Read the rest of a stream that broke before the answers came; raise HttpExchangeError if there is none."""
        if exchange.message.version:
            return
        attempts = 0
        while exchange.waiting and exchange.last_id and attempts < _MAX_ATTEMPTS:
            attempts = await self._read_again(exchange, attempts)

    def _listen(self) -> None:
        """Begin to hear the messages of the server that answer nothing."""
        if self._listener is not None:
            self._listener.cancel()
        self._listener = asyncio.create_task(self._hear())

    async def _hear(self) -> None:
        exchange, attempts = Exchange(b"", HttpMessage((), ())), -1
        with suppress(RefusedError):  # it has no such stream
            while attempts < _MAX_ATTEMPTS:
                attempts = await self._read_again(exchange, attempts)
            self._warn(f"messages of {self._connection.name} that answer nothing are not heard any more")

    async def _read_again(self, exchange: Exchange, attempts: int) -> int:
        """Read a stream on after its last event, and return how many attempts in a row have brought nothing.

        Raise RefusedError if the server has no such stream. The first time, ``attempts`` is negative, and nobody waits.
        """
        if attempts >= 0:
            await asyncio.sleep(min(exchange.retry * 2**attempts, _MAX_RETRY_SECONDS))
        resumed = [("last-event-id", exchange.last_id.decode("latin-1"))] if exchange.last_id else []
        headers = [("accept", STREAM_TYPE), *self._make_headers(self._session_id), *resumed]
        begin, has_event = monotonic(), False
        try:
            async with self._connection.send("GET", headers) as answer:
                if answer.is_accepted and answer.content_type == STREAM_TYPE:
                    has_event = await self._reader.read_stream(answer, exchange)
                elif answer.status < 500 and answer.status not in _PASSING:
                    raise RefusedError(f"{answer.describe()} and does not resume its answer")
        except RefusedError:
            raise
        except HttpExchangeError as failure:
            exchange.broken = str(failure)
        is_steady = has_event or monotonic() - begin >= _STEADY_SECONDS
        return 0 if is_steady else max(attempts, 0) + 1

    async def finish(self, seconds: float) -> None:
        """Wait for the answers to all requests, but no longer than so many seconds."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    async def close(self) -> None:
        """End all streams and the session."""
        for task in (self._listener, *self._tasks):
            if task is not None:
                task.cancel()
        if self._session_id:
            headers = [("accept", JSON_TYPE), *self._make_headers(self._session_id)]
            with suppress(HttpExchangeError, TimeoutError):
                async with asyncio.timeout(_END_SECONDS), self._connection.send("DELETE", headers):
                    pass
        with suppress(TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                await self._connection.close()


async def _check_notice(answer: ServerAnswer, _: Exchange) -> None:
    """Raise HttpExchangeError if a notification was not accepted."""
    if not answer.is_accepted:
        raise HttpExchangeError(answer.describe())


_LAST_SECONDS = 30.0
"""Seconds to wait for answers after stdin has ended."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class OutputProtocol(asyncio.streams.FlowControlMixin):
    """Calls ``end`` once nobody reads stdout any more."""

    def __init__(self, end: Callable[[int], None]) -> None:
        super().__init__()
        self._end = end

    def connection_lost(self, exc: Exception | None) -> None:
        """End the bridge."""
        super().connection_lost(exc)
        self._end(signal.SIGPIPE)


async def _run_bridge() -> int:
    """Relay messages until stdin has ended, and return the exit status."""
    loop = asyncio.get_running_loop()
    stop: asyncio.Future[int] = loop.create_future()

    def end(number: int) -> None:
        """End the bridge after a signal."""
        if not stop.done():
            stop.set_result(number)

    for number in _SIGNALS:
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
    await session.finish(_LAST_SECONDS)


def main() -> None:
    """Relay messages, and end this process, whatever still waits."""
    try:
        # asyncio.run would also wait for threads that look up names
        status = asyncio.new_event_loop().run_until_complete(_run_bridge())
    except (BrokenPipeError, ConnectionResetError):
        status = 128 + signal.SIGPIPE
    os._exit(status)


if __name__ == "__main__":
    main()
