"""Tool definitions, in the forms of all providers."""

from typing import Any

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.chat.model.message import Tool, Toolset

_SCHEMAS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "schema")


def read_toolset(request: dict[str, Any]) -> Toolset | None:
    """Return the tools of a request of any provider, None if it has none."""
    tools = [tool for item in get_objects(request, "tools") for tool in _read_tools(item)]
    tools += [_read_tool(item, item) for item in get_objects(request, "functions")]
    tools += [_read_bedrock_tool(item) for item in get_objects(get_object(request, "toolConfig"), "tools")]
    return Toolset(tuple(tools), _read_choice(request)) if tools else None


def _read_tools(item: dict[str, Any]) -> list[Tool]:
    """Return the tools of one item: Gemini combines several declarations, OpenAI's namespaces several tools."""
    declarations = (
        get_objects(item, "functionDeclarations")
        + get_objects(item, "function_declarations")
        + get_objects(item, "tools")
    )
    if declarations:
        return [_read_tool(declaration, declaration) for declaration in declarations]
    function = get_object(item, "function")
    return [_read_tool({**item, **function}, item)]


def _read_bedrock_tool(item: dict[str, Any]) -> Tool:
    """Return a Bedrock tool, whose schema is under ``json``."""
    spec = get_object(item, "toolSpec")
    schema = get_object(get_object(spec, "inputSchema"), "json")
    return Tool(get_text(spec, "name"), get_text(spec, "description"), schema, item)


def _read_tool(item: dict[str, Any], raw: Any) -> Tool:
    schema: dict[str, Any] = next((candidate for key in _SCHEMAS if (candidate := get_object(item, key))), {})
    return Tool(get_text(item, "name") or get_text(item, "type"), get_text(item, "description"), schema, raw)


def _read_choice(request: dict[str, Any]) -> str:
    choice = request.get("tool_choice", request.get("function_call", "auto"))
    return choice if isinstance(choice, str) else get_text(choice, "type") or "auto"
