"""The definitions of ctxkit's own tools: valid in every shape, and those that the seeds name."""

import jsonschema  # type: ignore[import-untyped]
import pytest

from ctxkit.core.tools.builtin import BUILTIN_NAMES, SHAPES, TOOLS, list_builtin
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
