"""Send requests to one URL with httpx2, and hand out its answers as they come.

What is sent was meant for that URL, so that a redirect is followed on the same host only, with the same method. Proxies
are those of the environment, and cookies are kept: a load balancer may know by one which server has the session.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from urllib.parse import urlsplit

import httpx2

from ctxkit.core.mcp.http_messages import INITIALIZE, EventParser, HttpMessage, ServerEvent, make_error_line
from ctxkit.core.mcp.protocol import is_request_id
from ctxkit.engines import decoder
from ctxkit.engines.proxy.upstream import describe_failure

Headers = Sequence[tuple[str, str]]
_CONNECT_SECONDS, SILENT_SECONDS = 10.0, 300.0
"""Seconds to connect, and those without a byte of an answer after which it has failed, as in the SDK of Python."""
_MAX_CONNECTIONS, _MAX_REDIRECTS = 1_000, 5
MAX_MESSAGE = 256 << 20
"""Bytes of a message of the server that are read."""
_LEAST_SECRET = 6
"""Characters of a part of a header that errors do not show: shorter ones occur in any text."""


class HttpExchangeError(Exception):
    """The server did not answer, or not as a server of MCP does: why, in one line."""


class RefusedError(HttpExchangeError):
    """The server refuses a request, and would refuse it again."""


class ServerAnswer:
    """An answer whose body has not been read: its status, its type, and the session that it names."""

    def __init__(self, response: httpx2.Response, name: str) -> None:
        self._response, self._name = response, name
        self.status = response.status_code
        self.content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self.session_id: str = response.headers.get("mcp-session-id", "")

    @property
    def is_accepted(self) -> bool:
        """Return whether the status reports success."""
        return 200 <= self.status < 300

    def describe(self) -> str:
        """Return the status in words, and where a redirect leads that is not followed."""
        known = [status.phrase for status in HTTPStatus if status == self.status]
        text = f"{self._name} answered {' '.join([str(self.status), *known])}"
        following = self._response.next_request
        if following is None:
            return text
        return f"{text}: it redirects to {format_origin(str(following.url))}, which does not get the headers"

    async def read_pieces(self) -> AsyncIterator[bytes]:
        """Yield the decoded body in pieces as they come; raise HttpExchangeError if it ends too early."""
        try:
            async for piece in self._response.aiter_bytes():
                yield piece
        except httpx2.TimeoutException:
            raise HttpExchangeError(f"{self._name} has sent nothing for too long") from None
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise HttpExchangeError(f"{self._name} has ended its answer too early: {describe_failure(error)}") from None

    async def read(self) -> bytes:
        """Return the body; raise HttpExchangeError if it is too long."""
        pieces, size = [], 0
        async for piece in self.read_pieces():
            pieces.append(piece)
            size += len(piece)
            if size > MAX_MESSAGE:
                raise HttpExchangeError(f"{self._name} has sent a message of more than {MAX_MESSAGE:,} bytes")
        return b"".join(pieces)


class HttpConnection:
    """Sends requests with some headers to a URL, which begins with http:// or https://."""

    def __init__(self, url: str, headers: Headers) -> None:
        self.name = format_origin(url)
        self._url = url
        self._secrets = _list_secrets(url, headers)
        limits = httpx2.Limits(max_connections=_MAX_CONNECTIONS, max_keepalive_connections=20)
        self._client = httpx2.AsyncClient(headers=list(headers), limits=limits, follow_redirects=False)

    def hide(self, text: str) -> str:
        """Return a text without values of the headers."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    @asynccontextmanager
    async def send(
        self, method: str, headers: Headers, body: bytes | None = None, seconds: float = SILENT_SECONDS
    ) -> AsyncIterator[ServerAnswer]:
        """Send a request, and hand out its answer; raise HttpExchangeError if there is none.

        ``seconds`` limit each wait for a part of the answer.
        """
        response = await self._follow(method, headers, body, seconds)
        try:
            yield ServerAnswer(response, self.name)
        finally:
            await response.aclose()

    async def _follow(self, method: str, headers: Headers, body: bytes | None, seconds: float) -> httpx2.Response:
        limits = httpx2.Timeout(seconds, connect=_CONNECT_SECONDS, pool=_CONNECT_SECONDS)
        try:
            request = self._client.build_request(
                method, self._url, headers=list(headers), content=body, timeout=limits
            )
            for _ in range(_MAX_REDIRECTS):
                response = await self._client.send(request, stream=True)
                following = response.next_request
                if following is None or not _is_same_place(request, following):
                    break
                await response.aclose()
                request = following
        except httpx2.TimeoutException as error:
            is_slow_to_connect = isinstance(error, httpx2.ConnectTimeout)
            reason = "takes too long to connect" if is_slow_to_connect else "does not answer in time"
            raise HttpExchangeError(f"{self.name} {reason}") from None
        except (httpx2.TransportError, httpx2.DecodingError, httpx2.InvalidURL, ssl.SSLError, OSError) as error:
            raise HttpExchangeError(f"{self.name} cannot be asked: {describe_failure(error)}") from None
        return response

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()


def format_origin(url: str) -> str:
    """Return the scheme, the host and the port of a URL, whose other parts may contain a key."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def _is_same_place(request: httpx2.Request, following: httpx2.Request) -> bool:
    """Return whether a redirect keeps the method and the host; https may replace http on their usual ports."""
    before, after = request.url, following.url
    is_upgrade = (before.scheme, after.scheme, before.port, after.port) == ("http", "https", None, None)
    has_place = (before.scheme, before.port) == (after.scheme, after.port) or is_upgrade
    return following.method == request.method and before.host == after.host and has_place and not after.userinfo


def _list_secrets(url: str, headers: Headers) -> list[str]:
    """Return what no error may show: values of headers, their words, and the values in the URL, the longest first."""
    texts = [value for _, value in headers]
    query = [pair.partition("=")[2] for pair in urlsplit(url).query.split("&")]
    words = [word for text in texts for word in text.split()]
    secrets = {text for text in (*texts, *words, *query) if len(text) >= _LEAST_SECRET}
    return sorted(secrets - {"Bearer", "Digest"}, key=len, reverse=True)


JSON_TYPE, STREAM_TYPE = "application/json", "text/event-stream"
_RETRY_SECONDS = 1.0
"""Seconds before a stream is resumed if the server does not say how long, as in the SDK of Python."""
_REST_SECONDS = 1.0
"""Seconds for which a stream is read after the last answer that is expected in it, if it does not end."""
_KEY_HINT = "--header or --header-env sends a key; a server with OAuth needs mcp-remote"
_STATUS_HINTS = {
    401: _KEY_HINT,
    403: _KEY_HINT,
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
        self.last_id, self.retry = b"", _RETRY_SECONDS
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
                async with asyncio.timeout(_REST_SECONDS if is_answer and not exchange.waiting else None):
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
        reason, hint = answer.describe(), _STATUS_HINTS.get(answer.status)
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
