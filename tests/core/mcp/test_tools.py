"""Lists of tools with the tools of ctxkit, and without long definitions."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.app.services import engines
from ctxkit.core.chat.editing import patch_text
from ctxkit.core.chat.model.message import Tool
from ctxkit.core.mcp.protocol import decode_line, patch_line
from ctxkit.core.mcp.tools import (
    COMPACT_CONTEXT,
    INSTRUCTIONS,
    MAX_TOKENS,
    READ_RESULT,
    STUB,
    ListPage,
    ListRules,
    ListState,
    TextGate,
    change_list,
    change_result,
    define_tool,
    find_output,
    list_added_tools,
    list_tools,
)
from ctxkit.core.tools.builtin import TOOLS, check_arguments
from ctxkit.edge.option_values import vocabulary_of

SCHEMA = {"type": "object", "properties": {"path": {"type": "string", "description": "x" * 400}}}


def make_tool(name: str, **rest: Any) -> dict[str, Any]:
    return {"name": name, "description": f"Work on {name}. " * 20, "inputSchema": SCHEMA, **rest}


def measure(tools: Sequence[Tool]) -> int:
    return 5 + sum(len(json.dumps(tool.raw)) // 4 for tool in tools)


def change(tools: list[Any], most: int | None = None, state: ListState | None = None, **rest: Any) -> tuple[dict[str, Any], ListState]:
    """Return the result of tools/list after the changes, and the state."""
    flags = {key: rest.pop(key) for key in ("has_store", "text_only") if key in rest}
    result = {"tools": tools, **rest}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode() + b"\n"
    text, start = decode_line(line)
    page = ListPage(text, start, ("result",), result)
    patches, state = change_list(page, state or ListState(), ListRules(most, measure, **flags))
    changed = patch_line(line, patches)
    assert changed.endswith(b"}\n")
    return json.loads(changed)["result"], state


def names(result: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in result["tools"]]


def test_read_result_is_added_and_the_others_stay() -> None:
    tools = [make_tool("query"), make_tool("other", annotations={"readOnlyHint": True})]
    result, state = change(tools, 100_000)
    assert result["tools"][:2] == tools
    assert names(result)[2:] == ["read_result"]
    assert result["tools"][2]["inputSchema"]["required"] == ["ref_id"]
    assert (state.own, state.deferred) == ({"read_result": "read_result"}, ())
    assert names(change([])[0]) == ["read_result"]


def test_an_added_tool_has_another_name_if_the_server_has_one_of_its_name() -> None:
    result, state = change([make_tool("read_result")])
    assert names(result) == ["read_result", "ctxkit_read_result"]
    assert state.own == {"ctxkit_read_result": "read_result"}
    assert list(list_added_tools(["read_result", "ctxkit_read_result"], 0, has_store=True)) == ["ctxkit_ctxkit_read_result"]


def test_nothing_is_added_where_nothing_is_stored() -> None:
    result, state = change([make_tool("query")], has_store=False)
    assert (names(result), state.own) == (["query"], {})


def test_definitions_above_the_threshold_lose_what_is_long_and_keep_their_names() -> None:
    tools = [make_tool(f"tool_{number}", annotations={"readOnlyHint": True}) for number in range(20)]
    result, state = change(tools, 3_000)
    stubs = [tool for tool in result["tools"] if tool.get("description") == STUB["description"]]
    assert names(result) == [*(tool["name"] for tool in tools), "read_result", "tool_search"]
    assert 5 < len(stubs) < 20
    assert all(tool["inputSchema"] == STUB["inputSchema"] and tool["annotations"] for tool in stubs)
    assert [json.loads(text) for text in state.deferred] == [tool for tool in tools if tool["name"] in names({"tools": stubs})]
    assert result["tools"][-1]["description"].startswith(f"[{len(stubs)} tools deferred to save context.")
    assert state.own["tool_search"] == "tool_search"
    assert measure([Tool(tool["name"], "", {}, raw=tool) for tool in result["tools"][:-2]]) <= 3_000
    assert state.kept <= 3_000


def test_nothing_is_deferred_that_is_as_short_as_a_stub() -> None:
    tools = [{"name": f"t{number}", "inputSchema": {"type": "object"}} for number in range(50)]
    result, state = change(tools, 10)
    assert (result["tools"][:50], state.deferred) == (tools, ())


def test_pages_share_the_threshold_and_the_last_one_has_the_added_tools() -> None:
    first, state = change([make_tool("a")], 300, nextCursor="2")
    assert names(first) == ["a"]
    assert (state.deferred, state.own) == ((), {})
    second, state = change([make_tool("b"), make_tool("read_result")], 300, state)
    assert names(second) == ["b", "read_result", "ctxkit_read_result", "tool_search"]
    assert len(state.deferred) == 2
    assert list(state.outputs) == ["a", "b", "read_result"]


def test_an_empty_cursor_is_one() -> None:
    assert names(change([make_tool("a")], nextCursor="")[0]) == ["a"]


TEXT = {"type": "object", "properties": {"result": {"title": "Result", "type": "string"}}, "required": ["result"]}


@pytest.mark.parametrize(
    ("schema", "output"),
    [
        (TEXT, "result"),
        ({**TEXT, "properties": {"result": {"type": "string", "maxLength": 9}}}, ""),
        ({**TEXT, "properties": {"result": {"type": "string"}, "other": {"type": "string"}}}, ""),
        ({"type": "object"}, ""),
        ({"type": "array", "items": {}}, ""),
        (True, ""),
    ],
)
def test_what_a_tool_says_of_its_structured_results(schema: Any, output: str) -> None:
    assert find_output(make_tool("a", outputSchema=schema)) == output
    assert find_output(make_tool("a")) is None
    result, state = change([make_tool("a", outputSchema=schema)], text_only=True)
    assert "outputSchema" not in result["tools"][0]
    assert state.outputs == {"a": None}


@pytest.mark.parametrize("tools", [None, {}, "x"])
def test_a_result_without_a_list_stays(tools: Any) -> None:
    assert change_list(ListPage("", 0, (), {"tools": tools}), ListState(), ListRules(1, measure)) == ([], ListState())


@pytest.mark.parametrize("tokenizer", ["o200k", "qwen3"])
def test_all_that_a_model_reads_takes_few_tokens(tokenizer: str) -> None:
    definitions = [define_tool(tool) for tool in list_tools(has_session=True)]
    assert len(definitions) == 3
    count = engines.load_tokenizer(vocabulary_of(tokenizer))
    assert 200 < count(json.dumps(definitions) + INSTRUCTIONS) <= MAX_TOKENS == 400


def test_a_conversation_is_only_compacted_in_a_session() -> None:
    assert [tool.name for tool in list_tools(has_session=False)] == ["read_result", "search"]
    assert "annotations" not in define_tool(COMPACT_CONTEXT)
    assert define_tool(READ_RESULT)["annotations"] == {"readOnlyHint": True, "openWorldHint": False}


def test_arguments_are_those_of_the_tool_of_the_same_name() -> None:
    for tool in TOOLS:
        for served in list_tools(has_session=True):
            if served.name == tool.name:
                assert (served.parameters.keys(), served.required) == (tool.parameters.keys(), tool.required)
    assert check_arguments(READ_RESULT, {"ref_id": "a"}) == {"ref_id": "a", "offset": 0, "limit": 4096}


LONG = "word " * 30
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///x", "text": LONG + "key"}}
GATE = TextGate(lambda text: text if len(text) <= 100 else "map", lambda text: len(text) <= 100)
MASKS = GATE._replace(mask=lambda text: text.replace("key", "***"))


def text(value: str, **rest: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **rest}


def change_tool_result(result: dict[str, Any], output: str | None = "", gate: TextGate = GATE) -> dict[str, Any]:
    patches = change_result(("result",), result, output, gate)
    return json.loads(patch_text(json.dumps({"id": 1, "result": result}), 0, patches))["result"]


def test_only_long_texts_change() -> None:
    blocks = [text("short"), IMAGE, text(LONG, annotations={"priority": 1}), RESOURCE, "odd", {"type": "text", "text": 5}]
    changed = change_tool_result({"content": blocks, "_meta": {"a": 1}})
    assert changed == {"content": [*blocks[:2], text("map", annotations={"priority": 1}), *blocks[3:]], "_meta": {"a": 1}}


@pytest.mark.parametrize("result", [{"content": [text(LONG)], "isError": True}, {"content": None}, {}, {"task": {"taskId": "t"}}])
def test_errors_and_other_results_stay(result: dict[str, Any]) -> None:
    assert change_tool_result(result) == result
    assert change_tool_result(result, None) == result


def test_many_texts_that_are_too_long_together_become_one_map() -> None:
    blocks = [text("x" * 60), IMAGE, text("y" * 60), text("z")]
    assert change_tool_result({"content": blocks})["content"] == [text("map"), IMAGE]
    assert change_tool_result({"content": [text("x" * 40), text("y" * 40)]})["content"] == [text("x" * 40), text("y" * 40)]


ROWS = {"rows": ["word " * 9] * 5}


@pytest.mark.parametrize(
    ("structured", "content", "output", "expected"),
    [
        (ROWS, json.dumps(ROWS, indent=2), None, ...),
        (ROWS, json.dumps(ROWS, indent=2), "", ROWS),
        (ROWS, json.dumps(ROWS, indent=2), "result", ROWS),
        (ROWS, LONG, None, ROWS),
        (ROWS, "short", None, ROWS),
        ({"result": LONG}, LONG, "result", {"result": "map"}),
        ({"result": LONG}, LONG, "other", {"result": LONG}),
        ({"result": LONG}, LONG, "", {"result": LONG}),
        ({"result": LONG}, LONG, None, ...),
        (LONG, LONG, None, ...),
        ({"result": None}, LONG, "result", {"result": None}),
        ({"result": "short"}, "short", "result", {"result": "short"}),
    ],
)
def test_a_structured_result_stays_valid(structured: Any, content: str, output: str | None, expected: Any) -> None:
    changed = change_tool_result({"content": [text(content)], "structuredContent": structured}, output)
    assert changed.get("structuredContent", ...) == expected


def test_a_member_of_a_result_with_one_map_of_all_texts_is_that_map() -> None:
    blocks = [text("x" * 60), text(LONG)]
    changed = change_tool_result({"content": blocks, "structuredContent": {"result": LONG}}, "result")
    assert changed == {"content": [text("x" * 60), text("map")], "structuredContent": {"result": "map"}}


def test_secrets_are_masked_wherever_a_model_may_read_them() -> None:
    result = {"content": [text("a key"), RESOURCE, IMAGE], "structuredContent": {"a": ["key"]}, "isError": True}
    changed = change_tool_result(result, "", MASKS)
    assert changed["content"][0]["text"] == "a ***"
    assert changed["content"][1]["resource"]["text"] == LONG + "***"
    assert changed["content"][2] == IMAGE
    assert changed["structuredContent"] == {"a": ["***"]}
    assert change_tool_result({**result, "isError": False}, None, MASKS)["content"][0]["text"] == "a ***"


def test_a_structured_result_that_cannot_be_masked_does_not_pass() -> None:
    broken = GATE._replace(mask=lambda text: text.replace("key", '"'))
    with pytest.raises(ValueError):
        change_tool_result({"content": [], "structuredContent": {"a": "key"}}, "", broken)


VALUES = st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2))
BLOCKS = st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "image"]), "text": st.text(max_size=120) | VALUES}) | VALUES, max_size=4)


@given(st.fixed_dictionaries({"content": BLOCKS | VALUES}, optional={"structuredContent": VALUES, "isError": VALUES}), st.none() | st.text(max_size=3))
def test_a_result_whose_texts_fit_stays(result: dict[str, Any], output: str | None) -> None:
    passes = TextGate(lambda text: text, lambda _: True)
    assert change_result((), result, output, passes) == []
    assert isinstance(change_tool_result(result, output, MASKS), dict)
