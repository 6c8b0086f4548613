"""The bridge as a process: what it reads, writes and ends with."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ctxkit.engines.mcp_http.bridge import ServerSession
from tests.mcp_http import INITIALIZE, INITIALIZED, META, HttpServer, call, raw, talk
from tests.mcp_server import make_text


@pytest.fixture
def start(http_server: HttpServer) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    started = []

    def start(*, quiet: bool = False, path: str = "/raw") -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-P", "-m", "ctxkit.engines.mcp_http.bridge"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started.append(process)
        assert process.stdin
        process.stdin.write(json.dumps({"url": http_server.url + path, "headers": [["X-Mark", "bridge"]], "quiet": quiet}).encode() + b"\n")
        process.stdin.flush()
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_stdin_without_a_message_ends_it(start) -> None:
    assert start().communicate(b"\n\n", timeout=20) == (b"", b"")


def test_the_last_line_needs_no_newline_and_warnings_are_one_line(start) -> None:
    for quiet in (False, True):
        process = start(quiet=quiet)
        out, err = process.communicate(json.dumps(raw(status=500, type="text/\x1bplain")).encode(), timeout=20)
        assert json.loads(out)["error"]["code"] == -32603
        assert (process.returncode, err.count(b"\n")) == (0, 0 if quiet else 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_also_while_a_session_begins(start, number: signal.Signals) -> None:
    process = start()
    slow = {**INITIALIZE, "params": {"pieces": ["", ""], "pause": 30}}
    process.stdin.write(json.dumps(raw(2, status=500)).encode() + b"\n" + json.dumps(slow).encode() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 2
    process.send_signal(number)
    assert process.wait(10) == 128 + number


def test_a_reader_that_goes_away_ends_it(start) -> None:
    process = start()
    process.stdout.close()
    assert process.wait(10) == 128 + signal.SIGPIPE


def test_a_long_line_is_sent(start) -> None:
    process = start()
    line = json.dumps({**raw(pieces=['{"jsonrpc": "2.0", "id": 1, "result": {}}']), "padding": "x" * 20_000_000})
    out, err = process.communicate(line.encode() + b"\n", timeout=60)
    assert (json.loads(out)["id"], err) == (1, b"")


def find(lines: list[Any], id_: object) -> Any:
    (line,) = [line for line in lines if line.get("id") == id_ and "method" not in line]
    return line.get("result", line.get("error"))


async def send(session: ServerSession, *values: object) -> None:
    for value in values:
        await session.take_line(json.dumps(value).encode() + b"\n")


async def wait_for(is_met: Callable[[], object], seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while not is_met():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("path", ["/mcp", "/json"])
def test_answers_come_as_events_and_as_json(http_server: HttpServer, path: str) -> None:
    lines, warnings = talk(http_server.url + path, [INITIALIZE, INITIALIZED, call("dump", 1, rows=3), call("dump", "b", rows=4)])
    assert warnings == []
    assert find(lines, "first")["serverInfo"]["name"] == "tables"
    assert find(lines, 1)["content"][0]["text"] == make_text(3)
    assert find(lines, "b")["content"][0]["text"] == make_text(4)


def test_a_session_begins_has_headers_is_heard_and_ends(http_server: HttpServer) -> None:
    talk(f"{http_server.url}/mcp", [INITIALIZE, INITIALIZED, call("dump", rows=1)], ("X-Mark", "session"))
    first, *others = http_server.list_requests("session")
    assert [request["method"] for request in others][-1] == "DELETE"
    assert sorted(request["method"] for request in others) == ["DELETE", "GET", "POST", "POST"]
    (session_id,) = {request["headers"]["mcp-session-id"] for request in others}
    assert session_id
    assert {request["headers"]["mcp-protocol-version"] for request in others} == {"2025-11-25"}
    assert not {"mcp-session-id", "mcp-protocol-version"} & first["headers"].keys()
    assert first["headers"]["accept"] == "application/json, text/event-stream"
    assert first["headers"]["content-type"] == "application/json"


def test_a_server_without_sessions_gets_no_end_of_one(http_server: HttpServer) -> None:
    talk(f"{http_server.url}/json", [INITIALIZE, INITIALIZED], ("X-Mark", "stateless"))
    requests = http_server.list_requests("stateless")
    assert "DELETE" not in {request["method"] for request in requests}
    assert not any("mcp-session-id" in request["headers"] for request in requests)


def test_messages_keep_their_bytes(http_server: HttpServer) -> None:
    body = json.dumps(call("values")).encode()
    direct = http_server.fetch("/json", body)
    assert b'"count":1180591620717411303424' in direct
    assert b'"zero":1.0' in direct

    async def script(session: ServerSession, lines: list[bytes]) -> None:
        await session.take_line(body + b"\n")
        await session.finish(10)
        assert lines == [direct + b"\n"]

    talk(f"{http_server.url}/json", script)


def test_progress_comes_before_the_result(http_server: HttpServer) -> None:
    work = call("work")
    work["params"]["_meta"] = {"progressToken": 7}
    lines, _ = talk(f"{http_server.url}/mcp", [INITIALIZE, INITIALIZED, work])
    assert [line["params"]["progress"] for line in lines if line.get("method") == "notifications/progress"] == [0, 1, 2]
    assert lines[-1]["result"]["content"][0]["text"] == "done"


def test_a_question_of_the_server_is_answered(http_server: HttpServer) -> None:
    async def script(session: ServerSession, lines: list[bytes]) -> None:
        await send(session, INITIALIZE, INITIALIZED, call("ask"))
        await wait_for(lambda: b"elicitation/create" in lines[-1])
        question = json.loads(lines[-1])
        await send(session, {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"word": "plum"}}})

    lines, warnings = talk(f"{http_server.url}/mcp", script)
    assert (find(lines, 1)["content"][0]["text"], warnings) == ("accept: plum", [])


def test_a_stream_that_the_server_closes_is_resumed(http_server: HttpServer) -> None:
    lines, warnings = talk(f"{http_server.url}/mcp", [INITIALIZE, INITIALIZED, call("leave")], ("X-Mark", "leave"))
    assert (find(lines, 1)["content"][0]["text"], warnings) == ("resumed", [])
    assert [request for request in http_server.list_requests("leave") if "last-event-id" in request["headers"]]


def test_a_session_that_is_gone_is_begun_again_for_all_requests(http_server: HttpServer) -> None:
    async def script(session: ServerSession, lines: list[bytes]) -> None:
        await send(session, INITIALIZE, INITIALIZED, call("dump", 1, rows=1))
        await session.finish(10)
        await asyncio.to_thread(http_server.restart)
        await send(session, *(call("dump", number, rows=number) for number in range(2, 6)))

    lines, warnings = talk(f"{http_server.url}/mcp", script, ("X-Mark", "gone"))
    assert [find(lines, number)["content"][0]["text"] for number in range(1, 6)] == [make_text(number) for number in range(1, 6)]
    assert len([line for line in lines if line.get("id") == "first"]) == 1
    (warning,) = warnings
    assert warning == f"{http_server.url} had ended the session; a new one was begun"
    sessions = [request["headers"].get("mcp-session-id") for request in http_server.list_requests("gone")]
    assert len(set(sessions)) == 3  # none, the first, and the second
    assert sessions[-1] != sessions[1]


def test_a_notification_in_a_session_that_is_gone_is_delivered(http_server: HttpServer) -> None:
    async def script(session: ServerSession, lines: list[bytes]) -> None:
        await send(session, INITIALIZE, INITIALIZED)
        await asyncio.to_thread(http_server.restart)
        await send(session, {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}, call("dump", rows=1))

    lines, warnings = talk(f"{http_server.url}/mcp", script)
    assert find(lines, 1)["content"][0]["text"] == make_text(1)
    assert len(warnings) == 1


def test_a_request_that_is_taken_back_gets_no_error_of_ours(http_server: HttpServer) -> None:
    async def script(session: ServerSession, lines: list[bytes]) -> None:
        await send(session, INITIALIZE, INITIALIZED, call("wait", seconds=20))
        await asyncio.sleep(0.3)
        await send(session, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})

    lines, warnings = talk(f"{http_server.url}/mcp", script)
    assert not [line for line in lines if "ctxkit" in json.dumps(line)]
    assert warnings == []


def test_requests_that_name_their_version_have_headers_of_their_own(http_server: HttpServer) -> None:
    listing = {"jsonrpc": "2.0", "id": "l", "method": "tools/list", "params": {"_meta": META}}
    rows = call("dump", rows=2)
    rows["params"]["_meta"] = META
    lines, warnings = talk(f"{http_server.url}/mcp", [listing, rows], ("X-Mark", "modern"))
    assert warnings == []
    assert "dump" in [tool["name"] for tool in find(lines, "l")["tools"]]
    assert find(lines, 1)["content"][0]["text"] == make_text(2)
    requests = http_server.list_requests("modern")
    assert [(request["method"], request["headers"]["mcp-protocol-version"]) for request in requests] == [("POST", "2026-07-28")] * 2
    assert sorted((request["headers"]["mcp-method"], request["headers"].get("mcp-name", "")) for request in requests) == [("tools/call", "dump"), ("tools/list", "")]


def test_a_request_that_names_its_version_is_taken_back_by_the_end_of_its_stream(http_server: HttpServer) -> None:
    async def script(session: ServerSession, lines: list[bytes]) -> None:
        slow = call("wait", seconds=30)
        slow["params"]["_meta"] = META
        await send(session, slow)
        await asyncio.sleep(0.3)
        await send(session, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "_meta": META}})
        async with asyncio.timeout(5):
            await session.finish(30)

    assert talk(f"{http_server.url}/mcp", script, ("X-Mark", "cancel")) == ([], [])
    assert len(http_server.list_requests("cancel")) == 1


def test_a_line_that_is_not_json_is_answered_here(http_server: HttpServer) -> None:
    async def script(session: ServerSession, lines: list[bytes]) -> None:
        await session.take_line(b"{broken\n")

    lines, _ = talk(f"{http_server.url}/mcp", script, ("X-Mark", "broken"))
    assert lines == [{"jsonrpc": "2.0", "id": None, "error": {"code": -32603, "message": "ctxkit: a line of the client is not JSON"}}]
    assert http_server.list_requests("broken") == []


def test_a_server_that_is_down_is_an_error_for_each_request() -> None:
    lines, warnings = talk("http://127.0.0.1:9/mcp", [INITIALIZE, INITIALIZED, call("dump")])
    assert [line["error"]["code"] for line in lines] == [-32603] * 2
    assert all("http://127.0.0.1:9 cannot be asked: " in line["error"]["message"] for line in lines)
    assert warnings[1].startswith("notifications/initialized was not delivered: http://127.0.0.1:9 cannot be asked")
