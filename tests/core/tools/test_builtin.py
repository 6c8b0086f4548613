"""The definitions of ctxkit's own tools: valid in every shape, and those that the seeds name."""

import json
from contextlib import suppress
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.calls_and_results import read_toolset
from ctxkit.core.tools.builtin import (
    BUILTIN_NAMES,
    SHAPES,
    TOOLS,
    CallError,
    DefinitionShape,
    FunctionCall,
    check_arguments,
    convert_tool,
    dump_tool,
    join_definitions,
    list_builtin,
    make_error_result,
    make_text_result,
    parse_call,
)
from ctxkit.core.tools.catalog import find_shape, read_catalog
from ctxkit.edge.tool_files import dump_definitions


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_reads_back(shape) -> None:
    definitions = read_catalog(dump_definitions(list_builtin(shape)).encode(), "x", builtin=BUILTIN_NAMES).definitions
    assert [definition.tool.name for definition in definitions] == [tool.name for tool in TOOLS]
    assert {find_shape(definition) for definition in definitions} == {shape}
    assert {definition.source for definition in definitions} == {"builtin"}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_valid(tool) -> None:
    jsonschema.Draft202012Validator.check_schema(tool.schema)
    assert set(tool.required) <= set(tool.parameters)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_result", {"ref_id": "3f9a2c81d0b4", "offset": 0, "limit": 4096}),
        ("tool_search", {"query": "xcode build"}),
        ("compact_context", {}),
        ("list_context", {}),
        ("edit_context", {"action": "list_items"}),
        ("edit_context", {"action": "summarize_range", "range": {"start": 1, "end": 10}, "summary": "Task: fix it."}),
    ],
)
def test_the_calls_of_the_seeds_are_valid(name: str, arguments) -> None:
    (tool,) = (tool for tool in TOOLS if tool.name == name)
    jsonschema.validate(arguments, tool.schema)


def test_names_are_selected_in_order() -> None:
    assert [tool["name"] for tool in list_builtin("mcp", ["tool_search", "read_file"])] == ["tool_search", "read_file"]
    with pytest.raises(KeyError):
        list_builtin("mcp", ["nothing"])


EMPTY: dict[str, Any] = {"type": "object", "properties": {}}


@pytest.mark.parametrize("target", SHAPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_definition_in_any_shape_becomes_that_of_another(shape: DefinitionShape, target: DefinitionShape) -> None:
    toolset = read_toolset({"tools": list_builtin(shape)})
    assert toolset is not None
    converted = json.loads(join_definitions([dump_tool(tool, target) for tool in toolset.tools], target))
    expected = list_builtin(target)
    if shape == "gemini":  # its definitions lack some members
        converted, expected = _simplify(converted), _simplify(expected)
    assert converted == expected


def _simplify(value: Any) -> Any:
    if isinstance(value, list):
        return [_simplify(item) for item in value]
    left_out = ("additionalProperties", "default")
    kept = (
        {name: _simplify(item) for name, item in value.items() if name not in left_out}
        if isinstance(value, dict)
        else value
    )
    return {name: item for name, item in kept.items() if item != EMPTY} if isinstance(kept, dict) else kept


def test_a_tool_without_parameters_has_an_empty_schema() -> None:
    toolset = read_toolset({"tools": [{"name": "x", "inputSchema": {}}]})
    assert toolset is not None
    assert convert_tool(toolset.tools[0], "anthropic") == {
        "name": "x",
        "input_schema": {"type": "object", "properties": {}},
    }
    assert convert_tool(toolset.tools[0], "gemini") == {"name": "x"}


ARGUMENTS = {"path": "a.py", "lines": "46:200"}
AS_TEXT = json.dumps(ARGUMENTS)


@pytest.mark.parametrize(
    ("value", "call_id"),
    [
        ({"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": AS_TEXT}}, "c1"),
        ({"function": {"name": "read_file", "arguments": ARGUMENTS}}, ""),
        ([{"id": "c1", "function": {"name": "read_file", "arguments": AS_TEXT}}], "c1"),
        ({"type": "function_call", "id": "fc", "call_id": "c1", "name": "read_file", "arguments": AS_TEXT}, "c1"),
        ({"type": "tool_use", "id": "t1", "name": "read_file", "input": ARGUMENTS}, "t1"),
        ({"functionCall": {"name": "read_file", "args": ARGUMENTS}}, ""),
        ({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "read_file", "arguments": ARGUMENTS}}, "7"),
        ({"name": "read_file", "parameters": ARGUMENTS}, ""),
    ],
    ids=["openai", "without-id", "list", "responses", "anthropic", "gemini", "mcp", "llama"],
)
def test_a_call_of_each_provider_names_its_function(value, call_id: str) -> None:
    assert parse_call(value) == parse_call(value, "read_file") == FunctionCall("read_file", ARGUMENTS, call_id)


@pytest.mark.parametrize("value", [ARGUMENTS, AS_TEXT])
def test_arguments_alone_belong_to_the_named_function(value) -> None:
    assert parse_call(value, "read_file") == FunctionCall("read_file", ARGUMENTS)
    assert parse_call(value).name == ""


@pytest.mark.parametrize("value", [None, "", {"type": "function_call", "name": "compact_context"}, {"name": "x", "arguments": ""}])
def test_a_call_may_have_no_arguments(value) -> None:
    assert parse_call(value).arguments == {}


@pytest.mark.parametrize(
    "value", [7, True, "no json", '"text"', [], [{}, {}], {"function": {"name": "x", "arguments": "[1]"}}, "[" * 100_000]
)
def test_what_is_no_call_is_an_error(value) -> None:
    with pytest.raises(CallError) as error:
        parse_call(value, "x")
    assert error.value.hint


def test_a_call_of_another_function_is_an_error() -> None:
    with pytest.raises(CallError, match="the call is of read_file, not of read_result"):
        parse_call({"name": "read_file", "input": {}}, "read_result")


NAMES = st.sampled_from(["name", "function", "arguments", "input", "id"])
SCALARS = st.none() | st.booleans() | st.floats() | st.text()


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner)))
def test_any_value_is_a_call_or_an_error(value) -> None:
    with suppress(CallError):
        assert isinstance(parse_call(value, "x").arguments, dict)


def test_an_error_is_one_line_with_what_to_do() -> None:
    result = CallError("there is no\nline 9", hint="the last line is 3").to_result()
    assert (result.content, result.is_error) == (b"error: there is no line 9. The last line is 3.\n", True)


def test_an_error_may_have_no_hint() -> None:
    assert make_error_result("it failed.").content == b"error: it failed.\n"


def test_a_text_ends_with_one_newline() -> None:
    assert make_text_result("a\n\n", {"n": 1})[:3] == (b"a\n", False, {"n": 1})


BY_NAME = {tool.name: tool for tool in TOOLS}
VALUES = st.none() | st.booleans() | st.integers(-2, 9) | st.floats(0, 3) | st.text(max_size=3)
NAMES_ARGUMENTS = sorted({name for tool in TOOLS for name in tool.parameters} | {"other"})


def test_defaults_are_those_of_the_specification() -> None:
    """Seed 001: input { "ref_id": "...", "offset": 0, "limit": 4096 }."""
    assert check_arguments(BY_NAME["read_result"], {"ref_id": "3f9a2c81d0b4"}) == {
        "ref_id": "3f9a2c81d0b4",
        "offset": 0,
        "limit": 4096,
    }


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("read_file", {}, "path is missing"),
        ("read_file", {"path": None}, "path is missing"),
        ("read_file", {"path": "a", "line": 1}, "line is not an argument"),
        ("read_result", {"ref_id": "3f9a2c", "offset": "3"}, "offset is the text 3, not a whole number"),
        ("read_result", {"ref_id": "3f9a2c", "offset": -1}, "offset is -1, less than 0"),
        ("read_result", {"ref_id": 7}, "ref_id is the number 7, not a text"),
        ("read_result", {"ref_id": "3f9a2c", "limit": True}, "limit is true or false"),
        ("edit_context", {"action": "drop"}, "action is drop"),
        ("edit_context", {"action": "list_items", "range": [1, 2]}, "range is a list, not an object"),
        ("edit_context", {"action": "remove_range", "range": {"start": 0, "end": 3}}, "range.start is 0, less than 1"),
        ("edit_context", {"action": "remove_range", "range": {"start": 1}}, "range.end is missing"),
        ("edit_context", {"action": "remove_range", "range": {"from": 1}}, "range.from is not an argument"),
    ],
)
def test_wrong_arguments_are_errors_with_hints(name: str, arguments, message: str) -> None:
    with pytest.raises(CallError) as error:
        check_arguments(BY_NAME[name], arguments)
    assert str(error.value).startswith(message)
    assert error.value.hint


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert check_arguments(BY_NAME["read_result"], {"ref_id": "3f9a2c", "limit": 10.0})["limit"] == 10


@given(
    st.sampled_from(TOOLS),
    st.dictionaries(
        st.sampled_from(NAMES_ARGUMENTS),
        VALUES | st.sampled_from(["list_items", "keep_range"]) | st.dictionaries(st.sampled_from(["start", "end", "x"]), VALUES),
    ),
)
def test_arguments_are_accepted_as_the_schema_says(tool, arguments) -> None:
    stripped = {name: value for name, value in arguments.items() if value is not None}
    if isinstance(stripped.get("range"), dict):
        stripped["range"] = {name: value for name, value in stripped["range"].items() if value is not None}
    known = set(arguments) <= set(tool.parameters) and set(arguments.get("range") or ()) <= {"start", "end"} if isinstance(arguments.get("range"), dict | None) else True
    is_valid = known and jsonschema.Draft202012Validator(tool.schema).is_valid(stripped)
    try:
        check_arguments(tool, arguments)
    except CallError:
        assert not is_valid
    else:
        assert is_valid
