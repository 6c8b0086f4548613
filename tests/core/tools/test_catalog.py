"""Definitions of every provider are read, and what stays keeps its bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.message import Tool
from ctxkit.core.count.amount import CountOptions
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.core.tools.catalog import (
    DefinitionCounter,
    ToolDefinition,
    ToolUse,
    find_shape,
    format_note,
    read_catalog,
    select_tools,
)

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
OPENAI = {"type": "function", "function": {"name": "read", "description": "Read.", "parameters": SCHEMA}}
RESPONSES = {"type": "function", "name": "read", "description": "Read.", "parameters": SCHEMA}
ANTHROPIC = {"name": "read", "description": "Read.", "input_schema": SCHEMA}
MCP = {"name": "read", "description": "Read.", "inputSchema": SCHEMA}
BEDROCK = {"toolSpec": {"name": "read", "description": "Read.", "inputSchema": {"json": SCHEMA}}}
DECLARATION = {"name": "read", "description": "Read.", "parameters": SCHEMA}
GEMINI = {"functionDeclarations": [DECLARATION]}
SHAPES = {
    "openai": OPENAI, "responses": RESPONSES, "anthropic": ANTHROPIC, "mcp": MCP, "bedrock": BEDROCK, "gemini": GEMINI,
}  # fmt: skip


def catalog(value: object):
    return read_catalog(json.dumps(value).encode(), "tools.json")


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_read(shape: str) -> None:
    (definition,) = catalog([SHAPES[shape]]).definitions
    assert (definition.tool.name, definition.tool.description, definition.tool.schema) == ("read", "Read.", SCHEMA)
    assert find_shape(definition) == shape
    assert definition.source == "mcp"


@pytest.mark.parametrize(
    "value",
    [
        [MCP],
        {"tools": [MCP]},
        {"model": "m", "messages": [], "tools": [MCP]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}},
        {"functions": [DECLARATION]},
        {"toolConfig": {"tools": [BEDROCK]}},
        MCP,
    ],
)
def test_every_document_is_read(value) -> None:
    assert [definition.tool.name for definition in catalog(value).definitions] == ["read"]


def test_json_lines_lose_whole_lines() -> None:
    lines = [json.dumps({**MCP, "name": f"t{number}"}) for number in range(4)]
    lines[1] += "  "
    tools = read_catalog("\n".join([*lines, ""]).encode(), "tools.jsonl")
    assert tools.write_without({1, 3}) == f"{lines[0]}\n{lines[2]}\n"


def test_what_stays_keeps_its_bytes() -> None:
    text = '{"x": 1.10, "tools": [\n  {"name": "a", "description": "A", "n": 1e2},\n  {"name": "b", "description": "B"}\n]}\n'
    tools = read_catalog(text.encode(), "x")
    assert tools.write_without(()) == text
    assert tools.write_without({1}) == '{"x": 1.10, "tools": [\n  {"name": "a", "description": "A", "n": 1e2}\n]}\n'
    assert tools.get_text(tools.definitions[0]) == '{"name": "a", "description": "A", "n": 1e2}'


def test_a_gemini_item_without_declarations_goes() -> None:
    two = {"functionDeclarations": [{**DECLARATION, "name": "a"}, {**DECLARATION, "name": "b"}]}
    tools = catalog({"tools": [two, {"google_search": {}}]})
    assert [definition.tool.name for definition in tools.definitions] == ["a", "b", "google_search"]
    assert [definition.is_deferrable for definition in tools.definitions] == [True, True, False]
    assert json.loads(tools.write_without({0}))["tools"][0]["functionDeclarations"][0]["name"] == "b"
    assert json.loads(tools.write_without({0, 1})) == {"tools": [{"google_search": {}}]}
    assert json.loads(tools.get_text(tools.definitions[1])) == two["functionDeclarations"][1]


def test_sources() -> None:
    data = json.dumps([MCP, {**MCP, "name": "tool_search"}]).encode()
    assert [entry.source for entry in read_catalog(data, "x", builtin={"tool_search"}).definitions] == [
        "mcp",
        "builtin",
    ]
    assert [entry.source for entry in read_catalog(data, "x", "skill").definitions] == ["skill", "skill"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "x: the input is empty"),
        (b"hello", "x: line 1 is not JSON: a value was expected"),
        (b"{}", "x: no tool definitions"),
        (b'{"model": "m"}', "x: no tool definitions"),
        (b'[{"description": "no name"}]', "x: line 1: a definition has no name"),
        (b'[{"name": "a"}', "x: line 1 is not JSON: it ends too early"),
        (b'{"name": "a", "description": "A"}\n{"name": ', "x: line 2 is not JSON: a value was expected"),
        (b'[{"name": "a", "x": ' + b"[" * 3000 + b"]" * 3000 + b"}]", "nested too deeply"),
    ],
)
def test_bad_input_is_named(data: bytes, message: str) -> None:
    with pytest.raises(MalformedInputError, match=message) as error:
        read_catalog(data, "x")
    assert error.value.hint or "deeply" in message


@pytest.mark.parametrize("data", [b"[]", b'{"tools": []}', b'{"result": {"tools": []}}'])
def test_a_server_without_tools_is_no_error(data: bytes) -> None:
    assert read_catalog(data, "x").write_without(()) == data.decode()


@given(st.lists(st.sampled_from(sorted(SHAPES)), min_size=1, max_size=8), st.data(), st.sampled_from([None, 1, 4]))
def test_dropping_leaves_the_others_equal(names, data: st.DataObject, indent: int | None) -> None:
    items = [SHAPES[name] for name in names]
    tools = read_catalog(json.dumps({"tools": items}, indent=indent).encode(), "x")
    dropped = data.draw(st.sets(st.integers(0, len(items) - 1)))
    left = json.loads(tools.write_without(dropped))["tools"]
    assert left == [item for at, item in enumerate(items) if at not in dropped]


TOOL = Tool("read", "Read a file.", {"type": "object", "properties": {}}, {"name": "read"})


def counter(shape, *, is_named=False):
    return DefinitionCounter(CountOptions(find_vocabulary("bytes/3"), len, None, is_named=is_named), shape)


def test_no_definitions_are_no_tokens() -> None:
    assert counter("anthropic").measure([]) == 0


def test_the_shape_names_the_provider_unless_a_model_is_named() -> None:
    """Anthropic adds a system prompt of hundreds of tokens to a request with tools."""
    assert counter("anthropic").measure([TOOL]) > 300 > counter("openai").measure([TOOL]) > 0
    assert counter("anthropic", is_named=True).measure([TOOL]) < 300


OVERHEAD = 5


def define(name: str, source: str = "mcp", size: int = 10) -> ToolDefinition:
    tool = Tool(name, "x" * size, {"type": "object"}, {})
    return ToolDefinition(tool, source, 0, (0,), 0, ())


def measure(tools):
    return sum(len(tool.description) for tool in tools) + OVERHEAD if tools else 0


def deferred(definitions, most, uses=None):
    return [definitions[at].tool.name for at in select_tools(definitions, measure, most, uses).deferred]


def test_built_in_tools_are_never_deferred() -> None:
    """Seed 001: 1. "Built-in tools — never deferred"."""
    definitions = [define("a", "builtin", 100), define("b", "builtin", 100)]
    selection = select_tools(definitions, measure, 50)
    assert (selection.deferred, selection.kept, selection.total) == ((), 205, 205)


def test_mcp_tools_are_deferred_before_those_of_skills() -> None:
    """Seed 001: 2. "MCP tools — deferred first", 3. "Skill-registered tools — deferred second"."""
    definitions = [define("s", "skill"), define("m"), define("b", "builtin"), define("n")]
    assert deferred(definitions, 35) == ["n"]
    assert deferred(definitions, 25) == ["m", "n"]
    assert deferred(definitions, 15) == ["s", "m", "n"]


def test_the_least_recently_used_goes_first() -> None:
    """Seed 001: 4. "Within category: LRU — least recently used deferred first"."""
    definitions = [define("a"), define("b"), define("c")]
    uses = {"a": ToolUse(1), "b": ToolUse(3), "c": ToolUse(2)}
    assert deferred(definitions, 25, uses) == ["a"]
    assert deferred(definitions, 15, uses) == ["a", "c"]


def test_the_largest_of_the_unused_goes_first() -> None:
    assert deferred([define("a", size=10), define("b", size=30), define("c", size=20)], 35) == ["b"]


def test_pinned_tools_stay() -> None:
    definitions = [define("m", size=20), define("s", "skill", 20)]
    assert deferred(definitions, 20, {"m": ToolUse(0, is_pinned=True)}) == ["s"]
    assert deferred(definitions, 10, {"m": ToolUse(1, is_pinned=True), "s": ToolUse(2, is_pinned=True)}) == []


def test_the_use_of_a_tool_that_was_kept_changes_nothing() -> None:
    """The prompt cache begins with the tools: a set that rotates with the calls would lose it with each call."""
    definitions = [define(name) for name in "abcdef"]
    first = deferred(definitions, 35)
    for name in "abcdef":
        if name not in first:
            assert deferred(definitions, 35, {name: ToolUse(1, is_pinned=True)}) == first


def test_little_is_not_deferred() -> None:
    """A rewritten cache costs more than a few tokens save."""
    definitions = [define("a", size=100), define("b", size=9)]
    assert select_tools(definitions, measure, 100, least=101).deferred == ()
    assert select_tools(definitions, measure, 100, least=100).deferred == (0,)


def test_nothing_is_deferred_that_fits() -> None:
    assert deferred([define("a"), define("b")], 25) == []


def test_the_note_is_the_seed_s() -> None:
    assert format_note(3) == "[3 tools deferred to save context. Use tool_search to find them.]"
    assert format_note(0) == ""


@given(
    st.lists(st.tuples(st.sampled_from(["mcp", "skill", "builtin"]), st.integers(0, 50)), max_size=12),
    st.integers(0, 300),
)
def test_the_others_fit_or_cannot_be_deferred(tools, most: int) -> None:
    definitions = [define(f"t{at}", source, size) for at, (source, size) in enumerate(tools)]
    selection = select_tools(definitions, measure, most)
    kept = [definition for at, definition in enumerate(definitions) if at not in selection.deferred]
    assert selection.kept == measure([definition.tool for definition in kept])
    assert selection.kept <= most or not any(definition.is_deferrable for definition in kept)
    assert list(selection.deferred) == sorted(selection.deferred)
    assert sum(selection.costs) + selection.kept in (selection.total, selection.total - OVERHEAD)
