"""Short definitions take the same calls, and take fewer tokens."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from ctxkit.core.proxy.short_definitions import (
    find_first_sentence,
    shorten_definitions,
    strip_prose,
    write_long_definitions,
)
from ctxkit.core.tools.catalog import read_catalog

SCHEMA = {
    "type": "object",
    "title": "Arguments",
    "properties": {
        "title": {"type": "string", "description": "A title", "examples": ["x"], "default": "description"},
        "kind": {"enum": ["title", "description"], "description": "A kind"},
        "steps": {"type": "array", "items": {"$ref": "#/$defs/description"}, "minItems": 1},
    },
    "required": ["title"],
    "additionalProperties": False,
    "$defs": {"description": {"anyOf": [{"type": "string", "title": "Text"}, {"type": "null"}], "description": "A step"}},
}
PROSE = "Runs a command. " + "It takes care of many things that are told here at length. " * 20
SHAPES: dict[str, Any] = {
    "openai": [{"type": "function", "function": {"name": name, "description": PROSE, "parameters": SCHEMA, "strict": True}} for name in "ab"],
    "responses": [{"type": "function", "name": name, "description": PROSE, "parameters": SCHEMA, "strict": True} for name in "ab"],
    "anthropic": [{"name": name, "description": PROSE, "input_schema": SCHEMA, "input_examples": [{}]} for name in "ab"],
    "gemini": [{"functionDeclarations": [{"name": name, "description": PROSE, "parametersJsonSchema": SCHEMA} for name in "ab"]}],
}
VALUES = [
    ({"title": "x"}, True),
    ({"title": "x", "kind": "title", "steps": [None, "y"]}, True),
    ({"kind": "title"}, False),
    ({"title": "x", "steps": []}, False),
    ({"title": "x", "other": 1}, False),
]


def count(tools: Any) -> int:
    return sum(len(json.dumps(tool.raw)) // 4 for tool in tools)


def shorten(tools: Any, most: int) -> Any:
    catalog = read_catalog(json.dumps(tools).encode(), "tools", "mcp")
    text = shorten_definitions(catalog, count, most, lambda number: f"get {number}")
    return None if text is None else json.loads(text)


@pytest.mark.parametrize(("value", "is_valid"), VALUES)
def test_a_schema_without_prose_takes_the_same_values(value: Any, is_valid: bool) -> None:
    stripped = strip_prose(SCHEMA)
    assert isinstance(stripped, dict)
    assert Draft202012Validator(SCHEMA).is_valid(value) == Draft202012Validator(stripped).is_valid(value) == is_valid
    assert stripped["properties"]["title"] == {"type": "string", "default": "description"}
    assert "A step" not in json.dumps(stripped)


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_definitions_of_each_shape_keep_their_names_and_lose_their_prose(shape: str) -> None:
    short = shorten(SHAPES[shape], 10)
    text = json.dumps(short)
    assert [tool.tool.name for tool in read_catalog(text.encode(), "short", "mcp").definitions] == ["a", "b"]
    assert text.count("Runs a command. [The rest: get") == 2
    assert "at length" not in text
    assert "input_examples" not in text
    assert text.count('"strict": true') == json.dumps(SHAPES[shape]).count('"strict": true')


def test_only_as_many_are_shortened_as_have_to_be() -> None:
    tools = [*SHAPES["anthropic"], {"name": "c", "description": PROSE * 2, "input_schema": SCHEMA}]
    whole = count([type("Tool", (), {"raw": tool})() for tool in tools])
    assert shorten(tools, whole) is None
    short = shorten(tools, whole - 100)
    assert short[:2] == tools[:2]
    assert len(json.dumps(short[2])) < len(json.dumps(tools[2])) / 2


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "web_search_20250305", "name": "web_search", "description": PROSE},
        {"type": "custom", "name": "apply_patch", "description": PROSE, "format": {"type": "grammar", "syntax": "lark", "definition": "x"}},
        {"name": "later", "description": PROSE, "input_schema": SCHEMA, "defer_loading": True},
        {"name": "bare", "description": PROSE},
    ],
)
def test_tools_of_the_provider_and_those_without_parameters_stay(tool: dict[str, Any]) -> None:
    assert shorten([tool], 1) is None


def test_what_would_not_become_shorter_stays() -> None:
    tiny = {"name": "a", "description": "Run.", "input_schema": {"type": "object"}}
    assert shorten([tiny, SHAPES["anthropic"][1]], 1)[0] == tiny


def test_the_whole_definitions_stand_in_the_lines_that_are_named() -> None:
    long = write_long_definitions(read_catalog(json.dumps(SHAPES["openai"]).encode(), "tools", "mcp"))
    lines = long.text.splitlines()
    first, last = long.lines[1]
    assert lines[first - 1] == "b"
    assert lines[first] == PROSE.strip() or lines[first] == PROSE
    assert json.loads("\n".join(lines[first + 1 : last])) == SCHEMA


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Reads a file. It may be large.", "Reads a file."),
        ("\n  Reads version 1.2 of a.py\nand more", "Reads version 1.2 of a.py"),
        ("Runs e.g. make. Not for files.", "Runs e.g. make."),
        ("", ""),
        ("word " * 100, "word " * 47 + "word ..."),
        ("x" * 300, "x" * 240 + " ..."),
    ],
)
def test_the_first_sentence(text: str, sentence: str) -> None:
    assert find_first_sentence(text) == sentence
