"""Definitions of every provider become tools."""

import pytest

from ctxkit.core.chat.model.tools import read_toolset

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
