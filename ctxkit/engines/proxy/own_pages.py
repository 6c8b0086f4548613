"""The paths that the proxy answers itself: its health, its metrics, and stored content."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import closing

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ctxkit.core.errors import Exit
from ctxkit.core.serve.metrics import CONTENT_TYPE, format_metrics
from ctxkit.engines.proxy.proxy_metrics import ProxyMetrics
from ctxkit.engines.server.call_files import CallFiles
from ctxkit.engines.server.worker_pool import QueueFullError, WorkerError, WorkerPool

HEALTH, METRICS, REF_PREFIX = "/health", "/metrics", "/ref/"
_FULL_REF, _LINES = re.compile("[0-9a-f]{16,64}"), re.compile(r"-?\d{0,12}(?::\d{0,12})?")
"""A ref that cannot be guessed, and a range of lines."""


def find_own_page(path: str) -> str:
    """Return the name of a page of the proxy for the metrics, "" if the path belongs to the upstream."""
    if path.startswith(REF_PREFIX):
        return "ref"
    return path.strip("/") if path in (HEALTH, METRICS) else ""


def make_pages(pool: WorkerPool, metrics: ProxyMetrics, describe_health: Callable[[], dict[str, object]]) -> Starlette:
    """Return the application that answers these paths."""
    pages = _Pages(pool, metrics, describe_health)
    routes = (HEALTH, pages.answer_health), (METRICS, pages.answer_metrics), (f"{REF_PREFIX}{{ref}}", pages.answer_ref)
    return Starlette(routes=[Route(path, answer) for path, answer in routes])


class _Pages:
    def __init__(
        self, pool: WorkerPool, metrics: ProxyMetrics, describe_health: Callable[[], dict[str, object]]
    ) -> None:
        self._pool, self._metrics, self._describe_health = pool, metrics, describe_health

    async def answer_health(self, _request: Request) -> Response:
        """Answer with the version, the upstream and the processes."""
        return JSONResponse({**self._describe_health(), "process": os.getpid(), "workers": self._pool.size})

    async def answer_metrics(self, _request: Request) -> Response:
        """Answer with the metrics."""
        return PlainTextResponse(format_metrics(self._metrics.list_metrics()), media_type=CONTENT_TYPE)

    async def answer_ref(self, request: Request) -> Response:
        """Answer with the lines of stored content."""
        ref, lines = request.path_params["ref"], request.query_params.get("lines", "")
        if not _FULL_REF.fullmatch(ref) or not _LINES.fullmatch(lines):
            return PlainTextResponse("a ref has 16 to 64 hex digits, and lines are A:B\n", 400)
        with closing(CallFiles(is_small=False)) as files:
            try:
                status = await self._pool.answer({"work": "read", "ref": ref, "lines": lines}, files)
            except (WorkerError, QueueFullError) as error:
                return PlainTextResponse(f"{error}\n", 503)
            if status != Exit.DONE:
                message = files.read_messages(1_000).decode("utf-8", "replace")
                return PlainTextResponse(message or "the ref is not stored\n", 404 if status == Exit.NO else 400)
            return Response(b"".join(files.read_output()), media_type="application/octet-stream")
