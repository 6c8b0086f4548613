"""Files of definitions, and what is written of several."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ctxkit.core.errors import MalformedInputError
from ctxkit.edge import tool_files
from ctxkit.edge.tool_files import ToolFiles, add_source_options

MCP = {"name": "a", "inputSchema": {"type": "object"}}
ANTHROPIC = {"name": "b", "input_schema": {"type": "object"}}


@pytest.fixture
def write(tmp_path: Path):
    def write_file(name, value):
        path = tmp_path / name
        path.write_text(json.dumps(value))
        return str(path)

    return write_file


def test_files_have_an_order_and_their_sources(write) -> None:
    files = ToolFiles(
        (write("f", [{**MCP, "name": "f"}]),),
        (write("b", [{**MCP, "name": "b"}]),),
        (write("s", [{**MCP, "name": "s"}]),),
        (write("m", [{**MCP, "name": "m"}]),),
    )
    tools = files.read()
    assert [(entry.tool.name, entry.source) for entry in tools.definitions] == [
        ("b", "builtin"), ("f", "mcp"), ("s", "skill"), ("m", "mcp"),
    ]  # fmt: skip
    assert [tool["name"] for tool in json.loads(tools.write_without({1, 3}))] == ["b", "s"]


def test_shapes_are_not_mixed(write) -> None:
    tools = ToolFiles((write("a", [MCP]), write("b", [ANTHROPIC]))).read()
    with pytest.raises(MalformedInputError, match="several providers: mcp, anthropic"):
        tools.write_without(())
    assert json.loads(tools.write_only([1])) == [ANTHROPIC]
    assert tools.write_only([]) == "[]\n"


def test_gemini_declarations_stay_in_an_item(write) -> None:
    group = {"functionDeclarations": [{"name": "a", "description": "A"}]}
    assert json.loads(ToolFiles((write("a", [group]), write("b", [group]))).read().write_without({0})) == [group]


def test_a_file_has_a_largest_size(write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_files, "LARGEST", 20)
    with pytest.raises(MalformedInputError, match="larger than"):
        ToolFiles((write("a", [MCP]),)).read()


def test_files_are_given_by_their_source() -> None:
    values = []

    @click.command()
    @click.argument("files", nargs=-1)
    @add_source_options
    @click.option("--other")
    def command(tool_files, other):
        values.append((tool_files, other))

    CliRunner().invoke(command, ["a", "--mcp-tools", "m", "--mcp-tools", "n", "--skill-tools", "s", "--builtin-tools", "b", "--other", "o"])
    assert values == [(ToolFiles(("a",), ("b",), ("s",), ("m", "n")), "o")]
