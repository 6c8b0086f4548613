"""The proxy as an ASGI application: rewrite a request, send it to the upstream, and pass the answer on as it comes."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from time import perf_counter
from typing import Any

from starlette.responses import JSONResponse

from ctxkit.core.proxy.model_apis import ModelApi, find_api, is_context_error, make_error, read_window_limit
from ctxkit.core.serve import RequestRecord
from ctxkit.engines.proxy.rewriting_pool import (
    TOKEN_HEADER,
    HiddenProgress,
    ProxyMetrics,
    RequestBody,
    RewritingPool,
    Sender,
    check_sender,
    drop_token,
    find_own_page,
    make_pages,
)
from ctxkit.engines.proxy.upstream import (
    Header,
    ProxyPolicy,
    RequestPlan,
    Upstream,
    UpstreamAnswer,
    UpstreamError,
    WindowFinder,
    drop_hop_headers,
)
from ctxkit.engines.server.request import (
    PIECE,
    CallFiles,
    ClientLeftError,
    HttpExchange,
    Receive,
    RequestError,
    Scope,
    Send,
    read_scope,
    receive_body,
    wait_for_departure,
)
from ctxkit.engines.server.worker_pool import WorkerPool

MAX_ANSWER, MAX_ERROR = 16 << 20, 1 << 20
"""Bytes of an answer that are kept to read its usage, and of an error that is read before it passes."""
MAX_HIDDEN_TURNS = 8
"""Answers in a row whose calls of the proxy's functions are answered; a later one passes with its calls."""
CANCEL_SECONDS = 1.0
"""Seconds that requests have to end after they were cancelled."""
_DROPPED = (b"host", b"content-length", b"expect", TOKEN_HEADER.encode())


class ProxyApplication:
    """Answers requests of clients with the answers of the upstream."""

    def __init__(self, pool: WorkerPool, upstream: Upstream, policy: ProxyPolicy) -> None:
        logging.getLogger("uvicorn.error").addHandler(logging.NullHandler())  # the proxy logs a cut answer in one line
        self._upstream, self._policy = upstream, policy
        self._metrics = ProxyMetrics(pool, policy.version)
        self._rewriting = RewritingPool(pool, policy, self._metrics)
        self._windows = WindowFinder(upstream)
        self._pages = make_pages(pool, self._metrics, self._describe_health)
        self._running: set[asyncio.Task[Any]] = set()
        self._recording: set[asyncio.Task[None]] = set()
        self._is_draining = False
        self.requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        self.requests += 1
        start, exchange, task = perf_counter(), HttpExchange(receive, send), asyncio.current_task()
        assert task is not None  # uvicorn runs each request as a task
        self._running.add(task)
        self._metrics.running_requests = len(self._running)
        exchange.closes = self._is_draining
        name = "other"
        try:
            name = await self._answer(scope, exchange)
        except RequestError as error:
            await _refuse(error.status, f"{error}{f' ({error.hint})' if error.hint else ''}", scope, exchange)
        except UpstreamError as error:
            self._metrics.steps["upstream_failed"] += 1
            self._policy.log(f"ctxkit: {error}")
            await _refuse(error.status, str(error), scope, exchange)
        finally:
            self._running.discard(task)
            record = RequestRecord(name, exchange.status, perf_counter() - start, exchange.received, exchange.sent)
            self._metrics.requests.add(record)
            if self._policy.report is not None:
                self._policy.report(record)

    async def drain(self, seconds: float) -> None:
        """Refuse new requests, and wait for those that run; end those that still run after some seconds."""
        self._is_draining = True
        if self._running:
            await asyncio.wait(set(self._running), timeout=seconds)
        if self._recording:
            await asyncio.wait(set(self._recording), timeout=seconds)
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(set(self._running), timeout=CANCEL_SECONDS)
        await self._upstream.close()

    def _describe_health(self) -> dict[str, object]:
        return {"version": self._policy.version, "requests": self.requests, "upstream": self._upstream.name}

    async def _answer(self, scope: Scope, exchange: HttpExchange) -> str:
        """Answer a request, and return its name for the metrics."""
        if self._is_draining:
            raise RequestError(503, "the proxy ends")
        request = read_scope(scope)
        path = check_sender(Sender(request.headers, scope["path"]), self._policy.token)
        if page := find_own_page(path):
            await self._pages({**scope, "path": path}, exchange.receive, exchange.send)
            return page
        if request.headers.get("upgrade", "").strip().lower() == "websocket":
            raise RequestError(426, "WebSockets are not passed on", "send the request over HTTP")
        api = find_api(scope["method"], path)
        with closing(CallFiles(is_small=True)) as files:
            await receive_body(files, request, exchange.receive)
            answering = asyncio.ensure_future(self._pass_on(api, path, scope, files, exchange))
            leaving = asyncio.ensure_future(wait_for_departure(exchange.receive))
            try:
                await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
                if not answering.done():
                    raise ClientLeftError
                await answering
            finally:
                for task in (answering, leaving):
                    task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await answering
        return api.name if api else "other"

    async def _pass_on(
        self, api: ModelApi | None, path: str, scope: Scope, files: CallFiles, exchange: HttpExchange
    ) -> None:
        """Rewrite a request, send it, and pass the answer on."""
        raw_path = drop_token(scope["raw_path"].decode("latin-1"))
        url = self._upstream.make_url(raw_path, scope["query_string"].decode("latin-1"))
        headers = _choose_headers(scope["headers"], reads_answer=api is not None)
        plan, body = RequestPlan(api, path, scope["method"], url, headers), RequestBody(files.input, 0, files.size)
        if api is not None and files.size:
            if self._policy.asks_window:
                plan = plan._replace(facts=await self._windows.find(plan, files))
            plan, body = await self._rewriting.rewrite(plan, files)
            if plan.report.get("error") and not self._policy.is_dry:
                await JSONResponse(plan.report["error"], 400)(scope, exchange.receive, exchange.send)
                return
        elif self._policy.masks and files.size:
            plan, body = await self._rewriting.mask(plan, files)
        answer = await self._send(plan, body)
        answer, content = await self._retry(plan, files, answer)
        if plan.report.get("own") and content is None and answer.status == 200 and not self._policy.is_dry:
            await self._pass_own(plan, files, answer, scope, exchange)
            return
        await self._pass_answer(plan, answer, content, exchange)

    async def _pass_own(
        self, plan: RequestPlan, files: CallFiles, answer: UpstreamAnswer, scope: Scope, exchange: HttpExchange
    ) -> None:
        """Answer the calls of the proxy's functions, and pass the answer on that has none."""
        usage, content = None, await _read_whole(answer, MAX_ANSWER)
        for left in range(MAX_HIDDEN_TURNS, -1, -1):
            calls = _names_own(plan, content)
            if not calls and usage is None:
                break
            with closing(_join_files(files, content)) as both:
                progress = HiddenProgress(files.size, usage, left if calls else 0)
                outcome = await self._rewriting.take_hidden_turn(plan, both, progress)
                if outcome.report is None or outcome.content is None:
                    summed = await _join_pieces(outcome.content)
                    await self._pass_answer(plan, answer, content, exchange, summed or content)
                    return
                if outcome.report["error"]:
                    await JSONResponse(outcome.report["error"], 400)(scope, exchange.receive, exchange.send)
                    return
                usage = outcome.usage
                answer, refusal = await self._retry(plan, files, await self._send(plan, outcome.content))
            content = await _read_whole(answer, MAX_ANSWER) if refusal is None else refusal
            if answer.status != 200:
                break
        await self._pass_answer(plan, answer, content, exchange)

    async def _send(self, plan: RequestPlan, body: RequestBody) -> UpstreamAnswer:
        headers = list(plan.headers)
        if body.size or plan.method in ("POST", "PUT", "PATCH"):
            headers.append((b"content-length", b"%d" % body.size))
        return await self._upstream.send(plan.method, plan.url, headers, body.read() if body.size else None)

    async def _retry(
        self, plan: RequestPlan, files: CallFiles, answer: UpstreamAnswer
    ) -> tuple[UpstreamAnswer, bytes | None]:
        """Return the answer, and its content if it was read; compact harder once if the request was too long."""
        if plan.api is None or answer.status < 400:
            return answer, None
        content = await _read_whole(answer)
        if not is_context_error(answer.status, content) or self._policy.is_dry or not plan.report:
            return answer, content
        limit = read_window_limit(content)
        self._rewriting.remember_limit(plan, limit)
        plan, body = await self._rewriting.rewrite(plan, files, harder=True)
        if not plan.report.get("steps") or plan.report.get("error"):
            return answer, content
        self._metrics.steps["retried"] += 1
        answer = await self._send(plan, body)
        return answer, (None if answer.status < 400 else await _read_whole(answer))

    async def _pass_answer(
        self,
        plan: RequestPlan,
        answer: UpstreamAnswer,
        content: bytes | None,
        exchange: HttpExchange,
        shown: bytes = b"",
    ) -> None:
        """Pass an answer on as it comes, and record its usage at the end; the client gets ``shown`` for ``content``."""
        reads = _has_usage(plan, answer) and plan.report.get("session")
        answer_files = CallFiles(is_small=True)
        try:
            headers = _set_length(answer.headers, len(shown)) if shown else answer.headers
            await exchange.send({"type": "http.response.start", "status": answer.status, "headers": headers})
            async for piece in answer.stream() if content is None else _yield_once(content):
                if not shown:
                    await exchange.send({"type": "http.response.body", "body": piece, "more_body": True})
                if reads and answer_files.size <= MAX_ANSWER:
                    answer_files.write_body(piece)
            if shown:
                await exchange.send({"type": "http.response.body", "body": shown, "more_body": True})
            await exchange.send({"type": "http.response.body", "body": b"", "more_body": False})
        except BaseException:
            answer_files.close()
            raise
        finally:
            await answer.close()
        if not 0 < answer_files.size <= MAX_ANSWER:
            answer_files.close()
            return
        task = asyncio.ensure_future(self._rewriting.record(plan, answer_files))
        self._recording.add(task)
        task.add_done_callback(self._recording.discard)


def _choose_headers(headers: list[Header], *, reads_answer: bool) -> list[Header]:
    """Return the headers for the upstream; an answer that is read for its usage must not be compressed."""
    dropped = (*_DROPPED, b"accept-encoding") if reads_answer else _DROPPED
    kept = [(name, value) for name, value in drop_hop_headers(headers) if name.lower() not in dropped]
    return [*kept, (b"accept-encoding", b"identity")] if reads_answer else kept


async def _refuse(status: int, message: str, scope: Scope, exchange: HttpExchange) -> None:
    """Answer with an error in the form of the API; an answer that has begun is cut, so that the client sees it."""
    if exchange.status:
        return
    api = find_api(scope["method"], scope["path"])
    error = make_error(api.name if api else "", status, f"ctxkit proxy: {message}", "ctxkit_proxy")
    with suppress(OSError):
        await JSONResponse(error, status)(scope, exchange.receive, exchange.send)


def _names_own(plan: RequestPlan, content: bytes) -> bool:
    """Return whether an answer has the name of a function that the proxy has added to its request."""
    return any(name.encode() in content for name in plan.report["own"])


def _has_usage(plan: RequestPlan, answer: UpstreamAnswer) -> bool:
    """Return whether an answer says what its request has used."""
    return answer.status == 200 and plan.api is not None and not plan.api.counts_only


async def _join_pieces(body: RequestBody | None) -> bytes:
    """Return the bytes of a body, none without one."""
    return b"".join([piece async for piece in body.read()]) if body else b""


async def _read_whole(answer: UpstreamAnswer, most: int = MAX_ERROR) -> bytes:
    """Return the content of an answer, by default of an error, and end the answer."""
    try:
        return await answer.read(most)
    finally:
        await answer.close()


def _join_files(files: CallFiles, answer: bytes) -> CallFiles:
    """Return the files of a call whose input is a request as it came, then the answer to it."""
    both, at = CallFiles(is_small=True), 0
    while piece := os.pread(files.input, PIECE, at):
        at += len(piece)
        both.write_body(piece)
    both.write_body(answer)
    return both


def _set_length(headers: list[Header], size: int) -> list[Header]:
    kept = [(name, value) for name, value in headers if name.lower() != b"content-length"]
    return [*kept, (b"content-length", b"%d" % size)]


async def _yield_once(data: bytes) -> AsyncIterator[bytes]:
    yield data
