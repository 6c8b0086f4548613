"""Answer requests of HTTP as an ASGI application: read the body, let a process run the command, send its output."""

import asyncio
import hmac
import os
from collections.abc import Callable
from contextlib import closing, suppress
from time import perf_counter
from typing import Any

import orjson

from ctxkit.core.errors import CtxkitError, Exit
from ctxkit.core.serve import (
    BYTES_TYPE,
    CONTENT_TYPE,
    ENGINE_PREFIX,
    HEALTH_PATH,
    JSON_TYPE,
    MAX_MESSAGES,
    METRICS_PATH,
    PREFIX,
    RequestRecord,
    find_endpoint,
    format_metrics,
    make_arguments,
    name_endpoint,
)
from ctxkit.engines.server.request import (
    CallFiles,
    ClientLeftError,
    EndedCommand,
    HttpExchange,
    HttpRequest,
    Receive,
    RequestError,
    Scope,
    Send,
    describe_type,
    make_call,
    read_parameters,
    read_scope,
    receive_body,
    send_output,
    send_pieces,
    send_refusal,
    wait_for_departure,
)
from ctxkit.engines.server.worker_pool import QueueFullError, ServerMetrics, WorkerError, WorkerPool, WorkerTimeoutError

BUILD_HEADER = "ctxkit-build"
CANCEL_SECONDS = 1.0
"""Seconds that requests have to say that the server ends."""


class Application:
    """Answers the endpoints with processes of a pool.

    ``token`` is what a request over the network must carry. ``build`` names this installation: the paths for other
    processes of ctxkit answer no other. ``report`` is called with each request that was answered.
    """

    def __init__(
        self,
        pool: WorkerPool,
        token: str,
        version: str,
        build: str,
        report: Callable[[RequestRecord], None] | None = None,
    ) -> None:
        self._pool, self._token, self._version, self._build = pool, token, version, build
        self._report = report
        self._metrics = ServerMetrics(pool, version)
        self._running: set[asyncio.Task[Any]] = set()
        self._is_draining = self._is_over = False
        self.requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        self.requests += 1
        start, exchange, task = perf_counter(), HttpExchange(receive, send), asyncio.current_task()
        assert task is not None  # uvicorn runs each request as a task
        if not self._is_draining:
            self._running.add(task)
        try:
            await self._answer_or_refuse(scope, exchange)
        except asyncio.CancelledError:
            if not self._is_over:
                raise
            if not exchange.status:
                await self._refuse(RequestError(503, "the server ends"), "shutdown", exchange)
        finally:
            self._running.discard(task)
            self._record(scope["path"], exchange, perf_counter() - start)

    async def drain(self, seconds: float) -> None:
        """Refuse new requests, and wait for those that run; end those that still run after some seconds."""
        self._is_draining = True
        if self._running:
            await asyncio.wait(set(self._running), timeout=seconds)
        self._is_over = True
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(set(self._running), timeout=CANCEL_SECONDS)

    async def _answer_or_refuse(self, scope: Scope, exchange: HttpExchange) -> None:
        try:
            await self._answer(read_scope(scope), exchange)
        except ClientLeftError as error:
            await self._refuse(error, "client_left", exchange)
        except RequestError as error:
            await self._refuse(error, "", exchange)
        except CtxkitError as error:
            await self._refuse(RequestError(400, str(error), error.hint), "", exchange)
        except QueueFullError:
            await self._refuse(RequestError(503, "too many requests wait"), "queue_full", exchange)
        except WorkerTimeoutError as error:
            await self._refuse(RequestError(504, str(error)), "time_limit", exchange)
        except WorkerError as error:
            await self._refuse(RequestError(500, str(error)), "process_died", exchange)

    async def _refuse(self, refusal: RequestError, reason: str, exchange: HttpExchange) -> None:
        """Send a refusal, and count it if it has a reason."""
        if reason:
            self._metrics.errors[reason] += 1
        exchange.closes = self._is_draining
        await send_refusal(refusal, exchange.send)

    def _record(self, path: str, exchange: HttpExchange, seconds: float) -> None:
        record = RequestRecord(name_endpoint(path), exchange.status, seconds, exchange.received, exchange.sent)
        self._metrics.requests.add(record)
        if self._report is not None:
            self._report(record)

    async def _answer(self, request: HttpRequest, exchange: HttpExchange) -> None:
        if self._is_draining and request.path != METRICS_PATH:
            await self._refuse(RequestError(503, "the server ends"), "shutdown", exchange)
            return
        self._check_sender(request)
        if request.path == HEALTH_PATH:
            body = orjson.dumps(self._describe_health())
            await send_pieces(200, describe_type(JSON_TYPE), [body], exchange.send)
        elif request.path == METRICS_PATH:
            await self._answer_metrics(exchange)
        elif request.path.startswith(ENGINE_PREFIX):
            await self._answer_engine(request, exchange)
        else:
            await self._answer_command(request, exchange)

    def _check_sender(self, request: HttpRequest) -> None:
        """Raise a refusal for a request over the network without the token, or from a page in a browser."""
        if "origin" in request.headers:
            raise RequestError(403, "a web page may not ask")
        if request.is_local:
            return
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        is_known = hmac.compare_digest(given.strip().encode(), self._token.encode())
        if not self._token or scheme.lower() != "bearer" or not is_known:
            raise RequestError(401, "the token is missing or wrong", "Authorization: Bearer TOKEN")

    def _describe_health(self) -> dict[str, object]:
        return {
            "version": self._version,
            "process": os.getpid(),
            "workers": self._pool.size,
            "requests": self.requests,
        }

    async def _answer_metrics(self, exchange: HttpExchange) -> None:
        self._metrics.running_requests = len(self._running)
        text = format_metrics(await self._metrics.list_metrics())
        await send_pieces(200, describe_type(CONTENT_TYPE), [text.encode()], exchange.send)

    async def _answer_command(self, request: HttpRequest, exchange: HttpExchange) -> None:
        """Run the command of an endpoint, and send its output."""
        endpoint = find_endpoint(request.path)
        if endpoint is None:
            raise RequestError(404, f"no such endpoint: {request.path[:200]}", f"as in {PREFIX}gate")
        if request.method not in ("POST", "GET"):
            raise RequestError(405, f"{request.method[:20]} is not answered", "POST, with the content as the body")
        as_json = "text/plain" not in request.headers.get("accept", "")
        arguments = make_arguments(endpoint, read_parameters(request.query), as_json=as_json)
        call = make_call(request, arguments=arguments)
        with closing(CallFiles(is_small=endpoint.command[0] not in ("cache", "session"))) as files:
            await receive_body(files, request, exchange.receive)
            status = await self._run(call, files, exchange)
            messages = files.read_messages(MAX_MESSAGES)
            await send_output(EndedCommand(endpoint, status, messages, as_json), files, exchange.send)

    async def _answer_engine(self, request: HttpRequest, exchange: HttpExchange) -> None:
        """Count or map for another process of the same ctxkit on this machine."""
        if not request.is_local or request.headers.get(BUILD_HEADER, "") != self._build:
            raise RequestError(409, "this server is of another ctxkit or another home")
        work = request.path.removeprefix(ENGINE_PREFIX)
        call = make_call(request, work=work, parameters=dict(read_parameters(request.query)))
        with closing(CallFiles(is_small=True)) as files:
            await receive_body(files, request, exchange.receive)
            status = await self._run(call, files, exchange)
            if status != Exit.DONE:
                raise RequestError(500, files.read_messages(MAX_MESSAGES).decode("utf-8", "replace").strip())
            await send_pieces(200, describe_type(BYTES_TYPE), list(files.read_output()), exchange.send)

    async def _run(self, call: dict[str, Any], files: CallFiles, exchange: HttpExchange) -> int:
        """Return the exit status of a call; end the call if its client goes away."""
        answer = asyncio.ensure_future(self._pool.answer(call, files))
        departure = asyncio.ensure_future(wait_for_departure(exchange.receive))
        try:
            await asyncio.wait((answer, departure), return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise ClientLeftError
            exchange.closes = self._is_draining
            return answer.result()
        finally:
            for task in (answer, departure):
                task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await answer
