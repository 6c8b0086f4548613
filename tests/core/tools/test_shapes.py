"""Definitions in the shape of each provider."""

import json
from typing import Any

import pytest

from ctxkit.core.chat.model.tools import read_toolset
from ctxkit.core.tools.builtin import SHAPES, DefinitionShape, list_builtin
from ctxkit.core.tools.shapes import convert_tool, dump_tool, join_definitions

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
