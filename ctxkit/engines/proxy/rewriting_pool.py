"""Let a process rewrite a request, and let it pass, or fail, if that fails."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any, NamedTuple

import orjson

from ctxkit.core.errors import Exit
from ctxkit.core.text.limits import EDITABLE
from ctxkit.engines.proxy.own_pages import ProxyMetrics
from ctxkit.engines.proxy.policy import ProxyPolicy, RequestPlan
from ctxkit.engines.server.call_files import PIECE, CallFiles
from ctxkit.engines.server.request import RequestError
from ctxkit.engines.server.worker_pool import QueueFullError, WorkerError, WorkerPool

MAX_LIMITS = 100
"""Models whose windows are remembered."""
MAX_MESSAGES, MAX_WARNINGS = 4_000, 1_000
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
        if limit and len(self._limits) < MAX_LIMITS:
            self._limits[str(plan.report.get("model", ""))] = limit

    async def take_hidden_turn(self, plan: RequestPlan, files: CallFiles, progress: HiddenProgress) -> HiddenOutcome:
        """Return what follows an answer, which passes as it came if its calls cannot be answered.

        Parameters: ``files`` have the request as it came, and the answer after it.
        """
        call = {"work": "continue", "path": plan.path, "size": progress.request_size, "limits": self._limits}
        call |= {"window": plan.facts.window, "weights": plan.facts.weights}
        try:
            status = await self._pool.answer({**call, "usage": progress.usage, "left": progress.left}, files)
            reason = "" if status == Exit.DONE else files.read_messages(MAX_MESSAGES).decode("utf-8", "replace").strip()
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
        messages = files.read_messages(MAX_MESSAGES).decode("utf-8", "replace").strip()
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
        if line not in self._warned and len(self._warned) < MAX_WARNINGS:
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
