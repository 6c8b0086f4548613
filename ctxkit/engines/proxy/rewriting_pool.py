"""Let a process rewrite a request, or let it pass; and the requests that the proxy answers itself."""

from __future__ import annotations

import hmac
import os
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ctxkit.core.errors import Exit
from ctxkit.core.serve import CONTENT_TYPE, Metric, RequestMetrics, Sample, format_metrics
from ctxkit.core.text.limits import EDITABLE
from ctxkit.engines.proxy.upstream import ProxyPolicy, RequestPlan
from ctxkit.engines.server.request import PIECE, CallFiles, RequestError
from ctxkit.engines.server.worker_pool import QueueFullError, WorkerError, WorkerPool, measure_memory

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


_MAX_LIMITS = 100
"""Models whose windows are remembered."""
_MESSAGE_BYTES, _MAX_WARNINGS = 4_000, 1_000
"""Bytes of the messages of a call, and number of warnings that are remembered so that each is logged once."""


class RequestBody:
    """The content to send: the descriptor of a file from an offset on."""

    def __init__(self, descriptor: int, start: int, size: int) -> None:
        self._descriptor, self._start, self.size = descriptor, start, size

    async def read(self) -> AsyncIterator[bytes]:
        """Yield the content in pieces."""
        at = self._start
        while piece := os.pread(self._descriptor, PIECE, at):
            at += len(piece)
            yield piece


class HiddenProgress(NamedTuple):
    """How far a request with functions of the proxy is.

    That is the bytes of the request as it came, the usage of the answers so far, and the hidden turns that are left.
    """

    request_size: int
    usage: Any
    left: int


class HiddenOutcome(NamedTuple):
    """What follows an answer: the report of the next request if there is one, the usage so far, and the content.

    The content is that of the next request, or of the answer for the client, empty if that passes as it came.
    """

    report: dict[str, Any] | None = None
    usage: Any = None
    content: RequestBody | None = None


class RewritingPool:
    """Processes that rewrite requests, and record the usage of answers."""

    def __init__(self, pool: WorkerPool, policy: ProxyPolicy, metrics: ProxyMetrics) -> None:
        self._pool, self._policy, self._metrics = pool, policy, metrics
        self._limits: dict[str, int] = {}
        self._warned: set[str] = set()

    async def rewrite(
        self, plan: RequestPlan, files: CallFiles, *, harder: bool = False
    ) -> tuple[RequestPlan, RequestBody]:
        """Return the request as it is sent; if it cannot be rewritten, it passes, or fails if failures are closed."""
        if files.size > EDITABLE:
            return self._fail(plan, files, f"a request of more than {EDITABLE:,} bytes is not read")
        call = {"work": "rewrite", "path": plan.path, "harder": harder, "limits": self._limits}
        call |= {"window": plan.facts.window, "weights": plan.facts.weights}
        return await self._call(plan, files, call)

    def remember_limit(self, plan: RequestPlan, limit: int) -> None:
        """Remember the window with which the upstream refused a request, if it names one."""
        if limit and len(self._limits) < _MAX_LIMITS:
            self._limits[str(plan.report.get("model", ""))] = limit

    async def take_hidden_turn(self, plan: RequestPlan, files: CallFiles, progress: HiddenProgress) -> HiddenOutcome:
        """Return what follows an answer, which passes as it came if its calls cannot be answered.

        Parameters: ``files`` have the request as it came, and the answer after it.
        """
        call = {"work": "continue", "path": plan.path, "size": progress.request_size, "limits": self._limits}
        call |= {"window": plan.facts.window, "weights": plan.facts.weights}
        try:
            status = await self._pool.answer({**call, "usage": progress.usage, "left": progress.left}, files)
            messages = b"" if status == Exit.DONE else files.read_messages(_MESSAGE_BYTES)
            reason = messages.decode("utf-8", "replace").strip()
        except (WorkerError, QueueFullError) as error:
            status, reason = 1, str(error)
        if status != Exit.DONE:
            self._warn(f"ctxkit: warning: an answer passes with calls of the proxy's functions: {reason}")
            return HiddenOutcome()
        header, start = read_line(files.output)
        report = orjson.loads(header)
        content = RequestBody(files.output, start, files.measure_output() - start)
        if report["rewrite"]:
            self._metrics.add_rewrite(report["rewrite"])
            self._metrics.steps["hidden_turn"] += 1
        return HiddenOutcome(report["rewrite"], report["usage"], content)

    async def mask(self, plan: RequestPlan, files: CallFiles) -> tuple[RequestPlan, RequestBody]:
        """Return a request that is not read, without keys and passwords."""
        return await self._call(plan, files, {"work": "mask"})

    async def _call(self, plan: RequestPlan, files: CallFiles, call: dict[str, Any]) -> tuple[RequestPlan, RequestBody]:
        """Let a process rewrite a request; return the plan with the report, and the content to send."""
        try:
            status = await self._pool.answer(call, files)
        except (WorkerError, QueueFullError) as error:
            return self._fail(plan, files, str(error) or "too many requests wait")
        messages = files.read_messages(_MESSAGE_BYTES).decode("utf-8", "replace").strip()
        if status != Exit.DONE:
            return self._fail(plan, files, (messages.splitlines() or [f"status {status}"])[-1].removeprefix("ctxkit: "))
        for line in filter(None, messages.splitlines()):
            self._warn(line)
        header, start = read_line(files.output)
        report = orjson.loads(header)
        if report:
            self._metrics.add_rewrite(report)
        plan = plan._replace(report=report)
        size = files.measure_output() - start
        if self._policy.is_dry:
            self._log_plan(plan, files.size, size)
        is_changed = size and not self._policy.is_dry
        return plan, RequestBody(files.output, start, size) if is_changed else RequestBody(files.input, 0, files.size)

    def _fail(self, plan: RequestPlan, files: CallFiles, reason: str) -> tuple[RequestPlan, RequestBody]:
        """Return the request as it came, with a warning; raise RequestError if failures are closed."""
        if self._policy.is_closed:
            self._metrics.steps["failed_closed"] += 1
            self._policy.log(f"ctxkit: a request is not sent: {reason}")
            raise RequestError(502, f"the request is not sent: {reason}", "redact, never_store or strict is on")
        self._metrics.steps["failed_open"] += 1
        self._policy.log(f"ctxkit: warning: a request passes as it came: {reason}")
        return plan, RequestBody(files.input, 0, files.size)

    def _log_plan(self, plan: RequestPlan, before: int, after: int) -> None:
        """Log what would become of a request."""
        report = plan.report
        if not after and not report.get("error"):
            self._policy.log(f"ctxkit: {plan.path}: {before:,} bytes would pass as they are")
            return
        gated = [f"{report['gated']} results gated"] if report.get("gated") else []
        done = ", ".join([*report.get("steps", ()), *gated])
        size = f"{before:,} bytes would become {after:,}" if after else f"{before:,} bytes would be refused"
        self._policy.log(f"ctxkit: {plan.path}: {size}, {report['tokens']:,} tokens{f' ({done})' if done else ''}")

    def _warn(self, line: str) -> None:
        """Log a warning once."""
        if line not in self._warned and len(self._warned) < _MAX_WARNINGS:
            self._warned.add(line)
            self._policy.log(line)

    async def record(self, plan: RequestPlan, files: CallFiles) -> None:
        """Add the usage of an answer to the ledger of its conversation, and to the metrics."""
        report = plan.report
        call = {key: report[key] for key in ("session", "model", "window")}
        with closing(files):
            try:
                if await self._pool.answer({"work": "record", **call}, files) == Exit.DONE:
                    usage = orjson.loads(read_line(files.output)[0])
                    self._metrics.tokens["input"] += usage["used"] or 0
                    self._metrics.tokens["output"] += usage["output"] or 0
                    return
                reason = files.read_messages(400).decode("utf-8", "replace").strip()
            except (WorkerError, QueueFullError) as error:
                reason = str(error)
        self._warn(f"ctxkit: warning: the usage of an answer is not recorded: {reason}")


def read_line(descriptor: int) -> tuple[bytes, int]:
    """Return the first line of a file, and the offset of the second."""
    data, at = b"", 0
    while piece := os.pread(descriptor, PIECE, at):
        at += len(piece)
        line, newline, _ = (data + piece).partition(b"\n")
        if newline:
            return line, len(line) + 1
        data += piece
    return data, len(data)


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
