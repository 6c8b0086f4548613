"""Tool definitions are selected, searched and printed."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run

TOOLS = [
    {"name": f"mcp__x__{name}", "description": f"Do {name}. " + "word " * 40, "input_schema": {"type": "object"}}
    for name in ("alpha", "beta", "gamma")
]
DATA = json.dumps(TOOLS, indent=1).encode()
SMALL = ("--window", "3000", "--reserve", "0", "--tokenizer", "o200k")


def names(out: bytes) -> list[str]:
    return [tool["name"][len("mcp__x__") :] for tool in json.loads(out)]


def test_what_fits_passes_byte_for_byte(run: Run) -> None:
    ran = run("tools", "select", "--window", "100000", stdin=DATA)
    assert (ran.status, ran.out, ran.err) == (0, DATA, "")


def test_deferred_tools_are_named_in_the_note(run: Run, tmp_path: Path) -> None:
    ran = run("tools", "select", *SMALL, "--threshold", "0.03", "--note-file", "note.txt", stdin=DATA, cwd=tmp_path)
    assert (ran.status, names(ran.out)) == (0, ["alpha"])
    assert (tmp_path / "note.txt").read_text().splitlines() == [
        "[2 tools deferred to save context. Use tool_search to find them.]", "Deferred: mcp__x__beta, mcp__x__gamma",
    ]  # fmt: skip
    assert "no tool_search is defined" in ran.err


@pytest.mark.slow
def test_a_session_knows_what_was_used(run: Run, tmp_path: Path) -> None:
    run("session", "new", "s", *SMALL)
    calls = [{"id": "1", "type": "function", "function": {"name": "mcp__x__gamma", "arguments": "{}"}}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    assert run("session", "append", "s", stdin=json.dumps([{"role": "user", "content": "hi"}, message])).status == 0
    select = ("tools", "select", "--session", "s", "--threshold", "0.03")
    assert names(run(*select, stdin=DATA).out) == ["gamma"]
    assert run("tools", "search", "beta", "--session", "s", stdin=DATA).status == 0
    assert names(run(*select, stdin=DATA).out) == ["beta", "gamma"]
    run("session", "append", "s", stdin='{"role": "user", "content": "next"}')
    assert names(run(*select, stdin=DATA).out) == ["beta", "gamma"]


def test_the_setting_is_the_threshold(run: Run) -> None:
    ran = run("tools", "select", *SMALL, stdin=DATA, env={"CTXKIT_TOOL_DEFERRAL_THRESHOLD": "0.06"})
    assert names(ran.out) == ["alpha", "beta"]


def test_without_a_window_all_pass_with_a_warning(run: Run) -> None:
    ran = run("tools", "select", stdin=DATA)
    assert (ran.status, ran.out) == (0, DATA)
    assert ran.err.startswith("ctxkit: ")
    assert "window" in ran.err


def test_without_a_window_json_is_an_object_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "note").write_text("old")
    ran = run("tools", "select", "--json", "--note-file", "note", stdin=DATA, cwd=tmp_path)
    selection = json.loads(ran.out)
    assert (ran.status, selection["content"], selection["deferred"]) == (0, DATA.decode(), [])
    assert (selection["tools"], selection["threshold"], selection["note"]) == (3, None, None)
    assert selection["tokens"] == selection["tokens_before"] > 0
    assert (tmp_path / "note").read_text() == ""


@pytest.mark.parametrize(
    ("stdin", "status", "message"),
    [
        ("", 65, "ctxkit: stdin: the input is empty\n"),
        ("{}", 65, "ctxkit: stdin: no tool definitions\n"),
        ("[1, 2", 65, "ctxkit: stdin: line 1 is not JSON: it ends too early\n"),
    ],
)
def test_bad_input_is_one_line_with_a_hint(run: Run, stdin: str, status: int, message: str) -> None:
    ran = run("tools", "select", "--window", "4096", stdin=stdin)
    assert (ran.status, ran.out) == (status, b"")
    assert ran.err.startswith(message)
    assert ran.err.splitlines()[1].startswith("  hint: ")


def test_a_missing_file(run: Run) -> None:
    ran = run("tools", "select", "--window", "4096", "--mcp-tools", "nothing.json")
    assert (ran.status, ran.out) == (66, b"")


SEARCHED_TOOLS = [
    {"name": "create_branch", "description": "Create a branch.", "inputSchema": {"type": "object"}},
    {"name": "list_tags", "description": "List tags.", "inputSchema": {"type": "object"}},
]
SEARCHED_DATA = "\n".join(json.dumps(tool) for tool in SEARCHED_TOOLS)


def test_matches_are_definitions_the_best_first(run: Run) -> None:
    ran = run("tools", "search", "make a new branch", stdin=SEARCHED_DATA)
    assert (ran.status, json.loads(ran.out), ran.err) == (0, SEARCHED_TOOLS[:1], "")


def test_json_names_and_scores(run: Run) -> None:
    found = json.loads(run("tools", "search", "tag", "--json", stdin=SEARCHED_DATA).out)
    assert (found["query"], found["searched"], [entry["name"] for entry in found["matches"]]) == (
        "tag",
        2,
        ["list_tags"],
    )
    assert json.loads(found["content"]) == SEARCHED_TOOLS[1:]


def test_no_match_is_a_no(run: Run) -> None:
    ran = run("tools", "search", "zebra", stdin=SEARCHED_DATA)
    assert (ran.status, ran.out, ran.err) == (1, b"[]\n", "")


def test_a_session_that_does_not_exist(run: Run) -> None:
    ran = run("tools", "search", "tag", "--session", "nobody", stdin=SEARCHED_DATA)
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith("ctxkit: no session nobody\n")


def test_all_or_some_are_printed(run: Run) -> None:
    ran = run("tools", "builtin")
    assert (ran.status, len(json.loads(ran.out)), ran.err) == (0, 6, "")
    some = json.loads(run("tools", "builtin", "read_result", "--to", "anthropic").out)
    assert [sorted(tool) for tool in some] == [["description", "input_schema", "name"]]


def test_an_unknown_name(run: Run) -> None:
    ran = run("tools", "builtin", "read_results")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith("ctxkit: unknown tool: read_results\n  hint: one of compact_context, ")


def test_they_pass_select_and_search(run: Run) -> None:
    data = run("tools", "builtin", "--to", "gemini").out
    assert run("tools", "select", "--window", "1000", "-q", stdin=data).out == data
    found = json.loads(run("tools", "search", "free space", "--json", stdin=data).out)
    assert found["matches"][0]["name"] == "compact_context"
