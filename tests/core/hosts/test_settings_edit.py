import json

from ctxkit.core.hosts.host import Programs
from ctxkit.core.hosts.host_table import load_host
from ctxkit.core.hosts.settings_edit import list_edits

PROGRAMS = Programs("/bin/ctxkit", "/bin/python")


def test_two_edits_of_one_file_are_one() -> None:
    (edit,) = list_edits(load_host("gemini"), "user", "/d", PROGRAMS, serves=True)
    text = edit.install("")
    assert json.loads(text)["mcpServers"] == {"ctxkit": {"command": "/d/mcp"}}
    assert "BeforeTool" in json.loads(text)["hooks"]
    assert json.loads(edit.remove(text) or "") == {}
    assert {"/d/mcp", "/d/hook"} < set(edit.scripts)


def test_the_server_has_a_file_of_its_own_in_other_hosts() -> None:
    hooks, server = list_edits(load_host("copilot"), "user", "/d", PROGRAMS, serves=True)
    assert server.place.path == "mcp-config.json"
    assert set(server.scripts) == {"/d/mcp"}
    assert hooks.remove(hooks.install("")) is None


def test_no_server_is_added_unless_it_is_wanted_and_possible() -> None:
    for name, scope, serves in (("gemini", "user", False), ("pi", "user", True), ("codex", "project", True)):
        (edit,) = list_edits(load_host(name), scope, "/d", PROGRAMS, serves=serves)
        assert "/d/mcp" not in edit.scripts
