import json
from typing import Any

import pytest

from ctxkit.core.hosts.model_apis import Body, find_dialect, make_answer

CALL = ("bash", {"command": "ls"})
RESULT = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
APIS: dict[str, Body] = {
    "/v1/messages": {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}, {"role": "user", "content": [{"type": "tool_result", "content": RESULT}]}],
        "tools": [{"name": "bash"}],
    },
    "/v1/responses": {
        "model": "m",
        "input": [{"type": "message"}, {"type": "function_call_output", "output": "one\ntwo"}],
        "tools": [{"name": "bash"}],
    },
    "/v1/chat/completions": {
        "model": "m",
        "stream": True,
        "messages": [{"role": "user", "content": "hi"}, {"role": "tool", "content": "one\ntwo"}],
        "tools": [{"function": {"name": "bash"}}],
    },
    "/v1beta/models/m:streamGenerateContent?alt=sse": {
        "contents": [{"parts": [{"functionResponse": {"response": {"output": "one\ntwo"}}}, {"text": "x"}]}, {}],
        "tools": [{"functionDeclarations": [{"name": "bash"}]}],
    },
}


@pytest.mark.parametrize("path", APIS)
def test_results_and_tools_of_a_request_are_read(path: str) -> None:
    dialect = find_dialect(path)
    assert dialect.list_results(APIS[path]) == ["one\ntwo"]
    assert dialect.list_tools(APIS[path]) == ["bash"]


@pytest.mark.parametrize("path", APIS)
def test_an_answer_calls_a_tool_or_says_something(path: str) -> None:
    content_type, data = make_answer(find_dialect(path), APIS[path], CALL, 1)
    assert content_type == "text/event-stream"
    events: list[Any] = [json.loads(line.removeprefix("data: ")) for line in data.decode().split("\n") if line.startswith("data: ")]
    assert '"bash"' in json.dumps(events)
    assert "ls" in json.dumps(events)
    assert b"done" in make_answer(find_dialect(path), APIS[path], None, 1)[1]


def test_a_request_that_wants_no_stream_gets_an_object() -> None:
    path = "/v1/chat/completions"
    content_type, data = make_answer(find_dialect(path), {"model": "m"}, CALL, 1)
    assert content_type == "application/json"
    assert json.loads(data)["choices"][0]["finish_reason"] == "tool_calls"


def test_tools_in_a_namespace_follow_it() -> None:
    tools = [{"name": "mcp__x", "tools": [{"name": "read"}]}]
    assert find_dialect("/responses").list_tools({"tools": tools}) == ["mcp__x", "mcp__x.read"]


@pytest.mark.parametrize("path", ["/v1/messages/count_tokens", "/v1/models", "/"])
def test_other_addresses_ask_no_model(path: str) -> None:
    assert find_dialect(path) is None
