"""Files of definitions, and what is written of several."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ctxkit.core.count.amount import CountOptions
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.core.tools.catalog import read_catalog
from ctxkit.edge import tool_files
from ctxkit.edge.tool_files import (
    SelectionRequest,
    ToolFiles,
    ToolSet,
    add_source_options,
    write_selection,
    write_unchanged,
)

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


TOOLS = [{"name": name, "description": "x" * 50, "inputSchema": {"type": "object"}} for name in "abc"]
OPTIONS = CountOptions(find_vocabulary("bytes/3"), len, None)


def select(most: int | None, note: str | None, *, as_json: bool = False) -> int:
    tools = ToolSet([read_catalog(json.dumps(TOOLS).encode(), "x")])
    return write_selection(tools, SelectionRequest(most, {}, note, as_json), OPTIONS)


def test_nothing_is_deferred_without_a_threshold(capfdbinary) -> None:
    select(None, None, as_json=True)
    selection = json.loads(capfdbinary.readouterr().out)
    assert (selection["tools"], selection["threshold"], selection["deferred"]) == (3, None, [])
    assert selection["tokens"] == selection["tokens_before"] > 0


def test_unchanged_definitions_empty_the_note(tmp_path: Path, capfdbinary) -> None:
    (tmp_path / "note").write_text("old")
    write_unchanged(ToolSet([read_catalog(json.dumps(TOOLS).encode(), "x")]), str(tmp_path / "note"))
    assert (tmp_path / "note").read_text() == ""
    assert capfdbinary.readouterr().out == json.dumps(TOOLS).encode()


def test_the_note_names_what_waits(tmp_path: Path, capfdbinary) -> None:
    assert select(50, str(tmp_path / "note")) == 0
    out, err = capfdbinary.readouterr()
    kept = [tool["name"] for tool in json.loads(out)]
    note = (tmp_path / "note").read_text()
    assert note == "[2 tools deferred to save context. Use tool_search to find them.]\nDeferred: b, c\n"
    assert kept == ["a"]
    assert b"no tool_search is defined" in err


def test_the_note_is_empty_when_all_fit(tmp_path: Path, capfdbinary) -> None:
    (tmp_path / "note").write_text("old")
    select(10_000, str(tmp_path / "note"))
    assert (tmp_path / "note").read_text() == ""
    assert capfdbinary.readouterr() == (json.dumps(TOOLS).encode(), b"")


def test_json_has_the_tokens(capfdbinary) -> None:
    select(50, None, as_json=True)
    found = json.loads(capfdbinary.readouterr().out)
    assert (found["tools"], found["threshold"], found["method"]) == (1, 50, "estimate")
    assert found["tokens_before"] > found["threshold"] >= found["tokens"]
    assert [tool["name"] for tool in json.loads(found["content"])] == ["a"]
    assert [sorted(entry) for entry in found["deferred"]] == [["name", "source", "tokens"]] * 2
