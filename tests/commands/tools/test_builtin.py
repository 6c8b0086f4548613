"""ctxkit tools builtin, end to end."""

import json

from tests.conftest import Run


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
