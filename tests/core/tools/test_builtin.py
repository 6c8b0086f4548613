"""The definitions of ctxkit's own tools: valid in every shape, and those that the seeds name."""

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from ctxkit.core.chat.model.calls_and_results import read_toolset
from ctxkit.core.tools.builtin import (
    BUILTIN_NAMES,
    SHAPES,
    TOOLS,
    DefinitionShape,
    convert_tool,
    dump_tool,
    join_definitions,
    list_builtin,
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
