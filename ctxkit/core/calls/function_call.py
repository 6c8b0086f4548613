"""Read a function call in the form of any provider, or its arguments alone."""

from collections.abc import Mapping
from typing import NamedTuple

from ctxkit.core.calls.call_result import CallError
from ctxkit.core.text.json_value import JsonValue

_ARGUMENT_NAMES = ("arguments", "input", "args", "parameters")
"""Members that contain arguments: OpenAI and MCP, Anthropic, Gemini, Llama."""
_ID_NAMES = ("call_id", "id")
"""Members that contain the id of a call; Responses have both, and results name the first."""
_OBJECT_HINT = 'send an object such as {"path": "a.py"}'


class FunctionCall(NamedTuple):
    """A call: the name of the function ("" if only arguments were given), its arguments, and the id of the call."""

    name: str
    arguments: dict[str, JsonValue]
    id: str = ""


def parse_call(value: JsonValue, name: str = "") -> FunctionCall:
    """Return the call that a JSON value contains: arguments for ``name``, or the call of a provider.

    Raise CallError if it is neither, or calls another function than ``name``.
    """
    if isinstance(value, list):
        if len(value) != 1:
            raise CallError(f"{len(value):,} calls were sent", hint="send one call at a time")
        value = value[0]
    fields = _read_object(value, "the call")
    inner = _find_call(fields)
    if inner is None:
        return FunctionCall(name, fields)
    called = str(inner.get("name") or "")
    if name and called and called != name:
        raise CallError(f"the call is of {called[:80]}, not of {name[:80]}", hint="send the arguments of this function")
    arguments = next((inner[key] for key in _ARGUMENT_NAMES if key in inner), None)
    return FunctionCall(name or called, _read_object(arguments, "the arguments"), _find_id(fields, inner))


def _find_call(fields: dict[str, JsonValue]) -> dict[str, JsonValue] | None:
    """Return the object with the name and the arguments of a call, None if the object contains only arguments."""
    for key in ("function", "functionCall", "function_call", "params"):
        inner = fields.get(key)
        if isinstance(inner, dict) and isinstance(inner.get("name"), str):
            return inner
    has_arguments = any(key in fields for key in _ARGUMENT_NAMES)
    is_typed = fields.get("type") in ("tool_use", "function_call")
    return fields if isinstance(fields.get("name"), str) and (has_arguments or is_typed) else None


def _find_id(*objects: Mapping[str, JsonValue]) -> str:
    ids = [item[key] for item in objects for key in _ID_NAMES if isinstance(item.get(key), str | int)]
    return str(ids[0]) if ids else ""


def _read_object(value: JsonValue, what: str) -> dict[str, JsonValue]:
    """Return a JSON object; OpenAI sends arguments as a string that contains one, or "" for none."""
    if isinstance(value, str):
        from json import loads  # only a string needs it

        try:
            value = loads(value) if value.strip() else {}
        except (ValueError, RecursionError):
            raise CallError(f"{what} must be a JSON object, not a text", hint=_OBJECT_HINT) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise CallError(f"{what} must be a JSON object", hint=_OBJECT_HINT)
    return value
