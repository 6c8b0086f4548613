"""Calls are read as each provider sends them, and as arguments alone."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.calls.call_result import CallError
from ctxkit.core.calls.function_call import FunctionCall, parse_call

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
