"""Calls, results and words are found where they stand."""

import pytest

from ctxkit.core.chat.model.calls_and_results import (
    find_calls,
    find_passages,
    find_results,
    has_leading_reasoning,
    is_encrypted,
    is_plain_text,
    parse_arguments,
    read_result_text,
    read_toolset,
)
from ctxkit.core.chat.model.message import RecordCall, RecordPassage, RecordResult

PLACE = ("message", "content")


def test_calls() -> None:
    content = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "1", "name": "ls", "input": {"a": 1}},
        {"type": "server_tool_use", "id": "2", "name": "web_search", "input": {"q": "x"}},
        {"type": "toolCall", "id": "3", "name": "cat", "arguments": {}},
        {"type": "tool-call", "toolCallId": "4", "toolName": "rm", "args": {"b": 2}},
        {"type": "tool_use", "id": "5", "name": "none"},
    ]
    assert list(find_calls(content, PLACE)) == [
        RecordCall("1", "ls", {"a": 1}, (*PLACE, 1, "input"), (*PLACE, 1)),
        RecordCall("2", "web_search", {"q": "x"}, (*PLACE, 2, "input"), (*PLACE, 2), needs_no_result=True),
        RecordCall("3", "cat", {}, (*PLACE, 3, "arguments"), (*PLACE, 3)),
        RecordCall("4", "rm", {"b": 2}, (*PLACE, 4, "args"), (*PLACE, 4)),
        RecordCall("5", "none", "", (*PLACE, 5, "input"), (*PLACE, 5)),
    ]
    assert list(find_calls("words", PLACE)) == []


def test_results() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "AA=="}}
    content = [
        {"type": "tool_result", "tool_use_id": "1", "content": "ok"},
        {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "a"}, image], "is_error": True},
        {"type": "tool_result", "tool_use_id": "3"},
        {"type": "tool-result", "toolCallId": "4", "toolName": "ls", "output": {"type": "text", "value": "b"}},
        {"type": "web_search_tool_result", "tool_use_id": "5", "content": []},
    ]
    assert list(find_results(content, PLACE)) == [
        RecordResult("1", "ok", (*PLACE, 0, "content"), unit=(*PLACE, 0)),
        RecordResult("2", "a", (*PLACE, 1, "content"), failed=True, plain=False, unit=(*PLACE, 1)),
        RecordResult("3", "", (*PLACE, 2, "content"), unit=(*PLACE, 2)),
        RecordResult("4", "b", (*PLACE, 3, "output"), "ls", unit=(*PLACE, 3)),
    ]


def test_passages() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "b"}, "c", {"text": "d"}, {"type": "text"}]
    assert list(find_passages(blocks, PLACE)) == [RecordPassage("a", (*PLACE, 0, "text")), RecordPassage("d", (*PLACE, 3, "text"))]
    assert list(find_passages("a", PLACE)) == [RecordPassage("a", PLACE)]
    assert list(find_passages(None, PLACE)) == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *(({"a": 1}, {"a": 1}), (' {"a": 1}\n', {"a": 1}), ('{"a": 1', '{"a": 1'), ("", ""), ("[1]", "[1]"), (None, "")),
        *(('{"a": 1} x', '{"a": 1} x'), ([1], "[1]"), ("[" * 100_000, "[" * 100_000)),
    ],
)
def test_arguments_are_a_mapping_where_they_are_json(written, meant) -> None:
    assert parse_arguments(written) == meant


def test_what_is_said_and_whether_it_is_all() -> None:
    assert read_result_text([{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}]) == "a\nb"
    assert read_result_text({"type": "text", "text": "a"}) == "a"
    assert [is_plain_text(one) for one in (None, "a", [], ["a"], [{"type": "text", "text": "a"}])] == [True] * 5
    assert [is_plain_text(one) for one in ({}, [{"type": "image"}], 7)] == [False] * 3


def test_reasoning_and_what_is_sealed() -> None:
    thought, words = {"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "a"}
    assert has_leading_reasoning([thought, words])
    assert has_leading_reasoning([{"type": "redacted_thinking", "data": "x"}])
    assert not has_leading_reasoning([words, thought])
    assert not has_leading_reasoning("a")
    assert is_encrypted([words, {"type": "compaction", "content": "x"}])
    assert not is_encrypted([thought, words])


SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}


@pytest.mark.parametrize(
    "request_",
    [
        {"tools": [{"type": "function", "function": {"name": "ls", "description": "List.", "parameters": SCHEMA}}]},
        {"tools": [{"type": "function", "name": "ls", "description": "List.", "parameters": SCHEMA}]},
        {"tools": [{"name": "ls", "description": "List.", "input_schema": SCHEMA}]},
        {"tools": [{"functionDeclarations": [{"name": "ls", "description": "List.", "parameters": SCHEMA}]}]},
        {"tools": [{"name": "ls", "description": "List.", "inputSchema": SCHEMA}]},
        {"functions": [{"name": "ls", "description": "List.", "parameters": SCHEMA}]},
    ],
)
def test_definitions_are_read(request_) -> None:
    found = read_toolset(request_)
    assert found is not None
    assert [(tool.name, tool.description, tool.schema) for tool in found.tools] == [("ls", "List.", SCHEMA)]
    assert found.choice == "auto"


def test_a_choice_is_read() -> None:
    tools = {"tools": [{"name": "ls"}]}
    assert read_toolset({**tools, "tool_choice": "none"}).choice == "none"
    assert read_toolset({**tools, "tool_choice": {"type": "any"}}).choice == "any"
    assert read_toolset({"tools": []}) is None
    assert read_toolset({"tools": "none"}) is None


@pytest.mark.parametrize(
    "request_",
    [
        {"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
        {"text": {"format": {"type": "json_schema", "schema": {"name": "x"}}}},
        {"output_format": {"type": "json_schema", "schema": {"name": "x"}}},
        {"output_config": {"format": {"schema": {"name": "x"}}}},
        {"generationConfig": {"responseSchema": {"name": "x"}}},
    ],
)
def test_the_schema_of_the_answer_is_read(request_) -> None:
    assert read_toolset(request_).answer_schema == '{"name":"x"}'
