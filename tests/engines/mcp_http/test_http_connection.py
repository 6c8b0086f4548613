"""Where requests and their headers go."""

import asyncio
import json
from typing import Any

import pytest

from ctxkit.engines.mcp_http.http_connection import HttpConnection, HttpExchangeError, format_origin
from tests.mcp_http import HttpServer, Json, raw, talk
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


RESULT = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"a": 1}})
OTHER = json.dumps({"jsonrpc": "2.0", "id": 2, "result": {"b": 2}})
NOTICE = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
STREAM = "text/event-stream"


def ask(server: HttpServer, *requests: Json) -> tuple[list[Any], list[str]]:
    return talk(f"{server.url}/raw", requests, ("Authorization", f"Bearer {KEY}"))


@pytest.mark.parametrize(
    ("params", "values"),
    [
        ({"pieces": [RESULT]}, [RESULT]),
        ({"pieces": [f"\n {RESULT}\n"], "type": "application/json; charset=utf-8"}, [RESULT]),
        ({"pieces": [json.dumps(json.loads(RESULT), indent=2)]}, [RESULT]),
        ({"pieces": [f"[{RESULT}, {NOTICE}]"]}, [f"[{RESULT}, {NOTICE}]"]),
        ({"pieces": [f"data: {RESULT}\n\n"], "type": STREAM}, [RESULT]),
        ({"pieces": [f"data: {RESULT}\n\n"], "type": STREAM, "status": 201}, [RESULT]),
        ({"pieces": [f": hello\n\ndata: {NOTICE}\r\n\r", f"\nevent: message\ndata: {RESULT[:9]}", f"{RESULT[9:]}\n\n"], "type": STREAM}, [NOTICE, RESULT]),
        ({"pieces": [f"data: {RESULT}\n\ndata: {OTHER}\n\ndata: {NOTICE}\n\n"], "type": STREAM}, [RESULT, OTHER, NOTICE]),
        ({"pieces": [f"event: endpoint\ndata: /x\n\nid: 5\ndata:\n\ndata: {RESULT}\n\n"], "type": STREAM}, [RESULT]),
        ({"pieces": [f"data: {RESULT}\n\n"], "type": STREAM, "breaks": True}, [RESULT]),
    ],
)
def test_messages_are_handed_on(http_server: HttpServer, params: Json, values: list[str]) -> None:
    lines, warnings = ask(http_server, raw(**params))
    assert (lines, warnings) == ([json.loads(value) for value in values], [])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"status": 202, "type": ""}, "answered 202 Accepted with no content"),
        ({"status": 200, "type": "text/html", "pieces": ["<html>"]}, "answered 200 OK with content of the type text/html"),
        ({"pieces": [""]}, "with content that is not JSON"),
        ({"pieces": [RESULT[:-4]]}, "with content that is not JSON"),
        ({"pieces": [RESULT], "breaks": True}, "has ended its answer too early"),
        ({"pieces": [OTHER]}, "ended its answer without a result"),
        ({"pieces": [f"data: {RESULT}"], "type": STREAM}, "ended its answer without a result"),
        ({"pieces": ["data: {broken\n\n"], "type": STREAM}, "has sent an event that is not JSON"),
        ({"pieces": [f"data: {NOTICE}\n\n"], "type": STREAM, "breaks": True}, "has ended its answer too early"),
        ({"pieces": ["not gzip"], "headers": {"content-encoding": "gzip"}}, "has ended its answer too early"),
        ({"status": 401, "type": "text/plain", "pieces": ["no $AUTHORIZATION"]}, "answered 401 Unauthorized; --header or --header-env"),
        ({"status": 403, "pieces": ["{}"]}, "answered 403 Forbidden; --header or --header-env"),
        ({"status": 404, "type": "text/plain"}, "answered 404 Not Found"),
        ({"status": 405, "pieces": ["[]"]}, "answered 405 Method Not Allowed; a server of the older transport"),
        ({"status": 500, "pieces": ["{bro"]}, "answered 500 Internal Server Error"),
        ({"status": 599, "pieces": ['{"error": "$AUTHORIZATION"}']}, "answered 599"),
    ],
)
def test_any_other_answer_is_an_error(http_server: HttpServer, params: Json, message: str) -> None:
    lines, warnings = ask(http_server, raw(id_="n", **params))
    error = next(line["error"] for line in lines if line.get("id") == "n")
    assert error["code"] == -32603
    assert error["message"].startswith(f"ctxkit: {http_server.url} {message.partition(' ')[0]}" if message.startswith(("answered", "has", "ended")) else "ctxkit: ")
    assert message in error["message"]
    assert warnings[-1] == error["message"].removeprefix("ctxkit: ")
    assert KEY not in str((lines, warnings))


@pytest.mark.parametrize("id_", [None, 1, 2])
def test_an_error_of_the_server_answers_the_request_without_the_key(http_server: HttpServer, id_: int | None) -> None:
    error = {"code": -32001, "message": "no $AUTHORIZATION here", "data": {"x": [1]}}
    body = json.dumps({"jsonrpc": "2.0", "id": id_, "error": error})
    lines, _ = ask(http_server, raw(status=400, pieces=[body]))
    assert lines == [{"jsonrpc": "2.0", "id": 1, "error": {**error, "message": "no *** here"}}]


def test_a_stream_goes_on_where_it_broke(http_server: HttpServer) -> None:
    again = json.dumps({"type": STREAM, "pieces": [f"data: {RESULT}\n\n"]})
    params = {"type": STREAM, "pieces": [f"id: {again}\nretry: 10\ndata: {NOTICE}\n\n"], "breaks": True}
    lines, warnings = ask(http_server, raw(**params))
    assert (lines, warnings) == ([json.loads(NOTICE), json.loads(RESULT)], [])


@pytest.mark.parametrize(("again", "message"), [({"status": 400}, "400 Bad Request and does not resume its answer"), ({"status": 503}, "ended its answer without"), ({"type": STREAM}, "ended its answer without")])
def test_a_stream_that_does_not_go_on_is_an_error(http_server: HttpServer, again: Json, message: str) -> None:
    params = {"type": STREAM, "pieces": [f"id: {json.dumps(again)}\nretry: 1\ndata:\n\n"]}
    lines, _ = ask(http_server, raw(**params))
    assert message in lines[0]["error"]["message"]


def test_a_long_message_passes_in_time(http_server: HttpServer) -> None:
    (line,), warnings = ask(http_server, raw(size=20_000_000))
    assert len(line["result"]["content"][0]["text"]) == 20_000_000
    assert warnings == []


def test_a_stream_that_does_not_end_after_its_answer_is_left(http_server: HttpServer) -> None:
    lines, warnings = ask(http_server, raw(type=STREAM, pieces=[f"data: {RESULT}\n\n", f"data: {NOTICE}\n\n"], pause=8))
    assert (lines, warnings) == ([json.loads(RESULT)], [])
