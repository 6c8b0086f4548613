"""The pool with real processes, whose calls a function here answers."""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import orjson
import pytest
from prometheus_client.parser import text_string_to_metric_families

from ctxkit.core.serve import format_metrics
from ctxkit.core.text.limits import EDITABLE
from ctxkit.engines.proxy.rewriting_pool import (
    STEPS,
    ProxyMetrics,
    RewritingPool,
    Sender,
    check_sender,
    drop_token,
    find_own_page,
    read_line,
)
from ctxkit.engines.proxy.upstream import ProxyPolicy, RequestPlan
from ctxkit.engines.server.request import CallFiles, RequestError
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


@pytest.mark.parametrize(("path", "name"), [("/health", "health"), ("/metrics", "metrics"), ("/ref/0123", "ref"), ("/v1/health", ""), ("/healthy", ""), ("/refs", "")])
def test_only_the_paths_of_the_proxy_are_its_own(path: str, name: str) -> None:
    assert find_own_page(path) == name


class NoPool:
    """A pool without processes."""

    process_ids: list[int] = []  # noqa: RUF012 - nobody changes it


def test_each_step_counts_requests() -> None:
    metrics = ProxyMetrics(NoPool(), "1.2.3")
    metrics.add_rewrite({"gated": 3, "steps": ["compact"], "error": None})
    metrics.add_rewrite({"gated": 0, "steps": [], "error": {"error": "x"}})
    metrics.tokens["input"] += 10
    families = {family.name: family for family in text_string_to_metric_families(format_metrics(metrics.list_metrics()))}
    steps = {sample.labels["step"]: sample.value for sample in families["ctxkit_proxy_steps"].samples}
    assert steps == {**dict.fromkeys(STEPS, 0), "gated": 1, "compacted": 1, "refused": 1}
    tokens = {sample.labels["kind"]: sample.value for sample in families["ctxkit_proxy_tokens"].samples}
    assert tokens == {"input": 10, "output": 0}
    assert families["ctxkit_build_info"].samples[0].labels == {"version": "1.2.3"}


TOKEN = "a-token-of-24-characters"


@pytest.mark.parametrize("host", ["127.0.0.1:8900", "localhost", "LOCALHOST:1", "[::1]:8900", "[::1]"])
def test_this_machine_may_ask(host: str) -> None:
    assert check_sender(Sender({"host": host}, "/v1/x"), "") == "/v1/x"


@pytest.mark.parametrize("headers", [{}, {"host": "evil.example"}, {"host": "127.0.0.1.evil.example:80"}, {"host": "localhost", "origin": "null"}])
def test_other_names_and_pages_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(RequestError) as refused:
        check_sender(Sender(headers, "/v1/x"), "")
    assert refused.value.status == 403


def test_the_token_is_in_a_header_or_in_the_path() -> None:
    assert check_sender(Sender({"x-ctxkit-token": TOKEN}, "/v1/x"), TOKEN) == "/v1/x"
    assert check_sender(Sender({}, f"/token/{TOKEN}/v1/x"), TOKEN) == "/v1/x"
    assert check_sender(Sender({"host": "localhost"}, "/token/any/v1/x"), "") == "/v1/x"


@pytest.mark.parametrize("sender", [Sender({"host": "localhost"}, "/x"), Sender({"x-ctxkit-token": "x"}, "/x"), Sender({}, "/token/x/y"), Sender({"authorization": f"Bearer {TOKEN}"}, "/x")])
def test_nothing_else_replaces_the_token(sender: Sender) -> None:
    with pytest.raises(RequestError) as refused:
        check_sender(sender, TOKEN)
    assert refused.value.status == 401


def test_a_path_without_a_token_stays() -> None:
    assert drop_token("/v1/token/x") == "/v1/token/x"
    assert drop_token("/token/abc") == ""
