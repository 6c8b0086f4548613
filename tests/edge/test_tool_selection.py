"""What a selection writes: content, note, JSON, warnings."""

import json
from pathlib import Path

from ctxkit.core.count.options import CountOptions
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.core.tools.catalog import read_catalog
from ctxkit.edge.tool_files import ToolSet
from ctxkit.edge.tool_selection import SelectionRequest, write_selection, write_unchanged

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
