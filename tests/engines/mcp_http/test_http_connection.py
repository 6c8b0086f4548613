"""Where requests and their headers go."""

import asyncio

import pytest

from ctxkit.engines.mcp_http.http_connection import HttpConnection, HttpExchangeError, format_origin
from tests.mcp_http import HttpServer, raw, talk
from tests.redis_servers import find_free_port

KEY = "k3y-that-nobody-sees"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://example.com/s/key/mcp?key=k", "https://example.com"),
        ("http://[::1]:8000/mcp", "http://[::1]:8000"),
        ("http://EXAMPLE.com:80/", "http://example.com:80"),
    ],
)
def test_a_url_is_shown_without_what_may_be_a_key(url: str, origin: str) -> None:
    assert format_origin(url) == origin


def test_values_of_headers_and_of_the_url_are_not_shown() -> None:
    connection = HttpConnection(f"http://h/mcp?key={KEY}", [("Authorization", "Bearer sesame"), ("X-Short", "ab"), ("X-Name", "a name")])
    assert connection.hide(f"Bearer sesame, sesame, {KEY}, Bearer, ab") == "***, ***, ***, Bearer, ab"


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_on_the_same_host_is_followed_with_the_headers(http_server: HttpServer, status: int) -> None:
    request = raw(redirect="/mcp", status=status)
    (line,), _ = talk(f"{http_server.url}/raw", [request], ("X-Mark", f"redirect {status}"))
    assert line["error"]["message"].startswith("Bad Request")  # of /mcp, for want of a session
    assert [entry["path"] for entry in http_server.list_requests(f"redirect {status}")] == ["/raw", "/mcp"]


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_redirect_that_would_lose_the_message_is_not_followed(http_server: HttpServer, status: int) -> None:
    (line,), _ = talk(f"{http_server.url}/raw", [raw(redirect="/mcp", status=status)], ("X-Mark", f"redirect {status}"))
    assert f"answered {status} " in line["error"]["message"]
    assert len(http_server.list_requests(f"redirect {status}")) == 1


@pytest.mark.parametrize("place", ["http://localhost:{port}/raw?key=" + KEY, "http://127.0.0.1:{other}/raw", "https://127.0.0.1:{port}/raw", "http://user:" + KEY + "@127.0.0.1:{port}/raw", "//localhost:{port}/raw", "ftp://x/", "http://[/"])
def test_another_place_gets_neither_the_message_nor_the_headers(http_server: HttpServer, place: str) -> None:
    port, mark = http_server.url.rpartition(":")[2], f"elsewhere {place[:20]}"
    request = raw(redirect=place.format(port=port, other=find_free_port()))
    (line,), _ = talk(f"{http_server.url}/raw", [request], ("X-Mark", mark), ("Authorization", KEY))
    assert line["error"]["code"] == -32603
    assert KEY not in line["error"]["message"]
    assert [entry["path"] for entry in http_server.list_requests(mark)] == ["/raw"]


def test_a_circle_of_redirects_ends(http_server: HttpServer) -> None:
    (line,), _ = talk(f"{http_server.url}/raw", [raw(redirect="/raw")], ("X-Mark", "circle"))
    assert "answered 307 Temporary Redirect" in line["error"]["message"]
    assert len(http_server.list_requests("circle")) <= 6


def test_silence_has_an_end(http_server: HttpServer) -> None:
    async def ask() -> None:
        connection = HttpConnection(f"{http_server.url}/raw", [])
        body = b'{"params": {"pieces": ["{", "}"], "pause": 5}}'
        async with connection.send("POST", [], body, seconds=0.3) as answer:
            await answer.read()

    with pytest.raises(HttpExchangeError, match="has sent nothing for too long"):
        asyncio.run(ask())
