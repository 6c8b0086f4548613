"""The tools that ctxkit offers to a model, in the shape of each provider; read a call of one, and make its result.

The names and parameters are those of the seeds: read_result, tool_search and compact_context of seed 001 (enhancements
2, 5 and 7), list_context and edit_context of seed 004, and read_file of seed 000.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from ctxkit.core.chat.model.message import Tool
from ctxkit.core.text.escapes import escape_name
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


class CallResult(NamedTuple):
    """The result that a model reads: its bytes, whether it is an error, and facts about it for programs.

    ``ref`` is the ref of the content that it comes from, "" if that is not stored. ``is_booked`` tells that its tokens
    are in the ledger of the session already. ``events`` are the names and members of events to log.
    """

    content: bytes
    is_error: bool = False
    facts: Mapping[str, JsonValue] = {}
    ref: str = ""
    is_booked: bool = False
    events: tuple[tuple[str, Mapping[str, JsonValue]], ...] = ()


class CallError(Exception):
    """A call that cannot be answered; the message and the ``hint`` tell a model what to do."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def to_result(self) -> CallResult:
        """Return the error as a result: one line."""
        return make_error_result(str(self), self.hint)


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


def make_error_result(message: str, hint: str = "") -> CallResult:
    """Return an error as a result of one line without control characters, with its hint as a second sentence."""
    sentence = escape_name(" ".join(message.split()))
    advice = escape_name(" ".join(hint.split()))
    text = f"error: {sentence}. {advice[:1].upper()}{advice[1:]}" if advice else f"error: {sentence}"
    return CallResult(f"{text.rstrip('.')}.\n".encode("utf-8", "replace"), is_error=True)


def make_text_result(text: str, facts: Mapping[str, JsonValue] | None = None) -> CallResult:
    """Return a text as a result, with a newline at its end."""
    return CallResult(f"{text.rstrip()}\n".encode("utf-8", "replace"), facts=facts or {})


_TYPES = {"string": "a text", "integer": "a whole number", "object": "an object"}
_MAX_SHOWN = 40
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
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."
