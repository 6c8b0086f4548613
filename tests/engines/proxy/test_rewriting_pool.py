"""The pool with real processes, whose calls a function here answers."""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import orjson
import pytest

from ctxkit.core.text.limits import EDITABLE
from ctxkit.engines.proxy.own_pages import ProxyMetrics
from ctxkit.engines.proxy.policy import ProxyPolicy, RequestPlan
from ctxkit.engines.proxy.rewriting_pool import RewritingPool, read_line
from ctxkit.engines.server.call_files import CallFiles
from ctxkit.engines.server.request import RequestError
from ctxkit.engines.server.worker_pool import WorkerPool

PLAN = RequestPlan(None, "/v1/chat/completions", "POST", "http://h/v1", ())


def answer(call: dict[str, Any], _: Callable[[], None]) -> int:
    """Answer a request by its words."""
    body = os.pread(0, 100, 0)
    if body == b"die":
        os._exit(1)
    if body == b"wait":
        time.sleep(60)
    if body == b"fail":
        os.write(2, b"ctxkit: the request is nested too deeply\n")
        return 65
    os.write(2, b"ctxkit: warning: something\n" * 2)
    os.write(1, orjson.dumps({"model": "m", "limits": call.get("limits"), "harder": call.get("harder")}) + b"\n")
    if body == b"change":
        os.write(1, b"line 1\nline 2")
    return 0


@contextmanager
def open_pool(*, is_closed: bool = False, is_dry: bool = False) -> Iterator[tuple[RewritingPool, list[str]]]:
    said: list[str] = []
    pool = WorkerPool(answer, 1, 1.0)
    policy = ProxyPolicy("", "1", is_closed=is_closed, masks=False, is_dry=is_dry, asks_window=False, log=said.append)
    try:
        yield RewritingPool(pool, policy, ProxyMetrics(pool, "1")), said
    finally:
        pool.end()


def rewrite(pool: RewritingPool, body: bytes, plan: RequestPlan = PLAN, **how: bool) -> tuple[RequestPlan, bytes]:
    async def run() -> tuple[RequestPlan, bytes]:
        with closing(CallFiles(is_small=True)) as files:
            files.write_body(body)
            changed, content = await pool.rewrite(plan, files, **how)
            data = b"".join([piece async for piece in content.read()])
            assert len(data) == content.size
            return changed, data

    return asyncio.run(run())


def test_a_request_is_sent_as_a_process_writes_it_and_a_warning_is_logged_once() -> None:
    with open_pool() as (pool, said):
        assert rewrite(pool, b"change")[1] == b"line 1\nline 2"
        assert rewrite(pool, b"stay")[1] == b"stay"
    assert said == ["ctxkit: warning: something"]


@pytest.mark.parametrize(("body", "reason"), [(b"die", "the process died"), (b"wait", "no answer after 1 seconds"), (b"fail", "nested too deeply")])
def test_a_failure_passes_the_request_or_refuses_it(body: bytes, reason: str) -> None:
    with open_pool() as (pool, said):
        assert rewrite(pool, body)[1] == body
    assert len(said) == 1
    assert said[0].startswith("ctxkit: warning: a request passes as it came: ")
    assert reason in said[0]
    with open_pool(is_closed=True) as (pool, said):
        with pytest.raises(RequestError) as refused:
            rewrite(pool, body)
        assert refused.value.status == 502
    assert reason in said[0]


def test_a_request_that_is_too_large_is_not_read() -> None:
    with open_pool() as (pool, said), closing(CallFiles(is_small=True)) as files:
        files.write_body(b"x" * (EDITABLE + 1))
        _, content = asyncio.run(pool.rewrite(PLAN, files))
        assert content.size == EDITABLE + 1
    assert "is not read" in said[0]


def test_a_dry_run_changes_nothing() -> None:
    with open_pool(is_dry=True) as (pool, said):
        assert rewrite(pool, b"stay")[1] == b"stay"
    assert said[-1] == "ctxkit: /v1/chat/completions: 4 bytes would pass as they are"


def test_the_window_of_a_refusal_is_remembered_for_its_model() -> None:
    with open_pool() as (pool, _):
        plan, _ = rewrite(pool, b"stay")
        pool.remember_limit(plan, 0)
        assert rewrite(pool, b"stay")[0].report["limits"] == {}
        pool.remember_limit(plan, 2048)
        assert rewrite(pool, b"stay", harder=True)[0].report == {"model": "m", "limits": {"m": 2048}, "harder": True}


@pytest.mark.parametrize(("content", "line", "start"), [(b"", b"", 0), (b"{}\nrest\n", b"{}", 3), (b"no end", b"no end", 6), (b"x" * 600_000 + b"\ny", b"x" * 600_000, 600_001)])
def test_the_report_is_the_first_line(content: bytes, line: bytes, start: int) -> None:
    with closing(CallFiles(is_small=True)) as files:
        files.write_body(content)
        assert read_line(files.input) == (line, start)
