"""Tool definitions, in the forms of all providers."""

from collections.abc import Iterator

from ctxkit.core.chat.model.json_fields import dump_value, get_member, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import Tool, Toolset
from ctxkit.core.chat.model.record import Place
from ctxkit.core.text.json_value import JsonValue

SCHEMAS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "schema")
"""Members of a definition that contain the schema of its parameters."""
_GROUPS = ("functionDeclarations", "function_declarations", "tools")
"""Members of an item that holds several definitions: Gemini combines declarations, OpenAI's namespaces tools."""
_ANSWER_SCHEMAS = (
    ("response_format", "json_schema"),
    ("text", "format", "schema"),
    ("output_format", "schema"),
    ("output_config", "format", "schema"),
    ("generationConfig", "responseSchema"),
    ("generationConfig", "responseJsonSchema"),
)
"""Places of the schema of an answer: Chat Completions, Responses, Anthropic (two), Gemini (two)."""


def find_tool_lists(value: JsonValue) -> list[Place]:
    """Return the places of the lists of tool definitions in a request, or in an answer of an MCP server."""
    if not isinstance(value, dict) or not value:
        return []
    paths = (("tools",), ("functions",), ("toolConfig", "tools"), ("result", "tools"))
    return [path for path in paths if get_objects(get_object(value, path[0]) if path[1:] else value, path[-1])]


def find_tools(item: dict[str, JsonValue]) -> Iterator[tuple[Place, Tool]]:
    """Yield the tools of an item of such a list, each with its place inside the item."""
    groups = [(key, at, inner) for key in _GROUPS for at, inner in enumerate_objects(item.get(key))]
    if groups:
        yield from (((key, at), _read_tool(inner, inner)) for key, at, inner in groups)
    elif get_object(item, "toolSpec"):
        yield (), _read_bedrock_tool(item)
    else:
        yield (), _read_tool({**item, **get_object(item, "function")}, item)


def enumerate_objects(items: JsonValue) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """Yield the objects of a list, each with its index."""
    listed = items if isinstance(items, list) else ()
    yield from ((at, item) for at, item in enumerate(listed) if isinstance(item, dict))


def read_toolset(request: dict[str, JsonValue]) -> Toolset | None:
    """Return the tools and the answer schema of a request of any provider, None if it has neither."""
    tools = [tool for item in get_objects(request, "tools") for _, tool in find_tools(item)]
    tools += [_read_tool(item, item) for item in get_objects(request, "functions")]
    tools += [_read_bedrock_tool(item) for item in get_objects(get_object(request, "toolConfig"), "tools")]
    schemas = (get_member(request, place) for place in _ANSWER_SCHEMAS)
    schema = next((dump_value(value) for value in schemas if value and isinstance(value, dict)), "")
    return Toolset(tuple(tools), _read_choice(request), schema) if tools or schema else None


def _read_bedrock_tool(item: dict[str, JsonValue]) -> Tool:
    """Return a Bedrock tool, whose schema is under ``json``."""
    spec = get_object(item, "toolSpec")
    schema = get_object(get_object(spec, "inputSchema"), "json")
    return Tool(get_text(spec, "name"), get_text(spec, "description"), schema, item)


def _read_tool(item: dict[str, JsonValue], raw: JsonValue) -> Tool:
    schema: dict[str, JsonValue] = next((candidate for key in SCHEMAS if (candidate := get_object(item, key))), {})
    return Tool(get_text(item, "name") or get_text(item, "type"), get_text(item, "description"), schema, raw)


def _read_choice(request: dict[str, JsonValue]) -> str:
    choice = request.get("tool_choice", request.get("function_call", "auto"))
    return choice if isinstance(choice, str) else get_text(choice, "type") or "auto"
