"""Shorten the tool definitions of a request that take more than a share of the window.

No function is added to the request, so that a definition cannot leave it: a model would never find the tool again. A
short definition keeps what a call needs: the name, and the parameters with their types, values and which are required.
It loses the prose, after the first sentence of the description, and says how the client's shell reads the rest. The
client gets the calls that it would get anyway.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from json import dumps
from typing import NamedTuple

from ctxkit.core.chat.editing import ValuePatch, patch_text
from ctxkit.core.chat.model.calls_and_results import SCHEMAS, find_tools
from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.chat.model.message import Tool
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.tools.catalog import ToolCatalog, ToolDefinition
from ctxkit.core.tools.selection import MeasureTools

LONGEST_SENTENCE = 240
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
    if len(sentence) <= LONGEST_SENTENCE:
        return sentence
    return f"{sentence[:LONGEST_SENTENCE].rpartition(' ')[0] or sentence[:LONGEST_SENTENCE]} ..."


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


