import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.mcp.protocol import HANDSHAKE_VERSIONS, VERSIONS, McpServer, ToolAnswer, answer_line

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
