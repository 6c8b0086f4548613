"""Functions of the proxy in requests and answers of each API."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from ctxkit.core.chat.model.message import RecordCall
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.mcp.tools import READ_RESULT, TOOL_SEARCH
from ctxkit.core.proxy.functions import (
    LAST_TURN,
    SHAPES,
    OwnResult,
    add_functions,
    add_usage,
    answer_calls,
    choose_messages,
    find_first_sentence,
    may_add_functions,
    read_usage,
    set_usage,
    shorten_definitions,
    strip_prose,
    write_long_definitions,
)
from ctxkit.core.proxy.model_apis import find_api
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


SCHEMA = {
    "type": "object",
    "title": "Arguments",
    "properties": {
        "title": {"type": "string", "description": "A title", "examples": ["x"], "default": "description"},
        "kind": {"enum": ["title", "description"], "description": "A kind"},
        "steps": {"type": "array", "items": {"$ref": "#/$defs/description"}, "minItems": 1},
    },
    "required": ["title"],
    "additionalProperties": False,
    "$defs": {"description": {"anyOf": [{"type": "string", "title": "Text"}, {"type": "null"}], "description": "A step"}},
}
PROSE = "Runs a command. " + "It takes care of many things that are told here at length. " * 20
REQUESTS_BY_SHAPE: dict[str, Any] = {
    "openai": [{"type": "function", "function": {"name": name, "description": PROSE, "parameters": SCHEMA, "strict": True}} for name in "ab"],
    "responses": [{"type": "function", "name": name, "description": PROSE, "parameters": SCHEMA, "strict": True} for name in "ab"],
    "anthropic": [{"name": name, "description": PROSE, "input_schema": SCHEMA, "input_examples": [{}]} for name in "ab"],
    "gemini": [{"functionDeclarations": [{"name": name, "description": PROSE, "parametersJsonSchema": SCHEMA} for name in "ab"]}],
}
VALUES = [
    ({"title": "x"}, True),
    ({"title": "x", "kind": "title", "steps": [None, "y"]}, True),
    ({"kind": "title"}, False),
    ({"title": "x", "steps": []}, False),
    ({"title": "x", "other": 1}, False),
]


def count(tools: Any) -> int:
    return sum(len(json.dumps(tool.raw)) // 4 for tool in tools)


def shorten(tools: Any, most: int) -> Any:
    catalog = read_catalog(json.dumps(tools).encode(), "tools", "mcp")
    text = shorten_definitions(catalog, count, most, lambda number: f"get {number}")
    return None if text is None else json.loads(text)


@pytest.mark.parametrize(("value", "is_valid"), VALUES)
def test_a_schema_without_prose_takes_the_same_values(value: Any, is_valid: bool) -> None:
    stripped = strip_prose(SCHEMA)
    assert isinstance(stripped, dict)
    assert Draft202012Validator(SCHEMA).is_valid(value) == Draft202012Validator(stripped).is_valid(value) == is_valid
    assert stripped["properties"]["title"] == {"type": "string", "default": "description"}
    assert "A step" not in json.dumps(stripped)


@pytest.mark.parametrize("shape", sorted(REQUESTS_BY_SHAPE))
def test_definitions_of_each_shape_keep_their_names_and_lose_their_prose(shape: str) -> None:
    short = shorten(REQUESTS_BY_SHAPE[shape], 10)
    text = json.dumps(short)
    assert [tool.tool.name for tool in read_catalog(text.encode(), "short", "mcp").definitions] == ["a", "b"]
    assert text.count("Runs a command. [The rest: get") == 2
    assert "at length" not in text
    assert "input_examples" not in text
    assert text.count('"strict": true') == json.dumps(REQUESTS_BY_SHAPE[shape]).count('"strict": true')


def test_only_as_many_are_shortened_as_have_to_be() -> None:
    tools = [*REQUESTS_BY_SHAPE["anthropic"], {"name": "c", "description": PROSE * 2, "input_schema": SCHEMA}]
    whole = count([type("Tool", (), {"raw": tool})() for tool in tools])
    assert shorten(tools, whole) is None
    short = shorten(tools, whole - 100)
    assert short[:2] == tools[:2]
    assert len(json.dumps(short[2])) < len(json.dumps(tools[2])) / 2


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "web_search_20250305", "name": "web_search", "description": PROSE},
        {"type": "custom", "name": "apply_patch", "description": PROSE, "format": {"type": "grammar", "syntax": "lark", "definition": "x"}},
        {"name": "later", "description": PROSE, "input_schema": SCHEMA, "defer_loading": True},
        {"name": "bare", "description": PROSE},
    ],
)
def test_tools_of_the_provider_and_those_without_parameters_stay(tool: dict[str, Any]) -> None:
    assert shorten([tool], 1) is None


def test_what_would_not_become_shorter_stays() -> None:
    tiny = {"name": "a", "description": "Run.", "input_schema": {"type": "object"}}
    assert shorten([tiny, REQUESTS_BY_SHAPE["anthropic"][1]], 1)[0] == tiny


def test_the_whole_definitions_stand_in_the_lines_that_are_named() -> None:
    long = write_long_definitions(read_catalog(json.dumps(REQUESTS_BY_SHAPE["openai"]).encode(), "tools", "mcp"))
    lines = long.text.splitlines()
    first, last = long.lines[1]
    assert lines[first - 1] == "b"
    assert lines[first] == PROSE.strip() or lines[first] == PROSE
    assert json.loads("\n".join(lines[first + 1 : last])) == SCHEMA


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Reads a file. It may be large.", "Reads a file."),
        ("\n  Reads version 1.2 of a.py\nand more", "Reads version 1.2 of a.py"),
        ("Runs e.g. make. Not for files.", "Runs e.g. make."),
        ("", ""),
        ("word " * 100, "word " * 47 + "word ..."),
        ("x" * 300, "x" * 240 + " ..."),
    ],
)
def test_the_first_sentence(text: str, sentence: str) -> None:
    assert find_first_sentence(text) == sentence
