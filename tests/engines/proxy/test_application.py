"""The application without a socket: ASGI messages in, ASGI messages out. tests/commands/test_proxy.py has the rest."""

import asyncio
from typing import Any

import pytest

from ctxkit.engines.proxy.application import ProxyApplication
from ctxkit.engines.proxy.upstream import ProxyPolicy, Upstream
from ctxkit.engines.server.worker_pool import WorkerPool
from tests.proxies import find_port, run_model


def answer_request(
    url: str, path: str, method: str = "GET", headers: tuple[tuple[bytes, bytes], ...] = (), *, drains_first: bool = False
) -> list[Any]:
    """Return the messages with which the application answers a request without a body."""
    said: list[str] = []
    policy = ProxyPolicy("", "1.2.3", is_closed=False, masks=False, is_dry=False, asks_window=False, log=said.append)
    pool = WorkerPool(lambda call, report: 0, 1, 5.0)
    sent: list[Any] = []
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(b"host", b"localhost"), *headers], "server": ("127.0.0.1", 8900),
    }  # fmt: skip

    async def run() -> None:
        gone = asyncio.Event()
        messages = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        application = ProxyApplication(pool, Upstream(url, 5), policy)
        if drains_first:
            await application.drain(1)
        await application(scope, receive, send)
        await application.drain(1)
        assert application.requests == 1

    try:
        asyncio.run(run())
    finally:
        pool.end()
    return [*sent, *said]


def test_an_answer_passes_with_its_headers_and_in_pieces() -> None:
    with run_model(lambda handler, _: handler.send(201, b"body", {"x-a": "1"})) as model:
        start, *bodies = answer_request(model.url, "/v1/models")
    assert start["status"] == 201
    assert (b"x-a", b"1") in start["headers"]
    assert b"".join(message["body"] for message in bodies) == b"body"
    assert bodies[-1]["more_body"] is False


@pytest.mark.parametrize(("path", "member"), [("/v1/messages", b'"type":"error"'), ("/x", b'"code":"ctxkit_proxy"')])
def test_a_refusal_has_the_form_of_the_api(path: str, member: bytes) -> None:
    start, body, line = answer_request(f"http://127.0.0.1:{find_port()}", path, "POST")
    assert start["status"] == 502
    assert member in body["body"]
    assert line.startswith("ctxkit: http://127.0.0.1:")


def test_a_page_is_refused_before_the_upstream_is_asked() -> None:
    with run_model() as model:
        start, *_ = answer_request(model.url, "/v1/models", headers=((b"origin", b"http://evil.example"),))
        assert model.requests == []
    assert start["status"] == 403


def test_a_proxy_that_ends_takes_no_new_request() -> None:
    with run_model() as model:
        start, body = answer_request(model.url, "/v1/models", drains_first=True)
        assert model.requests == []
    assert (start["status"], (b"connection", b"close") in start["headers"]) == (503, True)
    assert b"the proxy ends" in body["body"]


def test_other_protocols_are_not_answered() -> None:
    application = ProxyApplication.__new__(ProxyApplication)

    async def fail(*_: Any) -> Any:
        raise AssertionError("nothing is received or sent")

    asyncio.run(application({"type": "websocket"}, fail, fail))
