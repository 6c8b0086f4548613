"""Calls are read as each provider sends them, and as arguments alone."""

import json
from contextlib import suppress

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.calls.function_call import (
    CallError,
    FunctionCall,
    check_arguments,
    make_error_result,
    make_text_result,
    parse_call,
)
from ctxkit.core.tools.builtin import TOOLS

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
