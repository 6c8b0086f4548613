"""The requests that the proxy answers itself: its health, metrics and stored content; and who may ask."""

from __future__ import annotations

import hmac
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ctxkit.core.errors import Exit
from ctxkit.core.serve import CONTENT_TYPE, Metric, RequestMetrics, Sample, format_metrics
from ctxkit.engines.server.call_files import CallFiles
from ctxkit.engines.server.request import RequestError
from ctxkit.engines.server.server_metrics import measure_memory
from ctxkit.engines.server.worker_pool import QueueFullError, WorkerError, WorkerPool

STEPS = (
    *("gated", "compacted", "hidden_turn", "retried", "refused"),
    *("failed_open", "failed_closed", "upstream_failed"),
)
"""What may become of a request: results were gated, it was compacted, and so on."""


class ProxyMetrics:
    """The metrics of a proxy."""

    def __init__(self, pool: WorkerPool, version: str) -> None:
        self._pool, self._version = pool, version
        self.requests = RequestMetrics()
        self.steps: Counter[str] = Counter(dict.fromkeys(STEPS, 0))
        self.tokens: Counter[str] = Counter(input=0, output=0)
        self.running_requests = 0

    def add_rewrite(self, facts: dict[str, Any]) -> None:
        """Count what was done with a request."""
        self.steps["gated"] += bool(facts.get("gated"))
        self.steps["compacted"] += bool(facts.get("steps"))
        self.steps["refused"] += bool(facts.get("error"))

    def list_metrics(self) -> Iterable[Metric]:
        """Return all metrics."""
        return [*self.requests.list_metrics(), *self._list_own()]

    def _list_own(self) -> Iterator[Metric]:
        steps = [Sample(count, {"step": step}) for step, count in self.steps.items()]
        yield Metric("ctxkit_proxy_steps_total", "counter", "Requests by what the proxy did with them.", steps)
        tokens = [Sample(count, {"kind": kind}) for kind, count in self.tokens.items()]
        yield Metric("ctxkit_proxy_tokens_total", "counter", "Tokens that the upstream counted.", tokens)
        help_text = "Requests that are being answered, with this one."
        yield Metric("ctxkit_requests_running", "gauge", help_text, [Sample(self.running_requests)])
        memory = {"server": measure_memory([os.getpid()]), "workers": measure_memory(self._pool.process_ids)}
        samples = [Sample(size, {"process": process}) for process, size in memory.items() if size]
        help_text = "Resident memory; pages that processes share count once for each."
        yield Metric("ctxkit_resident_memory_bytes", "gauge", help_text, samples)
        yield Metric("ctxkit_build_info", "gauge", "The version of ctxkit.", [Sample(1, {"version": self._version})])


_HEALTH, _METRICS, _REF = "/health", "/metrics", "/ref/"
_FULL_REF, _LINES = re.compile("[0-9a-f]{16,64}"), re.compile(r"-?\d{0,12}(?::\d{0,12})?")
"""A ref that cannot be guessed, and a range of lines."""


def find_own_page(path: str) -> str:
    """Return the name of a page of the proxy for the metrics, "" if the path belongs to the upstream."""
    if path.startswith(_REF):
        return "ref"
    return path.strip("/") if path in (_HEALTH, _METRICS) else ""


def make_pages(pool: WorkerPool, metrics: ProxyMetrics, describe_health: Callable[[], dict[str, object]]) -> Starlette:
    """Return the application that answers these paths."""
    pages = _Pages(pool, metrics, describe_health)
    routes = (_HEALTH, pages.answer_health), (_METRICS, pages.answer_metrics), (f"{_REF}{{ref}}", pages.answer_ref)
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


TOKEN_HEADER = "x-ctxkit-token"
_TOKEN_PATH = "/token/"
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""Names by which a program on this machine calls the proxy; a page that has its name point here has another."""


class Sender(NamedTuple):
    """What says who sends a request: the headers by lower-case name, and the path."""

    headers: dict[str, str]
    path: str


def check_sender(sender: Sender, token: str) -> str:
    """Return the path of a request, without a token in it; raise RequestError for a request that is refused."""
    if "origin" in sender.headers:
        raise RequestError(403, "a web page may not ask")
    path, given = sender.path, sender.headers.get(TOKEN_HEADER, "")
    if path.startswith(_TOKEN_PATH):
        given, path = path.removeprefix(_TOKEN_PATH).partition("/")[0], drop_token(path)
    if token:
        if not hmac.compare_digest(given.encode("utf-8", "replace"), token.encode()):
            hint = "X-Ctxkit-Token: TOKEN, or the path /token/TOKEN/..."
            raise RequestError(401, "the token is missing or wrong", hint)
        return path
    host = sender.headers.get("host", "").lower()
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name not in _LOOPBACK:
        raise RequestError(403, "the host of the request is not this machine", "as in http://127.0.0.1:8900")
    return path


def drop_token(path: str) -> str:
    """Return a path without the token at its beginning."""
    if not path.startswith(_TOKEN_PATH):
        return path
    _, slash, rest = path.removeprefix(_TOKEN_PATH).partition("/")
    return f"{slash}{rest}"
