"""ctxkit tools search, end to end."""

import json

from tests.conftest import Run

TOOLS = [
    {"name": "create_branch", "description": "Create a branch.", "inputSchema": {"type": "object"}},
    {"name": "list_tags", "description": "List tags.", "inputSchema": {"type": "object"}},
]
DATA = "\n".join(json.dumps(tool) for tool in TOOLS)


def test_matches_are_definitions_the_best_first(run: Run) -> None:
    ran = run("tools", "search", "make a new branch", stdin=DATA)
    assert (ran.status, json.loads(ran.out), ran.err) == (0, TOOLS[:1], "")


def test_json_names_and_scores(run: Run) -> None:
    found = json.loads(run("tools", "search", "tag", "--json", stdin=DATA).out)
    assert (found["query"], found["searched"], [entry["name"] for entry in found["matches"]]) == (
        "tag",
        2,
        ["list_tags"],
    )
    assert json.loads(found["content"]) == TOOLS[1:]


def test_no_match_is_a_no(run: Run) -> None:
    ran = run("tools", "search", "zebra", stdin=DATA)
    assert (ran.status, ran.out, ran.err) == (1, b"[]\n", "")


def test_a_session_that_does_not_exist(run: Run) -> None:
    ran = run("tools", "search", "tag", "--session", "nobody", stdin=DATA)
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith("ctxkit: no session nobody\n")
