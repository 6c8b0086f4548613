"""Which messages are answered here, and which results are read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.mcp.protocol import (
    HANDSHAKE_VERSIONS,
    VERSIONS,
    McpServer,
    PendingRequest,
    ToolAnswer,
    answer_line,
    decode_line,
    find_replies,
    is_request_id,
    list_messages,
    patch_line,
    remove_messages,
    route_client_line,
)

META = {"io.modelcontextprotocol/protocolVersion": VERSIONS[0], "io.modelcontextprotocol/clientCapabilities": {}}
INFO = {"name": "ctxkit", "version": "9"}


def call(name: str, arguments: dict[str, Any]) -> ToolAnswer:
    if arguments.get("fail"):
        raise OSError("the disk is full")
    return ToolAnswer(f"{name} {json.dumps(arguments)}", is_error="wrong" in arguments)


SERVER = McpServer("9", "Read.", [{"name": "echo"}], call)


def ask(method: str, params: Any = None, **rest: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params, **rest}
    reply = answer_line(json.dumps(message).encode(), SERVER)
    assert reply is not None
    assert reply["jsonrpc"] == "2.0"
    return reply


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_a_handshake_agrees_on_the_revision_of_the_client(version: str) -> None:
    result = ask("initialize", {"protocolVersion": version})["result"]
    assert result == {
        "protocolVersion": version, "capabilities": {"tools": {}}, "instructions": "Read.", "serverInfo": INFO
    }


@pytest.mark.parametrize("version", ["2031-01-01", VERSIONS[0], None, 5])
def test_a_handshake_offers_the_newest_revision_that_has_one(version: object) -> None:
    assert ask("initialize", {"protocolVersion": version})["result"]["protocolVersion"] == HANDSHAKE_VERSIONS[0]


def test_a_request_that_names_its_revision_needs_no_handshake() -> None:
    result = ask("server/discover", {"_meta": META})["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["instructions"] == "Read."
    listed = ask("tools/list", {"_meta": META})["result"]
    assert listed["tools"] == [{"name": "echo"}]
    called = ask("tools/call", {"_meta": META, "name": "echo", "arguments": {}})["result"]
    for answer in (result, listed, called):
        assert answer["resultType"] == "complete"
        assert answer["_meta"] == {"io.modelcontextprotocol/serverInfo": INFO}
    assert all(answer["cacheScope"] == "private" and answer["ttlMs"] > 0 for answer in (result, listed))
    assert "ttlMs" not in called


def test_requests_after_a_handshake_have_no_members_of_later_revisions() -> None:
    assert ask("ping")["result"] == {}
    assert ask("tools/list")["result"] == {"tools": [{"name": "echo"}]}
    answer = ask("tools/call", {"name": "echo", "arguments": {"a": 1}})["result"]
    assert answer == {"content": [{"type": "text", "text": 'echo {"a": 1}'}], "isError": False}
    assert ask("tools/call", {"name": "echo", "arguments": {"wrong": 1}})["result"]["isError"] is True


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("resources/list", None, -32601),
        ("initialize", {"_meta": META}, -32601),
        ("ping", {"_meta": META}, -32601),
        ("server/discover", None, -32602),
        ("tools/list", [], -32602),
        ("tools/call", {"name": "rm"}, -32602),
        ("tools/call", {"name": "echo", "arguments": []}, -32602),
        ("tools/call", {"name": "echo", "arguments": {"fail": 1}}, -32603),
        ("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": VERSIONS[0]}}, -32602),
        ("tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "2025-11-25"}}, -32022),
    ],
)
def test_what_cannot_be_answered_is_an_error_with_its_code(method: str, params: Any, code: int) -> None:
    reply = ask(method, params)
    assert (reply["id"], reply["error"]["code"]) == (7, code)
    if code == -32022:
        assert reply["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2025-11-25"}


@pytest.mark.parametrize(
    ("line", "code"),
    [(b"{", -32700), (b"\xff", -32700), (b"[]", -32600), (b"{}", -32600), (b'{"id": {}, "method": "ping"}', -32600)],
)
def test_a_line_without_a_request_is_an_error_without_an_id(line: bytes, code: int) -> None:
    reply = answer_line(line, SERVER)
    assert reply is not None
    assert (reply["id"], reply["error"]["code"]) == (None, code)


def test_notifications_and_responses_have_no_reply() -> None:
    for message in ({"method": "notifications/initialized"}, {"id": 1, "result": {}}, {"id": 1, "error": {}}):
        assert answer_line(json.dumps(message).encode(), SERVER) is None


@given(st.dictionaries(st.sampled_from(["id", "method", "params", "result"]), st.from_type(object) | st.none() | st.text()))
def test_any_object_has_a_reply_or_none(message: dict[str, Any]) -> None:
    reply = answer_line(json.dumps(message, default=str).encode("utf-8", "surrogatepass"), SERVER)
    assert reply is None or ("result" in reply) != ("error" in reply)


CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "query", "arguments": {}}}
OWN = {**CALL, "id": "r", "params": {"name": "read_result"}}
LIST = {"jsonrpc": "2.0", "id": 2.5, "method": "tools/list"}
PING = {"jsonrpc": "2.0", "id": 3, "method": "ping"}
OWN_TOOLS = {"read_result"}


def route(value: Any, own_ids: Any = (), tasks: Any = None):
    return route_client_line(value, OWN_TOOLS, own_ids, tasks or {})


@pytest.mark.parametrize(
    ("value", "pending"),
    [
        (CALL, {1: PendingRequest("tools/call", "query")}),
        (LIST, {2.5: PendingRequest("tools/list")}),
        ({**LIST, "params": {"cursor": ""}}, {2.5: PendingRequest("tools/list", is_first_page=False)}),
        ([CALL, LIST, PING], {1: PendingRequest("tools/call", "query"), 2.5: PendingRequest("tools/list")}),
        (PING, {}),
        ({**CALL, "id": True}, {}),
        ({**CALL, "id": [1]}, {}),
        ({"method": "tools/call", "params": {"name": "read_result"}}, {}),
        ({"id": 1, "result": {}}, {}),
        ([1, None], {}),
        ("tools/call", {}),
    ],
)
def test_the_requests_whose_results_are_read(value: Any, pending: Any) -> None:
    routed = route(value)
    assert (routed.own, routed.dropped, routed.pending) == ([], [], pending)


def test_a_call_of_an_added_tool_does_not_reach_the_server() -> None:
    routed = route(OWN)
    assert (routed.own, routed.dropped, routed.pending) == ([((), OWN)], [()], {})
    assert remove_messages(b"x\n", OWN, routed.dropped) == b""
    batch = [CALL, OWN, PING]
    routed = route(batch)
    assert (routed.own, routed.dropped) == ([((1,), OWN)], [(1,)])
    line = b'[{"a": 1},{"b": 2},  {"c": 3}]\n'
    assert remove_messages(line, json.loads(line), routed.dropped) == b'[{"a": 1},  {"c": 3}]\n'
    assert remove_messages(b"x\n", [OWN], route([OWN]).dropped) == b""


def test_the_server_hears_of_no_cancellation_of_a_call_that_it_does_not_know() -> None:
    cancellation = {"method": "notifications/cancelled", "params": {"requestId": "r"}}
    assert route(cancellation, own_ids={"r"}).dropped == [()]
    assert route(cancellation).dropped == []
    assert route({"method": "notifications/cancelled", "params": {"requestId": []}}, own_ids={"r"}).dropped == []


def test_the_result_of_a_task_is_that_of_its_tool() -> None:
    request = {"id": 9, "method": "tasks/result", "params": {"taskId": "t"}}
    assert route(request, tasks={"t": "query"}).pending == {9: PendingRequest("tools/call", "query")}
    assert route(request).pending == {}


PENDING = {1: PendingRequest("tools/call", "query"), "1": PendingRequest("tools/call", "other"), 2.0: PendingRequest("tools/list")}


@pytest.mark.parametrize(
    ("value", "places", "answered"),
    [
        ({"id": 1, "result": {"content": []}}, [(("result",), "query")], [1]),
        ({"id": "1", "result": {}}, [(("result",), "other")], ["1"]),
        ({"id": 2, "result": {"tools": []}}, [(("result",), "")], [2]),
        ({"id": 1, "error": {"code": 1, "message": "x"}}, [], [1]),
        ({"id": 1, "result": None}, [], [1]),
        ({"id": 7, "result": {}}, [], []),
        ({"id": True, "result": {}}, [], []),
        ({"id": 1, "method": "ping", "result": {}}, [], []),
        ({"method": "notifications/progress", "params": {"progressToken": 1}}, [], []),
        ([{"id": 1, "result": {}}, {"id": 9, "result": {}}, 5, {"id": "1", "result": {}}], [((0, "result"), "query"), ((3, "result"), "other")], [1, "1"]),
        ("text", [], []),
    ],
)
def test_results_are_found_by_the_ids_of_pending_requests(value: Any, places: Any, answered: Any) -> None:
    replies, ids = find_replies(value, PENDING)
    assert [(reply.place, reply.request.tool) for reply in replies] == places
    assert ids == answered


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "method", "params", "name", "result", "cursor", "x"]), inner, max_size=4),
)


@given(JSON)
def test_any_value_is_routed(value: Any) -> None:
    assert len(route(value).own) == 0
    assert all(isinstance(message, dict) for _, message in list_messages(value))
    replies, answered = find_replies(value, {id_: PendingRequest("tools/call") for id_ in (*range(-9, 10), "", "a")})
    assert len(replies) <= len(answered)


@given(st.binary(max_size=60))
def test_a_line_without_changes_keeps_its_bytes(line: bytes) -> None:
    assert patch_line(line, []) == line
    assert decode_line(line)[0].encode("utf-8", "surrogateescape") == line


@pytest.mark.parametrize(("value", "is_id"), [(0, True), ("", True), (1.5, True), (False, False), (None, False), ({}, False)])
def test_an_id_is_a_text_or_a_number(value: Any, is_id: bool) -> None:
    assert is_request_id(value) == is_id
