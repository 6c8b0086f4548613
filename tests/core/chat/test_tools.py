"""Definitions of every provider become tools."""

import pytest

from ctxkit.core.chat.tools import toolset

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
def test_definitions_are_read(request_):
    found = toolset(request_)
    assert found is not None
    assert [(tool.name, tool.description, tool.schema) for tool in found.tools] == [("ls", "List.", SCHEMA)]
    assert found.choice == "auto"


def test_a_choice_is_read():
    tools = {"tools": [{"name": "ls"}]}
    assert toolset({**tools, "tool_choice": "none"}).choice == "none"
    assert toolset({**tools, "tool_choice": {"type": "any"}}).choice == "any"
    assert toolset({"tools": []}) is None
    assert toolset({"tools": "none"}) is None
