"""Send requests to the upstream with httpx2, and define how the proxy treats requests and what it knows of one."""

from __future__ import annotations

import os
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx2
import orjson

from ctxkit.core.proxy.model_apis import QUESTIONS, SHOW, ModelApi, UpstreamFacts, read_facts, read_model
from ctxkit.core.serve import RequestRecord
from ctxkit.core.text.limits import EDITABLE
from ctxkit.engines.server.request import CallFiles

Header = tuple[bytes, bytes]
_CONNECT_SECONDS, FACTS_SECONDS = 10.0, 3.0
"""Seconds to connect, and for each question about the window."""
_MAX_FACTS = 8 << 20
"""Bytes of the answer to such a question that are read."""
_MAX_CONNECTIONS = 200
_OPENAI_BASE = "/v1"
"""Path of the API of OpenAI, which a server may have at another path."""
_HOP_HEADERS = frozenset(
    (
        *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te"),
        *(b"trailer", b"transfer-encoding", b"upgrade"),
    )
)
"""Headers that belong to one connection (RFC 9110, 7.6.1)."""


class UpstreamError(Exception):
    """The upstream does not answer: the status of HTTP for the client, and why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class UpstreamAnswer:
    """An answer: its status and headers, and its body as it comes; ``close`` ends the connection if it is not over."""

    def __init__(self, response: httpx2.Response, name: str) -> None:
        self._response, self._name = response, name
        self.status = response.status_code
        self.headers = drop_hop_headers(response.headers.raw)

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the body in pieces as they come; raise UpstreamError if it ends too early."""
        assert isinstance(self._response.stream, httpx2.AsyncByteStream)
        try:
            async for piece in self._response.stream:
                yield piece
        except httpx2.TimeoutException:
            raise UpstreamError(504, f"{self._name} has sent nothing for too long, and the answer is cut") from None
        except httpx2.TransportError as error:
            reason = f"{self._name} has ended its answer too early: {describe_failure(error)}"
            raise UpstreamError(502, reason) from None

    async def read(self, most: int) -> bytes:
        """Return the body; raise UpstreamError if it is longer than ``most`` bytes."""
        pieces, size = [], 0
        async for piece in self.stream():
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise UpstreamError(502, f"{self._name} has sent an answer of more than {most:,} bytes")
        return b"".join(pieces)

    async def close(self) -> None:
        """End the answer."""
        await self._response.aclose()


class Upstream:
    """The server behind the proxy; ``seconds`` limit each wait for a part of an answer.

    Parameters: ``url`` begins with http:// or https://. The path of a request is added to its path, unless the request
    has that path too.
    """

    def __init__(self, url: str, seconds: float) -> None:
        parts = urlsplit(url)
        self.name = f"{parts.scheme}://{parts.hostname or ''}" + (f":{parts.port}" if parts.port else "")
        self._origin, self._base = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", parts.path.rstrip("/")
        self._seconds = seconds
        self._transport: httpx2.AsyncHTTPTransport | None = None

    @property
    def is_local(self) -> bool:
        """Return whether the upstream runs on this machine."""
        return urlsplit(self._origin).hostname in ("localhost", "127.0.0.1", "::1")

    def make_url(self, path: str, query: str) -> str:
        """Return the address of a path, which is below that of the upstream."""
        has_base = path == self._base or path.startswith(f"{self._base}/")
        return f"{self._origin}{'' if has_base else self._base}{path}{f'?{query}' if query else ''}"

    def _make_question_url(self, path: str) -> str:
        """Return the address of a question; a path of OpenAI is below that of the upstream, if it has one."""
        is_below = self._base and path.startswith(f"{_OPENAI_BASE}/")
        return f"{self._origin}{self._base}{path.removeprefix(_OPENAI_BASE)}" if is_below else f"{self._origin}{path}"

    async def send(
        self, method: str, url: str, headers: Sequence[Header], body: AsyncIterator[bytes] | None, seconds: float = 0
    ) -> UpstreamAnswer:
        """Send a request, and return the beginning of its answer; raise UpstreamError if there is none."""
        wait = seconds or self._seconds
        limits = {"connect": _CONNECT_SECONDS, "read": wait, "write": wait, "pool": _CONNECT_SECONDS}
        try:
            request = httpx2.Request(method, url, headers=list(headers), content=body, extensions={"timeout": limits})
            response = await self._open_transport().handle_async_request(request)
        except httpx2.TimeoutException as error:
            is_slow_to_connect = isinstance(error, httpx2.ConnectTimeout)
            reason = "takes too long to connect" if is_slow_to_connect else "does not answer in time"
            raise UpstreamError(504, f"{self.name} {reason}") from None
        except (httpx2.TransportError, httpx2.InvalidURL, ssl.SSLError) as error:
            raise UpstreamError(502, f"{self.name} cannot be asked: {describe_failure(error)}") from None
        return UpstreamAnswer(response, self.name)

    async def ask(self, path: str, body: bytes | None, headers: Sequence[Header]) -> bytes:
        """Return the answer to a question about the upstream, b"" if it has none."""
        try:
            pieces = None if body is None else _yield_once(body)
            length = [] if body is None else [(b"content-length", b"%d" % len(body))]
            described = [*headers, (b"content-type", b"application/json"), *length]
            method = "GET" if body is None else "POST"
            answer = await self.send(method, self._make_question_url(path), described, pieces, FACTS_SECONDS)
            try:
                return await answer.read(_MAX_FACTS) if answer.status == 200 else b""
            finally:
                await answer.close()
        except UpstreamError:
            return b""

    async def close(self) -> None:
        """Close all connections."""
        if self._transport is not None:
            await self._transport.aclose()

    def _open_transport(self) -> httpx2.AsyncHTTPTransport:
        if self._transport is None:  # a transport belongs to the loop that runs
            limits = httpx2.Limits(max_connections=_MAX_CONNECTIONS, max_keepalive_connections=20)
            self._transport = httpx2.AsyncHTTPTransport(limits=limits, trust_env=False)
        return self._transport


def drop_hop_headers(headers: Iterable[Header]) -> list[Header]:
    """Return headers without those of one connection."""
    headers = list(headers)
    named = {
        token.strip().lower()
        for name, value in headers
        if name.lower() == b"connection"
        for token in value.split(b",")
    }
    return [(name, value) for name, value in headers if name.lower() not in _HOP_HEADERS | named]


async def _yield_once(data: bytes) -> AsyncIterator[bytes]:
    yield data


def describe_failure(error: Exception) -> str:
    """Return why a connection failed in one line, without the address."""
    cause = error.__cause__ or error
    while not str(cause) and cause.__cause__ is not None:
        cause = cause.__cause__
    return " ".join((str(cause) or type(cause).__name__).split())[:200]


class ProxyPolicy(NamedTuple):
    """How the proxy treats requests.

    ``token`` is what each request must carry, "" for none. A request that cannot be rewritten fails if ``is_closed``,
    else it passes as it came. ``masks`` is true if secrets are masked. If ``is_dry``, what would change is only logged.
    ``asks_window`` is true if the upstream is asked for its window. ``report`` is called with each request.
    """

    token: str
    version: str
    is_closed: bool
    masks: bool
    is_dry: bool
    asks_window: bool
    log: Callable[[str], None]
    report: Callable[[RequestRecord], None] | None = None


class RequestPlan(NamedTuple):
    """A request to send: its API, its path, its address and headers, and the report of its rewriting."""

    api: ModelApi | None
    path: str
    method: str
    url: str
    headers: Sequence[Header]
    facts: UpstreamFacts = UpstreamFacts()
    report: dict[str, Any] = {}  # noqa: RUF012 - a default of a named tuple, which nobody changes


_FACTS_SECONDS, _FAILED_SECONDS = 600.0, 60.0
"""Seconds for which an answer with a window holds, and one without."""
_MOST_MODELS = 100
_CREDENTIALS = (b"authorization", b"x-api-key", b"x-goog-api-key")


class WindowFinder:
    """Finds the windows of models; the key of a request is sent with the question, to the same server."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._facts: dict[tuple[str, str], tuple[float, UpstreamFacts]] = {}

    async def find(self, plan: RequestPlan, files: CallFiles) -> UpstreamFacts:
        """Return what the upstream says of the model of a request; nothing if it says nothing."""
        api = plan.api
        if api is None or files.size > EDITABLE:
            return UpstreamFacts()
        model = _peek_model(api, plan.path, files)
        known = self._facts.get((api.name, model))
        if known is not None and monotonic() < known[0]:
            return known[1]
        facts = await self._ask(api, model, plan.headers)
        seconds = _FACTS_SECONDS if facts.window else _FAILED_SECONDS
        if len(self._facts) > _MOST_MODELS:
            self._facts.clear()
        self._facts[api.name, model] = monotonic() + seconds, facts
        return facts

    async def _ask(self, api: ModelApi, model: str, headers: Sequence[Header]) -> UpstreamFacts:
        """Return what the upstream answers to the questions about a model, up to the one that states its window."""
        credentials = [(name, value) for name, value in headers if name.lower() in _CREDENTIALS]
        facts = UpstreamFacts()
        for question in QUESTIONS[api.name]:
            body = orjson.dumps({"model": model}) if question == SHOW else None
            answer = await self._upstream.ask(question.path, body, credentials)
            with suppress(orjson.JSONDecodeError):
                facts = read_facts(question, orjson.loads(answer or b"null"), model)
            if facts.window:
                break
        is_here = self._upstream.is_local and facts.weights.endswith(".gguf") and os.path.isfile(facts.weights)
        return facts if is_here else facts._replace(weights="")


def _peek_model(api: ModelApi, path: str, files: CallFiles) -> str:
    """Return the model that a request names, "" if it is not JSON."""
    data = os.pread(files.input, files.size, 0)
    with suppress(orjson.JSONDecodeError):
        value = orjson.loads(data)
        return read_model(api, path, value) if isinstance(value, dict) else ""
    return ""
