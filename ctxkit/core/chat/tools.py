"""Definitions of tools, in the shapes that the providers give them."""

from typing import Any

from ctxkit.core.chat.message import Tool, Toolset
from ctxkit.core.chat.shape import mapping, objects, text

_SCHEMAS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "schema")


def toolset(request: dict[str, Any]) -> Toolset | None:
    """Return the tools of a request of any provider, None when it has none."""
    found = [tool for item in objects(request, "tools") for tool in _tools(item)]
    found += [_tool(item, item) for item in objects(request, "functions")]
    found += [_specified(item) for item in objects(mapping(request, "toolConfig"), "tools")]
    return Toolset(tuple(found), _choice(request)) if found else None


def _tools(item: dict[str, Any]) -> list[Tool]:
    """Return the tools of one item: Gemini puts several declarations in one, and OpenAI's namespaces several tools."""
    several = objects(item, "functionDeclarations") + objects(item, "function_declarations") + objects(item, "tools")
    if several:
        return [_tool(one, one) for one in several]
    function = mapping(item, "function")
    return [_tool({**item, **function}, item)]


def _specified(item: dict[str, Any]) -> Tool:
    """Return a tool of Bedrock's, whose schema says that it is JSON."""
    held = mapping(item, "toolSpec")
    schema = mapping(mapping(held, "inputSchema"), "json")
    return Tool(text(held, "name"), text(held, "description"), schema, item)


def _tool(item: dict[str, Any], raw: Any) -> Tool:
    schema: dict[str, Any] = next((found for key in _SCHEMAS if (found := mapping(item, key))), {})
    return Tool(text(item, "name") or text(item, "type"), text(item, "description"), schema, raw)


def _choice(request: dict[str, Any]) -> str:
    choice = request.get("tool_choice", request.get("function_call", "auto"))
    return choice if isinstance(choice, str) else text(choice, "type") or "auto"
