import asyncio

import pytest

from ctxkit.engines.server.exchange import HttpExchange


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
