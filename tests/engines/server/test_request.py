"""The files of a call: whole whatever their size, in memory while small, and gone afterwards."""

import asyncio
import json
import os
from contextlib import closing

import pytest

from ctxkit.core.errors import UsageError
from ctxkit.core.serve import ENDPOINTS
from ctxkit.engines.server import request as module
from ctxkit.engines.server.request import (
    MEMORY_BYTES,
    CallFiles,
    ClientLeftError,
    EndedCommand,
    HttpExchange,
    HttpRequest,
    RequestError,
    make_call,
    read_parameters,
    read_scope,
    receive_body,
    send_output,
    send_refusal,
)

SCOPE = {"method": "POST", "path": "/v1/gate", "query_string": b"a=%20&b", "headers": [(b"A-B", b"c\xff")]}


def test_a_head_is_read() -> None:
    request = read_scope({**SCOPE, "server": ("/run/s", None)})
    assert request == HttpRequest("POST", "/v1/gate", "a=%20&b", {"a-b": "c\xff"}, is_local=True)
    assert not read_scope({**SCOPE, "server": ("127.0.0.1", 80)}).is_local
    assert read_parameters(request.query) == [("a", " "), ("b", "")]
    with pytest.raises(UsageError, match="at most 200 parameters"):
        read_parameters("&".join(["a"] * 201))


def test_a_call_has_the_place_of_its_caller_on_this_machine_only() -> None:
    headers = {"ctxkit-directory": "/w", "ctxkit-variables": "CTXKIT_MODEL=m"}
    call = make_call(HttpRequest("POST", "/", "", headers, is_local=True), work="count")
    assert call == {"directory": "/w", "variables": "CTXKIT_MODEL=m", "work": "count"}
    with pytest.raises(UsageError, match="over the network"):
        make_call(HttpRequest("POST", "/", "", headers, is_local=False))


def test_a_body_is_read_to_its_end_unless_the_client_leaves() -> None:
    request = HttpRequest("POST", "/", "", {}, is_local=True)

    def read(*messages: dict) -> bytes:
        rest = list(messages)

        async def receive() -> dict:
            return rest.pop(0)

        with closing(CallFiles(is_small=True)) as files:
            asyncio.run(receive_body(files, request, receive))
            with open(files.finish_body()[0], "rb", closefd=False) as file:
                return file.read()

    pieces = [{"type": "http.request", "body": b"ab", "more_body": True}, {"type": "http.request", "body": b"c"}]
    assert read(*pieces) == b"abc"
    with pytest.raises(ClientLeftError):
        read(pieces[0], {"type": "http.disconnect"})


def test_a_body_that_trickles_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BODY_SECONDS", 0.2)
    sizes: list[int] = []

    def read(piece: bytes, pause: float) -> None:
        async def receive() -> dict:
            await asyncio.sleep(pause)
            return {"type": "http.request", "body": piece, "more_body": files.size < 4 << 20}

        with closing(CallFiles(is_small=True)) as files:
            try:
                asyncio.run(receive_body(files, HttpRequest("POST", "/", "", {}, is_local=True), receive))
            finally:
                sizes.append(files.size)

    with pytest.raises(RequestError, match="the body takes too long") as refusal:
        read(b"x", 0.05)
    assert refusal.value.status == 408
    read(b"x" * (1 << 18), 0.05)
    assert sizes[0] < 10 < sizes[1]


@pytest.mark.parametrize("closes", [False, True])
def test_bytes_and_status_are_noted_and_the_end_is_announced(closes: bool) -> None:
    sent: list = []

    async def receive() -> dict:
        return {"type": "http.request", "body": b"abc"}

    async def send(message) -> None:
        sent.append(message)

    async def run() -> HttpExchange:
        exchange = HttpExchange(receive, send)
        exchange.closes = closes
        assert await exchange.receive() == await exchange.receive()
        await exchange.send({"type": "http.response.start", "status": 200, "headers": []})
        await exchange.send({"type": "http.response.body", "body": b"1234"})
        return exchange

    exchange = asyncio.run(run())
    assert (exchange.status, exchange.received, exchange.sent) == (200, 6, 4)
    assert sent[0]["headers"] == [(b"connection", b"close")] * closes


class Client:
    """Keeps the messages of an answer."""

    def __init__(self) -> None:
        self.messages: list = []

    async def send(self, message) -> None:
        """Keep a message."""
        self.messages.append(message)

    def read(self) -> tuple[int, dict[str, str], bytes]:
        """Return the status, the headers and the body."""
        start, *rest = self.messages
        return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, b"".join(message["body"] for message in rest)


@pytest.mark.parametrize(("output", "exit_status", "status"), [(b"{}\n", 0, 200), (b"", 0, 200), (b"", 65, 422), (b"{}\n", 65, 422)])
def test_the_output_of_a_command_is_the_body_and_its_failure_if_it_has_none(output: bytes, exit_status: int, status: int) -> None:
    client = Client()
    with closing(CallFiles(is_small=True)) as files:
        os.write(files.finish_body()[1], output)
        asyncio.run(send_output(EndedCommand(ENDPOINTS["gate"], exit_status, b"why\n", as_json=True), files, client.send))
    answered, headers, body = client.read()
    assert (answered, headers["ctxkit-status"], int(headers["content-length"])) == (status, str(exit_status), len(body))
    assert body == output or json.loads(body) == {"status": 65, "messages": ["why"]}


def test_a_refusal_says_why_also_to_a_client_that_is_gone() -> None:
    client = Client()
    asyncio.run(send_refusal(RequestError(503, "no", "later"), client.send))
    status, _, body = client.read()
    assert (status, json.loads(body)) == (503, {"status": 70, "messages": ["ctxkit: no", "  hint: later"]})

    async def fail(_message) -> None:
        raise ConnectionResetError

    asyncio.run(send_refusal(RequestError(400, "no"), fail))


@pytest.mark.parametrize("pieces", [[], [b""], [b"abc"], [b"a" * 1_000] * 3, [b"x" * MEMORY_BYTES, b"y"], [b"z" * (MEMORY_BYTES + 1)], [b"m" * 700_000] * 5])
@pytest.mark.parametrize("is_small", [True, False])
def test_a_body_is_read_back_whole(pieces: list[bytes], is_small: bool) -> None:
    files = CallFiles(is_small=is_small)
    for piece in pieces:
        files.write_body(piece)
    whole = b"".join(pieces)
    assert files.size == len(whole)
    source, output, messages = files.finish_body()
    data = b""
    while piece := os.read(source, 1 << 20):
        data += piece
    assert data == whole
    os.write(output, data[:100])
    os.write(messages, b"a note\n")
    assert (files.measure_output(), b"".join(files.read_output()), files.read_messages(3)) == (len(data[:100]), data[:100], b"a n")
    files.close()


def test_a_large_output_is_read_in_pieces() -> None:
    files = CallFiles(is_small=False)
    _, output, _ = files.finish_body()
    os.write(output, b"o" * 1_000_000)
    pieces = list(files.read_output())
    assert (len(pieces) > 1, b"".join(pieces)) == (True, b"o" * 1_000_000)
    files.close()


def test_nothing_stays_open() -> None:
    before = os.listdir("/proc/self/fd")
    for size in (10, 2 * MEMORY_BYTES):
        files = CallFiles(is_small=False)
        files.write_body(b"x" * size)
        files.finish_body()
        files.close()
        files.close()
    CallFiles(is_small=True).close()
    assert os.listdir("/proc/self/fd") == before
