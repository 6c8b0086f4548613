import json

from tests.conftest import Run


def test_sessions_come_newest_first(run: Run) -> None:
    assert run("session", "list").out == b""
    run("session", "new", "a", "--model", "qwen3-30b", "--used", "7")
    run("session", "new", "b", "--window", "1000")
    rows = [row.split() for row in run("session", "list").out.decode().splitlines()]
    assert [row[:3] for row in rows] == [["b", "0", "800"], ["a", "7", "26,214"]]
    assert rows[1][-1] == "qwen3-30b"
    found = [json.loads(row) for row in run("session", "list", "--json").out.splitlines()]
    assert found == [json.loads(run("session", "status", name, "--json").out) for name in "ba"]
