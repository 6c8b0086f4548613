"""Read the answers of an MCP server over HTTP: a message of JSON, a stream of events with messages, or a refusal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from ctxkit.core.mcp.http_messages import INITIALIZE, EventParser, HttpMessage, ServerEvent, make_error_line
from ctxkit.core.mcp.protocol import is_request_id
from ctxkit.engines import decoder
from ctxkit.engines.mcp_http.http_connection import (
    MAX_MESSAGE,
    Headers,
    HttpConnection,
    HttpExchangeError,
    ServerAnswer,
)

JSON_TYPE, STREAM_TYPE = "application/json", "text/event-stream"
RETRY_SECONDS = 1.0
"""Seconds before a stream is resumed if the server does not say how long, as in the SDK of Python."""
REST_SECONDS = 1.0
"""Seconds for which a stream is read after the last answer that is expected in it, if it does not end."""
KEY_HINT = "--header or --header-env sends a key; a server with OAuth needs mcp-remote"
STATUS_HINTS = {
    401: KEY_HINT,
    403: KEY_HINT,
    405: "a server of the older transport HTTP+SSE needs mcp-remote",
}
"""What helps, by the status of an answer."""


class Exchange:
    """A line of the client: which of its requests wait for an answer, and where the stream of answers can be resumed.

    The answers of a hidden one are not for the client.
    """

    def __init__(self, line: bytes, message: HttpMessage, headers: Headers = (), *, is_hidden: bool = False) -> None:
        self.line, self.message, self.headers, self.is_hidden = line, message, headers, is_hidden
        self.waiting = set(message.ids)
        self.last_id, self.retry = b"", RETRY_SECONDS
        self.broken = ""
        self.task: asyncio.Task[None] | None = None

    @property
    def begins_session(self) -> bool:
        """Return whether it has the request that begins a session."""
        return INITIALIZE in self.message.methods

    def note_event(self, event: ServerEvent) -> None:
        """Remember where the stream can be resumed, and when."""
        self.last_id = event.id
        if event.retry is not None:
            self.retry = event.retry / 1000


class AnswerReader:
    """Hands each message of an answer to ``take_message``, which raises ValueError if it is not JSON."""

    def __init__(
        self,
        connection: HttpConnection,
        take_message: Callable[[bytes, Exchange], Awaitable[None]],
        emit: Callable[[bytes], Awaitable[None]],
        warn: Callable[[str], None],
    ) -> None:
        self._connection, self._take_message, self._emit, self._warn = connection, take_message, emit, warn

    async def read(self, answer: ServerAnswer, exchange: Exchange) -> None:
        """Hand on the messages of an answer; raise HttpExchangeError if it is none."""
        if not answer.is_accepted:
            await self._take_refusal(answer, exchange)
            return
        if answer.content_type == STREAM_TYPE:
            await self.read_stream(answer, exchange)
        elif answer.content_type == JSON_TYPE:
            try:
                await self._take_message(await answer.read(), exchange)
            except ValueError:
                raise HttpExchangeError(f"{answer.describe()} with content that is not JSON") from None
        else:
            kind = f"content of the type {answer.content_type[:80]}" if answer.content_type else "no content"
            raise HttpExchangeError(f"{answer.describe()} with {kind}, not with a message of MCP")

    async def read_stream(self, answer: ServerAnswer, exchange: Exchange) -> bool:
        """Hand on the messages of a stream until it ends or breaks, and return whether it had an event."""
        parser, pieces, has_event = EventParser(MAX_MESSAGE), answer.read_pieces(), False
        is_answer = bool(exchange.message.ids)
        while True:
            try:
                async with asyncio.timeout(REST_SECONDS if is_answer and not exchange.waiting else None):
                    piece = await anext(pieces, None)
            except TimeoutError:
                return has_event
            except HttpExchangeError as failure:
                exchange.broken = str(failure)
                return has_event
            if piece is None:
                return has_event
            try:
                events = parser.add(piece)
            except ValueError as error:
                raise HttpExchangeError(f"{self._connection.name} has sent {error}") from None
            for event in events:
                has_event = True
                exchange.note_event(event)
                await self._take_event(event, exchange)

    async def _take_event(self, event: ServerEvent, exchange: Exchange) -> None:
        if event.type != b"message" or not event.data:
            return
        try:
            await self._take_message(event.data, exchange)
        except ValueError:
            exchange.broken = f"{self._connection.name} has sent an event that is not JSON"
            self._warn(exchange.broken)

    async def _take_refusal(self, answer: ServerAnswer, exchange: Exchange) -> None:
        """Hand on the error in an answer that reports a failure; raise HttpExchangeError if there is none."""
        reason, hint = answer.describe(), STATUS_HINTS.get(answer.status)
        failure = HttpExchangeError(f"{reason}; {hint}" if hint else reason)
        if answer.content_type != JSON_TYPE or exchange.is_hidden:
            raise failure
        try:
            value = decoder.parse(await answer.read())
        except (ValueError, HttpExchangeError):
            raise failure from None
        error = value.get("error") if isinstance(value, dict) else None
        if not isinstance(error, dict) or not isinstance(error.get("code"), int):
            raise failure
        if hint:
            self._warn(str(failure))
        id_ = value.get("id")
        for waiting in [id_] if is_request_id(id_) and id_ in exchange.waiting else list(exchange.waiting):
            exchange.waiting.discard(waiting)
            await self._emit(self._connection.hide(make_error_line(waiting, reason, error).decode()).encode())
