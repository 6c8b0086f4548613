"""The tools that ctxkit offers to a model, as definitions in the shape of each provider.

The names and parameters are those of the seeds: read_result, tool_search and compact_context of seed 001 (enhancements
2, 5 and 7), list_context and edit_context of seed 004, and read_file of seed 000.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

from ctxkit.core.chat.model.message import Tool
from ctxkit.core.text.json_value import JsonValue

DefinitionShape = Literal["openai", "responses", "anthropic", "gemini", "mcp"]
"""The shape of a definition: Chat Completions, Responses, Messages, Gemini, or the Model Context Protocol."""
SHAPES: tuple[DefinitionShape, ...] = get_args(DefinitionShape)


class BuiltinTool(NamedTuple):
    """A tool of ctxkit: its name, what a model reads of it, its parameters as JSON schemas, and the required ones."""

    name: str
    description: str
    parameters: dict[str, JsonValue]
    required: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, JsonValue]:
        """Return the JSON schema of the arguments."""
        required = {"required": list(self.required)} if self.required else {}
        return {"type": "object", "properties": self.parameters, **required, "additionalProperties": False}


def _text(description: str, **rest: JsonValue) -> dict[str, JsonValue]:
    return {"type": "string", "description": description, **rest}


def _number(description: str, minimum: int, **rest: JsonValue) -> dict[str, JsonValue]:
    return {"type": "integer", "description": description, "minimum": minimum, **rest}


_LINES = "Lines to read, such as 46:200 for lines 46 to 200. Lines are counted from 1."
_RANGE = {
    "type": "object",
    "description": "Items to edit, with the numbers that list_items shows: start and end.",
    "properties": {
        "start": _number("Number of the first item. Items are counted from 1.", 1),
        "end": _number("Number of the last item. The range includes it.", 1),
    },
    "required": ["start", "end"],
    "additionalProperties": False,
}
_ACTIONS = ["list_items", "remove_range", "summarize_range", "mark_removable", "keep_range"]
TOOLS = (
    BuiltinTool(
        "read_result",
        "Read a part of a stored tool result. Use this when a result was replaced by a map or a note with a ref_id. "
        "Prefer lines if the map shows line numbers.",
        {
            "ref_id": _text("The ref of the stored result, such as 3f9a2c81d0b47e65."),
            "lines": _text(_LINES),
            "focus": _text("Words: returns the lines that match them best, if lines is not given."),
            "offset": _number("First byte to read, if lines is not given. Bytes are counted from 0.", 0, default=0),
            "limit": _number("Maximum number of bytes to read, if lines is not given.", 1, default=4096),
        },
        ("ref_id",),
    ),
    BuiltinTool(
        "read_file",
        "Read a file, or some of its lines. A file that is too large is answered with a map of its lines: then call "
        "again with lines.",
        {"path": _text("Path of the file, relative to the working directory."), "lines": _text(_LINES)},
        ("path",),
    ),
    BuiltinTool(
        "tool_search",
        "Find tools that are not in your list. Returns the definitions of the tools that match best. You can call "
        "them in this turn.",
        {"query": _text("What you want to do, in a few words, such as: create pull request.")},
        ("query",),
    ),
    BuiltinTool(
        "compact_context",
        "Summarize the older part of this conversation to free space. Use this before large operations if the context "
        "is nearly full.",
        {},
    ),
    BuiltinTool(
        "list_context", "List the items of this conversation with their numbers and token costs. Changes nothing.", {}
    ),
    BuiltinTool(
        "edit_context",
        "Edit this conversation to free space. First use list_items to see the numbers of the items.",
        {
            "action": _text(
                "list_items: show all items. remove_range: remove items. summarize_range: replace items by a summary. "
                "mark_removable: let ctxkit remove items when space is short. keep_range: never remove items.",
                enum=_ACTIONS,
            ),
            "range": _RANGE,
            "summary": _text("Text that replaces the items. Required for summarize_range."),
        },
        ("action",),
    ),
)
BUILTIN_NAMES = frozenset(tool.name for tool in TOOLS)


def list_builtin(shape: DefinitionShape, names: Sequence[str] = ()) -> list[dict[str, JsonValue]]:
    """Return the definitions in the shape of a provider: those of ``names`` in this order, or all of them.

    Raise KeyError for an unknown name.
    """
    by_name = {tool.name: tool for tool in TOOLS}
    tools = [by_name[name] for name in names] if names else TOOLS
    definitions = [format_tool(tool, shape) for tool in tools]
    return [{"functionDeclarations": definitions}] if shape == "gemini" else definitions


def format_tool(tool: BuiltinTool, shape: DefinitionShape) -> dict[str, JsonValue]:
    """Return the definition of a tool in the shape of a provider; Gemini's is an item of functionDeclarations."""
    function: dict[str, JsonValue] = {"name": tool.name, "description": tool.description}
    if shape == "anthropic":
        return {**function, "input_schema": tool.schema}
    if shape == "mcp":
        return {**function, "inputSchema": tool.schema}
    if shape == "gemini":  # its API rejects an object without properties
        return {**function, "parameters": _simplify_schema(tool.schema)} if tool.parameters else function
    function = {**function, "parameters": tool.schema}
    return {"type": "function", **function} if shape == "responses" else {"type": "function", "function": function}


def _simplify_schema(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a schema without the members that Gemini's API rejects."""
    kept = {name: value for name, value in schema.items() if name not in ("additionalProperties", "default")}
    if "properties" in kept:
        kept["properties"] = {name: _simplify_schema(value) for name, value in kept["properties"].items()}
    return kept


_EMPTY_SCHEMA: dict[str, JsonValue] = {"type": "object", "properties": {}}
"""Schema of a tool without parameters, for APIs that require one."""


def convert_tool(tool: Tool, shape: DefinitionShape) -> dict[str, JsonValue]:
    """Return a definition in another shape, with its name, its description and its schema."""
    described = {"description": tool.description} if tool.description else {}
    function: dict[str, JsonValue] = {"name": tool.name, **described}
    if shape == "anthropic":
        return {**function, "input_schema": dict(tool.schema) or _EMPTY_SCHEMA}
    if shape == "mcp":
        return {**function, "inputSchema": dict(tool.schema) or _EMPTY_SCHEMA}
    if shape == "gemini":  # its API rejects an object without properties
        parameters = {"parameters": _simplify_schema(dict(tool.schema))} if tool.schema.get("properties") else {}
        return {**function, **parameters}
    function["parameters"] = dict(tool.schema) or _EMPTY_SCHEMA
    return {"type": "function", **function} if shape == "responses" else {"type": "function", "function": function}


def join_definitions(texts: Sequence[str], shape: DefinitionShape) -> str:
    """Return the JSON text of the member ``tools`` with definitions, each in its own text."""
    joined = ",".join(texts)
    return f'[{{"functionDeclarations":[{joined}]}}]' if shape == "gemini" else f"[{joined}]"


def dump_tool(tool: Tool, shape: DefinitionShape) -> str:
    """Return the JSON text of a definition in a shape."""
    from ctxkit.core.chat.editing import dump_json

    return dump_json(convert_tool(tool, shape))
