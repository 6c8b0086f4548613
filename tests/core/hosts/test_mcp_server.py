import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.host import ConflictError, Programs
from ctxkit.core.hosts.mcp_server import (
    install_in_toml,
    list_edits,
    make_json_settings,
    make_mcp_script,
    remove_from_toml,
)
from ctxkit.core.hosts.profiles import MODULES, load_host

SERVER = {"ctxkit": {"command": "/d/mcp"}}
JSON = make_json_settings({})
TEXTS = [
    "",
    "model = 'a'\n",
    "model = 'a'",
    "[a]\r\nb = 1\r\n",
    "\n",
    "# mine\n\n[mcp_servers.other]\ncommand = 'x'\n",
    "[[a]]\nb = [\n[1],\n]\n",
    'a = """\n[mcp_servers.ctxkit]\n"""\n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_toml_gets_one_table_and_is_what_it_was_again(text: str) -> None:
    installed = install_in_toml(text, "/d/mcp")
    value = tomllib.loads(installed.replace("\r\n", "\n"))
    assert value["mcp_servers"]["ctxkit"] == {"command": "/d/mcp"}
    assert install_in_toml(installed, "/d/mcp") == installed
    assert remove_from_toml(installed, "/other") == installed
    if '"""' in text:  # it looks like the table
        with pytest.raises(ValueError, match="remove it by hand"):
            remove_from_toml(installed, "/d/mcp")
    else:
        assert remove_from_toml(installed, "/d/mcp").removesuffix("\n") == text.removesuffix("\n")


def test_tables_after_it_stay_and_tables_below_it_go() -> None:
    ours = '[mcp_servers.ctxkit]\ncommand = "/d/mcp"\nenabled = true\n\n[mcp_servers.ctxkit.tools.search]\na = 1\n'
    text = f"a = 1\n\n{ours}\n# theirs\n[b]\nc = 2\n"
    assert remove_from_toml(text, "/d/mcp") == "a = 1\n\n\n# theirs\n[b]\nc = 2\n"


@given(st.text(alphabet='[]mcp_servers.ctxkit="# \n\\', max_size=60))
def test_any_toml_is_edited_or_refused(text: str) -> None:
    try:
        installed = install_in_toml(text, "/d/mcp")
        removed = remove_from_toml(installed, "/d/mcp")
    except ValueError:
        return
    assert tomllib.loads(removed).get("mcp_servers") in (tomllib.loads(text).get("mcp_servers"), None, {})


@pytest.mark.parametrize("text", ["[a", "mcp_servers = 5", "mcp_servers = {}\n", "mcp_servers = [1]"])
def test_toml_that_cannot_get_a_table_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        install_in_toml(text, "/d/mcp")


def test_another_server_of_that_name_is_a_conflict() -> None:
    with pytest.raises(ConflictError, match="another server with the name ctxkit"):
        install_in_toml('[mcp_servers.ctxkit]\ncommand = "x"\n', "/d/mcp")
    for entry in ({"command": "x"}, {"url": "x"}, 5):
        text = json.dumps({"mcpServers": {"ctxkit": entry}})
        with pytest.raises(ConflictError):
            JSON.install(text, "/d/mcp")
        assert JSON.remove(text, "/d/mcp") == text


def test_what_the_user_set_for_the_server_stays_and_goes_with_it() -> None:
    text = json.dumps({"mcpServers": {"a": {}, "ctxkit": {"command": "/d/mcp", "timeout": 5}}})
    assert JSON.install(text, "/d/mcp") == text
    assert json.loads(JSON.remove(text, "/d/mcp")) == {"mcpServers": {"a": {}}}


@pytest.mark.parametrize("name", [name for name in MODULES if load_host(name).mcp])
def test_each_host_gets_a_server_and_loses_it(name: str) -> None:
    mcp = load_host(name).mcp
    assert mcp
    assert "user" in mcp.places
    installed = mcp.install("", "/d/mcp")
    assert "/d/mcp" in installed
    assert mcp.install(installed, "/d/mcp") == installed
    assert mcp.remove(installed, "/d/mcp").strip() in ("", "{}")


def test_the_script_starts_the_server() -> None:
    assert make_mcp_script("gemini", "/my bin/ctxkit").endswith("exec '/my bin/ctxkit' mcp --host gemini\n")


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
