"""Requests of HTTP, with real processes behind: what is answered, what is refused, and with which status."""

import asyncio
import json
import os
import time
from typing import Any

import pytest

from ctxkit.engines.server import request
from ctxkit.engines.server.application import Application
from ctxkit.engines.server.worker_pool import WorkerPool

LOCAL, NETWORK = ("/run/s", None), ("127.0.0.1", 80)


def answer(call: dict[str, Any], _report_session: Any) -> int:
    """Write the call and its body; "sleep" in the body takes long."""
    body = os.read(0, 100_000)
    if body == b"sleep":
        time.sleep(30)
    if body.startswith(b"fail"):
        os.write(2, b"ctxkit: it failed\n")
        return int(body[4:])
    os.write(1, json.dumps({**call, "body": body.decode()}).encode())
    return 0


def ask(
    target: str,
    body: list[bytes] | None = None,
    headers: dict[str, str] | None = None,
    *,
    method: str = "POST",
    server: Any = LOCAL,
    token: str = "",
    leaves: bool = False,
    report: Any = None,
    drain: Any = None,
) -> tuple[int, dict[str, str], Any]:
    """Return the status, the headers and the JSON that an application answers; ``drain`` begins while it does."""
    path, _, query = target.partition("?")
    fields = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": fields, "server": server}
    sent: list[Any] = []

    async def run() -> None:
        pieces = list(body or [b""])

        async def receive() -> dict[str, Any]:
            if pieces:
                return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}
            if not leaves:
                await asyncio.sleep(60)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        pool = WorkerPool(answer, 1, 20)
        asked = Application(pool, token, "1.0", "here", report)
        try:
            request = asyncio.ensure_future(asked(scope, receive, send))
            if drain is not None:
                await drain(asked)
            await request
        finally:
            pool.end()

    asyncio.run(run())
    start, *rest = sent
    data = b"".join(message["body"] for message in rest)
    answered = {name.decode(): value.decode() for name, value in start["headers"]}
    assert int(answered["content-length"]) == len(data)
    assert [message["more_body"] for message in rest][-1] is False
    is_text = answered["content-type"].startswith("text/plain")
    return start["status"], answered, data if is_text else json.loads(data)


def test_a_request_becomes_a_call() -> None:
    status, fields, value = ask("/v1/gate?model=a%20b&strict", [b"one ", b"two"], {"ctxkit-directory": "/w", "ctxkit-variables": "CTXKIT_MODEL=m"})
    assert (status, fields["content-type"], fields["ctxkit-status"]) == (200, "application/json", "0")
    assert value["arguments"] == ["gate", "--json", "--model=a b", "--strict"]
    assert (value["directory"], value["variables"], value["body"]) == ("/w", "CTXKIT_MODEL=m", "one two")


def test_plain_output_is_asked_for() -> None:
    _, fields, value = ask("/v1/gate", headers={"accept": "text/plain"})
    assert (fields["content-type"], value["arguments"]) == ("application/octet-stream", ["gate"])


def test_a_command_that_fails_says_why() -> None:
    status, fields, value = ask("/v1/compact", [b"fail65"])
    assert (status, fields["ctxkit-status"]) == (422, "65")
    assert value == {"status": 65, "messages": ["ctxkit: it failed"]}


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize(
    ("target", "kind", "status", "message"),
    [
        ("/v1/run", {}, 404, "no such endpoint"),
        ("/", {}, 404, "no such endpoint"),
        ("/v1/gate?events=/tmp/x", {}, 400, "unknown parameter 'events'"),
        ("/v1/gate?" + "&".join(["pin=x"] * 201), {}, 400, "at most 200 parameters"),
        ("/v1/gate?name=%ff", {}, 400, "a parameter is not UTF-8"),
        ("/v1/gate", {"method": "DELETE"}, 405, "DELETE is not answered"),
        ("/v1/gate", {"headers": {"ctxkit-directory": "w"}}, 400, "not an absolute path"),
        ("/v1/gate", {"headers": {"content-length": str(1 << 40)}}, 413, "a body has at most"),
        ("/v1/gate", {"headers": {"origin": "http://evil.example"}}, 403, "a web page"),
        ("/v1/engine/count", {"headers": {"ctxkit-build": "there"}}, 409, "another ctxkit"),
        ("/v1/engine/count", {"server": NETWORK, "token": "t" * 16, "headers": {"ctxkit-build": "here", "authorization": "Bearer " + "t" * 16}}, 409, "another"),
    ],
)
def test_other_requests_are_refused(target: str, kind: dict[str, Any], status: int, message: str) -> None:
    found, _, value = ask(target, **kind)
    assert found == status
    assert message in value["messages"][0]


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("given", [None, "", "Bearer", "Bearer wrong", "Basic secret-secret-secret", "bearer  "])
def test_the_network_needs_the_token(given: str | None) -> None:
    headers = {} if given is None else {"authorization": given}
    assert ask("/v1/health", headers=headers, server=NETWORK, token="secret-secret-secret")[0] == 401
    assert ask("/v1/health", headers=headers, server=NETWORK)[0] == 401


def test_the_network_with_the_token_is_answered_without_a_place() -> None:
    headers = {"authorization": "Bearer secret-secret-secret"}
    assert ask("/v1/count", headers=headers, server=NETWORK, token="secret-secret-secret")[0] == 200
    status, _, value = ask("/v1/count", headers={**headers, "ctxkit-variables": "HOME=/"}, server=NETWORK, token="secret-secret-secret")
    assert (status, "over the network" in value["messages"][0]) == (400, True)


def test_health_says_who_answers() -> None:
    assert ask("/v1/health", method="GET")[2] == {"version": "1.0", "process": os.getpid(), "workers": 1, "requests": 1}


def test_the_engine_answers_the_same_build() -> None:
    status, _, value = ask("/v1/engine/count?vocabulary=o200k", [b"text"], {"ctxkit-build": "here"})
    assert (status, value["work"], value["parameters"], value["body"]) == (200, "count", {"vocabulary": "o200k"}, "text")
    assert ask("/v1/engine/count", [b"fail70"], {"ctxkit-build": "here"})[0] == 500


def test_a_client_that_goes_away_ends_its_call() -> None:
    began = time.monotonic()
    status, _, _ = ask("/v1/gate", [b"sleep"], leaves=True)
    assert status == 499
    assert time.monotonic() - began < 10


def test_a_body_without_a_length_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "MAX_BODY", 10)
    assert ask("/v1/gate", [b"12345", b"12345"])[0] == 200
    assert ask("/v1/gate", [b"12345", b"12345", b"1"])[0] == 413


def test_the_metrics_count_the_request_that_asks_for_them() -> None:
    status, fields, text = ask("/metrics", method="GET")
    assert (status, fields["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert b"\nctxkit_requests_running 1\n" in text
    assert ask("/metrics", method="GET", server=NETWORK, token="secret-secret-secret")[0] == 401


@pytest.mark.parametrize(
    ("target", "body", "entry"),
    [
        ("/v1/count", [b"one ", b"two"], ("count", 200, 7)),
        ("/v1/xyzzy", [b"secret"], ("unknown", 404, 0)),
        ("/v1/gate", [b"fail65"], ("gate", 422, 6)),
    ],
)
def test_a_request_is_reported_without_its_content(target: str, body: list[bytes], entry: tuple[str, int, int]) -> None:
    records: list[Any] = []
    _, fields, _ = ask(target, body, report=records.append)
    ((endpoint, status, seconds, received, sent),) = records
    assert ((endpoint, status, received), sent) == (entry, int(fields["content-length"]))
    assert 0 < seconds < 10


def test_a_request_that_runs_is_answered_before_the_end() -> None:
    async def drain(asked: Application) -> None:
        await asyncio.sleep(0)  # the request begins
        ending = asyncio.ensure_future(asked.drain(10))
        await asyncio.sleep(0)
        refused: list[Any] = []

        async def keep(message: Any) -> None:
            refused.append(message)

        scope = {"type": "http", "method": "POST", "path": "/v1/count", "query_string": b"", "headers": [], "server": LOCAL}
        await asked(scope, None, keep)
        assert refused[0]["status"] == 503
        assert (b"connection", b"close") in refused[0]["headers"]
        assert not ending.done()
        await ending

    status, fields, value = ask("/v1/count", [b"one"], drain=drain)
    assert (status, fields["connection"], value["body"]) == (200, "close", "one")


def test_a_request_that_takes_too_long_ends_with_the_server() -> None:
    async def drain(asked: Application) -> None:
        await asyncio.sleep(0.05)
        await asked.drain(0.1)

    began = time.monotonic()
    status, fields, value = ask("/v1/gate", [b"sleep"], drain=drain)
    assert (status, fields["connection"], value["messages"]) == (503, "close", ["ctxkit: the server ends"])
    assert time.monotonic() - began < 10
