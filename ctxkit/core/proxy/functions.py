"""The tool definitions of a request: add functions of the proxy itself, and shorten definitions that take much.

A call of such a function is answered in a hidden turn: the request is sent again with the call and its result, and the
client gets the answer to that.

No function is added to the request, so that a definition cannot leave it: a model would never find the tool again. A
short definition keeps what a call needs: the name, and the parameters with their types, values and which are required.
It loses the prose, after the first sentence of the description, and says how the client's shell reads the rest. The
client gets the calls that it would get anyway.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from json import dumps, loads
from typing import NamedTuple

from ctxkit.core.chat.editing import EditableFormat, ValuePatch, dump_json, patch_text
from ctxkit.core.chat.model.calls_and_results import SCHEMAS, find_tools
from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.chat.model.message import Place, RecordCall, Tool
from ctxkit.core.proxy.model_apis import ModelApi
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import skip_blanks
from ctxkit.core.tools.builtin import BuiltinTool, DefinitionShape, format_tool
from ctxkit.core.tools.catalog import MeasureTools, ToolCatalog, ToolDefinition

SHAPES: Mapping[str, DefinitionShape] = {
    "openai": "openai",
    "responses": "responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
}
"""The shapes of definitions by API; the answers of Ollama are not read."""
_DECLARATIONS = ("functionDeclarations", "function_declarations")
_USAGES = ("usage", "usageMetadata")
"""Members of an answer with its usage: Gemini has the second."""
_NOT_RUN = "Not run: it was called together with {names}. Call it again now, if it is still needed."
"""The result of a call of the client beside one of the proxy: the client never sees that answer."""
LAST_TURN = "This was the last call that is answered now: go on with what you know."


class OwnResult(NamedTuple):
    """What a function of the proxy returns."""

    text: str
    is_error: bool = False


AnswerOwnCall = Callable[[RecordCall], OwnResult]


def _asks_for_whole_answer(path: str, request: dict[str, JsonValue]) -> bool:
    """Return whether the answer of a request comes whole, and is one."""
    settings = get_object(request, "generationConfig")
    is_stream = bool(request.get("stream")) or "streamGenerateContent" in path or bool(request.get("background"))
    is_many = request.get("n") not in (None, 1) or settings.get("candidateCount") not in (None, 1)
    return not (is_stream or is_many)


def may_add_functions(api: ModelApi, path: str, request: dict[str, JsonValue], names: Sequence[str]) -> bool:
    """Return whether functions with these names may be added to a request.

    The answer must be whole and one, and the request must have functions already, none of them with these names.
    """
    if api.name not in SHAPES or api.counts_only or not _asks_for_whole_answer(path, request):
        return False
    items = get_objects(request, "tools")
    if api.name == "gemini" and not any(get_objects(item, name) for item in items for name in _DECLARATIONS):
        return False
    known = {tool.name for item in items for _, tool in find_tools(item)}
    return bool(items) and known.isdisjoint(names)


def add_functions(text: str, tools: Sequence[BuiltinTool], shape: DefinitionShape) -> str:
    """Return the text of a list of definitions with further ones at its end; Gemini takes one group of them.

    A blank text is a list whose definitions have all left.
    """
    text = text if text.strip() else "[]"
    items, definitions = loads(text), [format_tool(tool, shape) for tool in tools]
    groups = ((at, name, len(item[name])) for at, item in enumerate(items) for name in _DECLARATIONS if item.get(name))
    place: Place = (len(items),)
    if shape == "gemini":
        place = next(groups, place)
        definitions = definitions if len(place) > 1 else [{_DECLARATIONS[0]: definitions}]
    patches = [ValuePatch(place, definition, "insert") for definition in definitions]
    return patch_text(text, skip_blanks(text, 0), patches)


def answer_calls(
    messages: Sequence[JsonValue],
    names: Sequence[str],
    answer: AnswerOwnCall,
    format_: EditableFormat,
    *,
    is_last: bool = False,
) -> list[JsonValue]:
    """Return the entries that follow the ``messages`` of an answer, [] if it calls no function of the proxy.

    A call of another function gets a result that says that it was not run. ``is_last`` tells the model to go on.
    """
    contents = [format_.read_content(message) for message in messages]
    calls = [call for content in contents for call in content.calls if not call.needs_no_result]
    own = [call for call in calls if call.name in names]
    if not own:
        return []
    last = own[-1] if is_last else None
    called = " and ".join(dict.fromkeys(call.name for call in own))
    results: list[JsonValue] = []
    for call in calls:
        if call.name not in names:
            results.append(_make_result(call, OwnResult(_NOT_RUN.format(names=called), is_error=True), format_))
            continue
        result = answer(call)
        if call is last:
            result = result._replace(text=f"{result.text.rstrip()}\n\n{LAST_TURN}")
        results.append(_make_result(call, result, format_))
    wrapped = format_.wrap_results(results)
    return results if wrapped is None else [wrapped]


def _make_result(call: RecordCall, result: OwnResult, format_: EditableFormat) -> JsonValue:
    value = format_.make_result(call, result.text)
    is_marked = result.is_error and isinstance(value, dict) and get_text(value, "type") == "tool_result"
    return {**value, "is_error": True} if is_marked else value


def choose_messages(messages: Sequence[JsonValue], request: dict[str, JsonValue]) -> list[JsonValue]:
    """Return the messages of an answer that a provider takes back.

    OpenAI does not know the reasoning of an answer that it was not to store, unless it comes back encrypted.
    """
    if request.get("store") is not False:
        return list(messages)
    return [message for message in messages if not _is_lost_reasoning(message)]


def _is_lost_reasoning(message: JsonValue) -> bool:
    return get_text(message, "type") == "reasoning" and not get_text(message, "encrypted_content")


def list_called(messages: Sequence[JsonValue], format_: EditableFormat) -> Iterator[RecordCall]:
    """Yield the calls of messages."""
    for message in messages:
        yield from format_.read_content(message).calls


def read_usage(answer: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the usage of an answer as its provider states it, {} without one."""
    return next((get_object(answer, name) for name in _USAGES if name in answer), {})


def add_usage(first: JsonValue, second: JsonValue) -> JsonValue:
    """Return the sum of two usages: numbers are added, all else is that of the second.

    >>> add_usage({"input": 5, "tier": "a"}, {"input": 7, "tier": "b", "details": {"cached": 1}})
    {'input': 12, 'tier': 'b', 'details': {'cached': 1}}
    """
    if isinstance(first, dict) and isinstance(second, dict):
        return {name: add_usage(first.get(name), second.get(name)) for name in {**first, **second}}
    if _is_number(first) and _is_number(second):
        return first + second
    return first if second is None else second


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def set_usage(text: str, answer: dict[str, JsonValue], usage: JsonValue) -> str:
    """Return the text of an answer with another usage, its other characters unchanged."""
    name = next((name for name in _USAGES if name in answer), None)
    start = skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
    return text[:start] + patch_text(text, start, [ValuePatch((name,), usage)]) if name else text


def dump_entries(entries: Sequence[JsonValue]) -> tuple[str, ...]:
    """Return entries as JSON texts."""
    return tuple(map(dump_json, entries))


_LONGEST_SENTENCE = 240
"""Characters of a first sentence; of a longer one, the words that fit are kept."""
_SENTENCE = re.compile(r".+?[.!?](?=\s|$)")
_PROSE = frozenset(("description", "title", "examples", "$comment"))
"""Members of a schema that no value is checked against."""
_NAMED_SCHEMAS = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))
"""Members of a schema whose members are schemas by names of their own, such as a parameter called "title"."""
_VALUES = frozenset(("enum", "const", "default", "required", "type"))
"""Members of a schema that contain no schemas."""
_PLAIN_TYPES = ("", "function", "custom")
"""Types of definitions by the client: OpenAI's "function", Anthropic's "custom" or none; others are the provider's."""


class LongDefinitions(NamedTuple):
    """The whole texts of definitions, one after another, and the lines of each by its index in the catalog."""

    text: str
    lines: Mapping[int, tuple[int, int]]


def write_long_definitions(catalog: ToolCatalog) -> LongDefinitions:
    """Return the definitions that may be shortened as a text that a model reads: name, description, parameters."""
    lines: list[str] = []
    places: dict[int, tuple[int, int]] = {}
    for number, definition in enumerate(catalog.definitions):
        if can_shorten(definition):
            tool, first = definition.tool, len(lines) + 1
            schema = dumps(tool.schema, ensure_ascii=False, indent=1) if tool.schema else ""
            lines += f"{tool.name}\n{tool.description}\n{schema}".rstrip().splitlines()
            places[number] = first, len(lines)
    return LongDefinitions("".join(f"{line}\n" for line in lines), places)


def can_shorten(definition: ToolDefinition) -> bool:
    """Return whether a definition is one of the client's functions, which the provider does not defer itself."""
    raw = definition.tool.raw
    is_plain = isinstance(raw, dict) and get_text(raw, "type") in _PLAIN_TYPES and not raw.get("defer_loading")
    return is_plain and bool(definition.tool.schema)


def shorten_definitions(
    catalog: ToolCatalog, measure: MeasureTools, most: int, describe_rest: Callable[[int], str]
) -> str | None:
    """Return the text of a list with short definitions, None if it takes at most ``most`` tokens as it is.

    Those that lose most are shortened first, until the others fit. ``describe_rest`` returns how to read the rest of a
    definition by its index.
    """
    definitions = catalog.definitions
    tools = [definition.tool for definition in definitions]
    if measure(tools) <= most:
        return None
    short = {number: _shorten(definitions[number], describe_rest(number)) for number in _list_usable(definitions)}
    savings = {number: measure([tools[number]]) - measure([tool]) for number, tool in short.items()}
    shortened: list[int] = []
    left = measure(tools)
    for number in sorted(savings, key=lambda number: (-savings[number], number)):
        if left <= most or savings[number] <= 0:
            break
        shortened.append(number)
        left -= savings[number]
    patches = [ValuePatch(definitions[number].place, short[number].raw) for number in shortened]
    return patch_text(catalog.text, catalog.rows[0].start, patches) if patches else None


def _list_usable(definitions: Sequence[ToolDefinition]) -> Iterator[int]:
    return (number for number, definition in enumerate(definitions) if can_shorten(definition))


def _shorten(definition: ToolDefinition, rest: str) -> Tool:
    """Return a definition without its prose; ``rest`` says how to read that."""
    raw = definition.tool.raw
    function = get_object(raw, "function")
    short = _shorten_function(function or raw, rest)
    item: dict[str, JsonValue] = {**raw, "function": short} if function else short
    return next(find_tools(item))[1]


def _shorten_function(function: Mapping[str, JsonValue], rest: str) -> dict[str, JsonValue]:
    short = {
        name: strip_prose(value) if name in SCHEMAS and isinstance(value, dict) else value
        for name, value in function.items()
        if name != "input_examples"
    }
    sentence = find_first_sentence(get_text(function, "description"))
    short["description"] = f"{sentence} [The rest: {rest}]".strip()
    return short


def find_first_sentence(text: str) -> str:
    """Return the first sentence of a text, or of a long one the words that fit.

    >>> find_first_sentence("Runs e.g. make.  Never use it for files.")
    'Runs e.g. make.'
    """
    line = next(filter(None, map(str.strip, text.splitlines())), "")
    ends = (match.end() for match in _SENTENCE.finditer(line))
    end = next((end for end in ends if not line[:end].endswith(("e.g.", "i.e.", "etc.", "vs."))), len(line))
    sentence = line[:end]
    if len(sentence) <= _LONGEST_SENTENCE:
        return sentence
    return f"{sentence[:_LONGEST_SENTENCE].rpartition(' ')[0] or sentence[:_LONGEST_SENTENCE]} ..."


def strip_prose(schema: JsonValue) -> JsonValue:
    """Return a JSON schema without descriptions, titles and examples, which takes the same values."""
    if isinstance(schema, list):
        return [strip_prose(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    stripped: dict[str, JsonValue] = {}
    for name, value in schema.items():
        if name in _NAMED_SCHEMAS and isinstance(value, dict):
            stripped[name] = {key: strip_prose(item) for key, item in value.items()}
        elif name not in _PROSE:
            stripped[name] = value if name in _VALUES else strip_prose(value)
    return stripped
