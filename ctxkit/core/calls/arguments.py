"""Check the arguments of a call against the schema of its function."""

from collections.abc import Mapping

from ctxkit.core.calls.call_result import CallError
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.tools.builtin import BuiltinTool

_TYPES = {"string": "a text", "integer": "a whole number", "object": "an object"}
MAX_SHOWN = 40
"""Characters of a wrong value that an error quotes."""


def check_arguments(tool: BuiltinTool, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the arguments with their defaults; an argument that is null counts as missing.

    Raise CallError if one is missing, unknown or of another type than in the schema.
    """
    return _check_object(arguments, tool.schema, f"the arguments of {tool.name}", "")


def _check_object(
    values: Mapping[str, JsonValue], schema: Mapping[str, JsonValue], what: str, prefix: str
) -> dict[str, JsonValue]:
    properties = schema["properties"]
    for name in values:
        if name not in properties:
            names = ", ".join(properties) or "none: send {}"
            raise CallError(f"{_quote(f'{prefix}{name}')} is not an argument", hint=f"{what} are {names}")
    present = {name: value for name, value in values.items() if value is not None}
    for name in schema.get("required", ()):
        if name not in present:
            raise CallError(f"{prefix}{name} is missing", hint=properties[name]["description"])
    defaults = {name: item["default"] for name, item in properties.items() if "default" in item}
    return defaults | {name: _check_value(value, properties[name], prefix + name) for name, value in present.items()}


def _check_value(value: JsonValue, schema: Mapping[str, JsonValue], name: str) -> JsonValue:
    kind = schema["type"]
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # 10.0 is a whole number in JSON
    if not _has_type(value, kind):
        raise CallError(f"{name} is {_describe(value)}, not {_TYPES[kind]}", hint=schema["description"])
    if "enum" in schema and value not in schema["enum"]:
        raise CallError(f"{name} is {_quote(str(value))}", hint=f"one of {', '.join(schema['enum'])}")
    if isinstance(value, int) and value < schema.get("minimum", value):
        raise CallError(f"{name} is {_quote(str(value))}, less than {schema['minimum']}", hint=schema["description"])
    if isinstance(value, dict):
        return _check_object(value, schema, f"the members of {name}", f"{name}.")
    return value


def _has_type(value: JsonValue, kind: str) -> bool:
    types: dict[str, type] = {"string": str, "integer": int, "object": dict}
    return isinstance(value, types[kind]) and not isinstance(value, bool)


def _describe(value: JsonValue) -> str:
    if isinstance(value, str):
        return f"the text {_quote(value)}"
    kinds = {dict: "an object", list: "a list", bool: "true or false"}
    return kinds.get(type(value), f"the number {_quote(str(value))}")


def _quote(text: str) -> str:
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
