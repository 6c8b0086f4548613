"""Definitions in the shape of each provider."""

import json

import pytest

from ctxkit.core.chat.model.tools import read_toolset
from ctxkit.core.tools.builtin import SHAPES, DefinitionShape, list_builtin
from ctxkit.core.tools.shapes import convert_tool, dump_tool, join_definitions


@pytest.mark.parametrize("target", SHAPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_definition_in_any_shape_becomes_that_of_another(shape: DefinitionShape, target: DefinitionShape) -> None:
    toolset = read_toolset({"tools": list_builtin(shape)})
    assert toolset is not None
    converted = json.loads(join_definitions([dump_tool(tool, target) for tool in toolset.tools], target))
    assert converted == list_builtin(target)


def test_a_tool_without_parameters_has_an_empty_schema() -> None:
    toolset = read_toolset({"tools": [{"name": "x", "inputSchema": {}}]})
    assert toolset is not None
    assert convert_tool(toolset.tools[0], "anthropic") == {
        "name": "x",
        "input_schema": {"type": "object", "properties": {}},
    }
    assert convert_tool(toolset.tools[0], "gemini") == {"name": "x"}
