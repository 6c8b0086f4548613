"""Write a tool definition in the shape that the API of a provider expects."""

from collections.abc import Sequence

from ctxkit.core.chat.editing.json_patches import dump_json
from ctxkit.core.chat.model.message import Tool
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.tools.builtin import DefinitionShape, simplify_schema

EMPTY_SCHEMA: dict[str, JsonValue] = {"type": "object", "properties": {}}
"""Schema of a tool without parameters, for APIs that require one."""


def convert_tool(tool: Tool, shape: DefinitionShape) -> dict[str, JsonValue]:
    """Return a definition in another shape, with its name, its description and its schema."""
    described = {"description": tool.description} if tool.description else {}
    function: dict[str, JsonValue] = {"name": tool.name, **described}
    if shape == "anthropic":
        return {**function, "input_schema": dict(tool.schema) or EMPTY_SCHEMA}
    if shape == "mcp":
        return {**function, "inputSchema": dict(tool.schema) or EMPTY_SCHEMA}
    if shape == "gemini":  # its API rejects an object without properties
        parameters = {"parameters": simplify_schema(dict(tool.schema))} if tool.schema.get("properties") else {}
        return {**function, **parameters}
    function["parameters"] = dict(tool.schema) or EMPTY_SCHEMA
    return {"type": "function", **function} if shape == "responses" else {"type": "function", "function": function}


def join_definitions(texts: Sequence[str], shape: DefinitionShape) -> str:
    """Return the JSON text of the member ``tools`` with definitions, each in its own text."""
    joined = ",".join(texts)
    return f'[{{"functionDeclarations":[{joined}]}}]' if shape == "gemini" else f"[{joined}]"


def dump_tool(tool: Tool, shape: DefinitionShape) -> str:
    """Return the JSON text of a definition in a shape."""
    return dump_json(convert_tool(tool, shape))
