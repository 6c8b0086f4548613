"""Functions of the proxy in requests and answers of each API."""

import json
from typing import Any

import pytest

from ctxkit.core.chat.model.message import RecordCall
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.mcp.tool_list import READ_RESULT, TOOL_SEARCH
from ctxkit.core.proxy.model_apis import find_api
from ctxkit.core.proxy.own_functions import (
    LAST_TURN,
    SHAPES,
    OwnResult,
    add_functions,
    add_usage,
    answer_calls,
    choose_messages,
    may_add_functions,
    read_usage,
    set_usage,
)
from ctxkit.core.tools.catalog import read_catalog
from tests.app.proxy.conversations import PATHS

NAMES = ("read_result", "tool_search")
TOOLS: dict[str, Any] = {
    "openai": [{"type": "function", "function": {"name": "sh", "parameters": {"type": "object"}}}],
    "responses": [{"type": "function", "name": "sh", "parameters": {"type": "object"}}],
    "anthropic": [{"name": "sh", "input_schema": {"type": "object"}}, {"type": "web_search_20250305", "name": "web_search"}],
    "gemini": [{"googleSearch": {}}, {"functionDeclarations": [{"name": "sh", "description": "Runs."}]}],
}


def is_free(api: str, path: str = "", **request: Any) -> bool:
    found = find_api("POST", path or PATHS[api])
    assert found is not None
    return may_add_functions(found, path or PATHS[api], request, NAMES)


@pytest.mark.parametrize("api", sorted(SHAPES))
def test_a_request_with_functions_may_have_more(api: str) -> None:
    assert is_free(api, tools=TOOLS[api])
    assert not is_free(api, tools=[])
    assert not is_free(api)
    assert not is_free(api, tools=TOOLS[api], stream=True)


def test_what_cannot_be_answered_gets_no_functions() -> None:
    assert not is_free("ollama", tools=TOOLS["openai"])
    assert not is_free("openai", tools=TOOLS["openai"], n=2)
    assert not is_free("gemini", tools=TOOLS["gemini"], generationConfig={"candidateCount": 2})
    assert not is_free("gemini", tools=TOOLS["gemini"][:1])
    assert not is_free("gemini", "/v1beta/models/m:streamGenerateContent", tools=TOOLS["gemini"])
    assert not is_free("anthropic", "/v1/messages/count_tokens", tools=TOOLS["anthropic"])
    assert not is_free("responses", tools=TOOLS["responses"], background=True)
    assert not is_free("anthropic", tools=[{"name": "read_result", "input_schema": {}}])


@pytest.mark.parametrize("api", sorted(SHAPES))
def test_functions_are_added_at_the_end_and_all_else_keeps_its_bytes(api: str) -> None:
    text = json.dumps(TOOLS[api], indent=1)
    added = add_functions(text, (READ_RESULT, TOOL_SEARCH), SHAPES[api])
    names = [definition.tool.name for definition in read_catalog(added.encode(), "added", "mcp").definitions]
    assert names[-2:] == ["read_result", "tool_search"]
    assert added.startswith(text[: text.rindex('"')])
    alone = json.loads(add_functions(" ", (READ_RESULT,), SHAPES[api]))
    assert len(alone) == 1


MESSAGES: dict[str, list[Any]] = {
    "openai": [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "read_result", "arguments": '{"ref_id": "x"}'}},
                {"id": "b", "type": "function", "function": {"name": "sh", "arguments": "{}"}},
            ],
        }
    ],
    "responses": [
        {"type": "reasoning", "id": "r", "summary": []},
        {"type": "function_call", "call_id": "a", "name": "read_result", "arguments": '{"ref_id": "x"}'},
        {"type": "function_call", "call_id": "b", "name": "sh", "arguments": "{}"},
    ],
    "anthropic": [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "a", "name": "read_result", "input": {"ref_id": "x"}},
                {"type": "tool_use", "id": "b", "name": "sh", "input": {}},
            ],
        }
    ],
    "gemini": [
        {
            "role": "model",
            "parts": [
                {"functionCall": {"name": "read_result", "args": {"ref_id": "x"}}, "thoughtSignature": "s"},
                {"functionCall": {"name": "sh", "args": {}}},
            ],
        }
    ],
}


@pytest.mark.parametrize("api", sorted(SHAPES))
def test_each_call_of_an_answer_gets_a_result(api: str) -> None:
    seen: list[RecordCall] = []

    def answer(call: RecordCall) -> OwnResult:
        seen.append(call)
        return OwnResult("lines 1 to 5")

    format_ = get_format(api)
    entries = answer_calls(MESSAGES[api], NAMES, answer, format_, is_last=True)
    assert [(call.name, call.arguments) for call in seen] == [("read_result", {"ref_id": "x"})]
    results = [result for entry in entries for result in format_.read_content(entry).results]
    assert [result.id for result in results] == (["", ""] if api == "gemini" else ["a", "b"])
    assert results[0].text.startswith("lines 1 to 5")
    assert LAST_TURN in results[0].text
    assert "Not run: it was called together with read_result." in results[1].text
    assert results[1].failed == (api == "anthropic")


@pytest.mark.parametrize("api", sorted(SHAPES))
def test_an_answer_without_such_calls_has_no_next_entries(api: str) -> None:
    assert answer_calls(MESSAGES[api], ("tool_search",), lambda call: OwnResult(""), get_format(api)) == []


def test_reasoning_that_the_provider_has_not_kept_is_left_out() -> None:
    items = [*MESSAGES["responses"], {"type": "reasoning", "id": "q", "summary": [], "encrypted_content": "e"}]
    assert choose_messages(items, {"store": False}) == items[1:]
    assert choose_messages(items, {}) == items


def test_usages_are_added() -> None:
    first = {"input_tokens": 5, "cache": {"read": 2}, "tier": "a", "none": None, "is": True}
    second = {"input_tokens": 7, "cache": {"read": 3, "write": 1}, "tier": "b", "none": None, "is": False}
    total = add_usage(first, second)
    assert total == {"input_tokens": 12, "cache": {"read": 5, "write": 1}, "tier": "b", "none": None, "is": False}
    assert add_usage(None, second) == second
    assert read_usage({"usageMetadata": {"totalTokenCount": 3}}) == {"totalTokenCount": 3}
    text = '{"id": 1.10, "usage": {"input_tokens": 7}}'
    assert set_usage(text, json.loads(text), {"input_tokens": 12}) == '{"id": 1.10, "usage": {"input_tokens":12}}'
    assert set_usage("{}", {}, {"input_tokens": 12}) == "{}"
