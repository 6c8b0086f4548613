"""The plugins of opencode and pi, run by Node as the hosts load them."""

import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.host import ConflictError, EventKind, HookEvent, Programs
from ctxkit.core.hosts.mcp_server import (
    MARK,
    OwnedFile,
    find_no_rivals,
    install_in_toml,
    list_edits,
    make_json_settings,
    make_mcp_script,
    make_plugin,
    make_result,
    make_summary,
    read_event,
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


CALLS = {
    "opencode": """
import { Ctxkit } from "./plugin.mjs"
const output = { args: { command: "ls" } }
await (await Ctxkit())["tool.execute.before"]({ tool: "bash" }, output)
console.log(output.args.command)
""",
    "pi": """
import extend from "./plugin.mjs"
const event = { toolName: "bash", input: { command: "ls" } }
let call
extend({ on: (name, handler) => { call = name === "tool_call" ? handler : call } })
await call(event)
console.log(event.input.command)
""",
}
COMPACTIONS = {
    "opencode": """
import { Ctxkit } from "./plugin.mjs"
const messages = async ({ path }) => ({ data: [{ info: { id: path.id } }, { parts: [{ type: "compaction" }] }, { info: {} }] })
const plugin = await Ctxkit({ client: { session: { messages } } })
const output = { context: [] }
const before = { system: [] }
await plugin["experimental.chat.system.transform"]({ sessionID: "ses_1" }, before)
await plugin["experimental.session.compacting"]({ sessionID: "ses_1" }, output)
const other = { system: [] }
await plugin["experimental.chat.system.transform"]({}, other)
const after = { system: [] }
await plugin["experimental.chat.system.transform"]({ sessionID: "ses_1" }, after)
console.log(JSON.stringify([before.system, output.context, after.system, other.system]))
""",
    "pi": """
import extend from "./plugin.mjs"
let call
extend({ on: (name, handler) => { call = name === "session_before_compact" ? handler : call } })
const sessionManager = { getSessionId: () => "ses_1", getSessionFile: () => "/t.jsonl" }
const preparation = { firstKeptEntryId: "e1", tokensBefore: 9, more: 1 }
const answers = [await call({ preparation }, { sessionManager }), await call({ preparation, customInstructions: "x" }, { sessionManager })]
console.log(JSON.stringify(answers))
""",
}
NOTHING: dict[str, object] = {"opencode": [[], [], [], []], "pi": [None, None]}
SUMMARIES: dict[str, object] = {
    "opencode": [["facts"], ["facts"], ["facts"], []],
    "pi": [{"compaction": {"summary": "facts", "firstKeptEntryId": "e1", "tokensBefore": 9}}, None],
}


def test_a_plugin_names_its_hook_as_a_string() -> None:
    assert 'const hook = "/it\'s \\"d/hook"\n' in make_plugin("pi", "/it's \"d", "body")


def test_only_the_shell_is_an_event() -> None:
    assert read_event({"tool": "read", "input": {"command": "x"}}) is None
    assert read_event({"tool": "bash", "input": {"file": "x"}}) is None


@pytest.mark.quick_cases(1)
@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
@pytest.mark.parametrize("name", CALLS)
def test_a_command_is_the_one_of_the_hook_or_stays(name: str, tmp_path: Path) -> None:
    directory = tmp_path / "d"
    directory.mkdir()
    (tmp_path / "plugin.mjs").write_text(load_host(name).install("", str(directory)))
    (tmp_path / "call.mjs").write_text(CALLS[name])
    hook, answer = directory / "hook", json.dumps({"command": "x; ls"})
    for script, command in (
        (None, "ls"),
        (f"#!/bin/sh\ncat > {directory}/stdin\necho '{answer}'\n", "x; ls"),
        ("#!/bin/sh\nexit 1\n", "ls"),
        ("#!/bin/sh\necho '{}'\n", "ls"),
    ):
        if script:
            hook.write_text(script)
            hook.chmod(0o755)
        done = subprocess.run(["node", tmp_path / "call.mjs"], capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout == f"{command}\n"
    event = read_event(json.loads((directory / "stdin").read_text()))
    assert event is not None
    assert event.tool_input == {"command": "ls"}


@pytest.mark.quick_cases(1)
@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
@pytest.mark.parametrize("name", COMPACTIONS)
def test_the_summary_of_the_hook_enters_at_a_compaction(name: str, tmp_path: Path) -> None:
    (tmp_path / "plugin.mjs").write_text(load_host(name).install("", str(tmp_path)))
    (tmp_path / "call.mjs").write_text(COMPACTIONS[name])
    hook, env = tmp_path / "hook", {**os.environ, "TMPDIR": str(tmp_path)}

    def call() -> object:
        done = subprocess.run(["node", tmp_path / "call.mjs"], env=env, capture_output=True, text=True, timeout=60, check=True)
        return json.loads(done.stdout)

    nothing = call()
    hook.write_text(f"#!/bin/sh\ncat > {tmp_path}/stdin\ncp {tmp_path}/ctxkit-*/messages.json {tmp_path}/transcript\necho '{{\"summary\": \"facts\"}}'\n")
    hook.chmod(0o755)
    assert call() == SUMMARIES[name]
    assert nothing == NOTHING[name]
    event = read_event(json.loads((tmp_path / "stdin").read_text()))
    assert event
    if name == "opencode":
        assert json.loads((tmp_path / "transcript").read_text()) == [{"info": {"id": "ses_1"}}]
    assert (event.kind, event.session) == (EventKind.COMPACTION, "ses_1")
    assert read_event({"resumption": {"session": "ses_1"}}) == HookEvent(EventKind.RESUMPTION, "ses_1")
    assert not list(tmp_path.glob("ctxkit-*"))


def test_a_compaction_without_a_session_is_no_event() -> None:
    assert read_event({"compaction": {"session": "../x", "transcript": "/t"}}) is None
    assert read_event({"compaction": 5}) is None


def test_a_summary_is_introduced_and_none_is_no_answer() -> None:
    assert str(make_summary("## Task")["summary"]).endswith("\n\n## Task")
    assert make_summary("") == {}


RESULT = """
import { Ctxkit } from "./plugin.mjs"
const plugin = await Ctxkit()
const call = async (tool, output) => {
  await plugin["tool.execute.after"]({ tool, sessionID: "ses_1" }, output)
  return output
}
const content = [{ type: "text", text: "long" }]
console.log(JSON.stringify([await call("db_dump", { content }), await call("ctxkit_search", { content }), await call("read", { output: "a" })]))
"""


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_opencode_takes_the_blocks_of_a_result_from_the_hook(tmp_path: Path) -> None:
    (tmp_path / "plugin.mjs").write_text(load_host("opencode").install("", str(tmp_path)))
    (tmp_path / "call.mjs").write_text(RESULT)
    long, hook = [{"type": "text", "text": "long"}], tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ncat > {tmp_path}/stdin\necho '{{\"blocks\": [1]}}'\n")
    hook.chmod(0o755)
    done = subprocess.run(["node", tmp_path / "call.mjs"], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout) == [{"content": [1]}, {"content": long}, {"output": "a"}]
    event = read_event(json.loads((tmp_path / "stdin").read_text()))
    assert event
    assert event == HookEvent(EventKind.RESULT, "ses_1", tool="db_dump", blocks=long)
    assert make_result(event, [1]) == {"blocks": [1]}


PLUGIN_SOURCES = """
import { Ctxkit } from "./plugin.mjs"
import extend from "./pi.mjs"
const plugin = await Ctxkit()
const handlers = {}
extend({ on: (name, handler) => { handlers[name] = handler } })
const ctx = { sessionManager: { getSessionId: () => "ses_1" } }
const content = [{ type: "text", text: "long" }]
const answers = []
for (const tool of ["grep", "read", "bash"]) {
  const output = { output: "long" }
  await plugin["tool.execute.after"]({ tool, sessionID: "ses_1" }, output)
  answers.push(output.output, (await handlers.tool_result({ toolName: tool, content }, ctx))?.content ?? "same")
}
answers.push((await handlers.tool_result({ toolName: "grep", content, isError: true }, ctx)) ?? "same")
answers.push((await handlers.tool_result({ toolName: "grep", content }, {})) ?? "same")
console.log(JSON.stringify(answers))
"""


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_text_of_searches_is_replaced_and_that_of_files_and_commands_stays(tmp_path: Path) -> None:
    (tmp_path / "plugin.mjs").write_text(load_host("opencode").install("", str(tmp_path)))
    (tmp_path / "pi.mjs").write_text(load_host("pi").install("", str(tmp_path)))
    (tmp_path / "call.mjs").write_text(PLUGIN_SOURCES)
    hook, blocks = tmp_path / "hook", [{"type": "text", "text": "map"}]
    hook.write_text(f"#!/bin/sh\ncat > {tmp_path}/stdin\necho '{json.dumps({'blocks': blocks})}'\n")
    hook.chmod(0o755)
    done = subprocess.run(["node", tmp_path / "call.mjs"], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout) == ["map", blocks, "long", "same", "long", "same", "same", "same"]


@pytest.mark.parametrize("result", [5, {"tool": "x", "blocks": []}, {"session": "s", "blocks": []}, {"session": "s", "tool": "x"}])
def test_a_result_without_its_parts_is_no_event(result: object) -> None:
    assert read_event({"result": result}) is None


COLD = """
import extend from "./plugin.mjs"
const handlers = {}
extend({ on: (name, handler) => { handlers[name] = handler } })
const answers = []
const call = async (percent, usage, seconds, more = {}) => {
  const messages = [{ type: "message", message: { role: "assistant", usage, timestamp: Date.now() - seconds * 1000 } }, { type: "message", message: { role: "user" } }]
  const sessionManager = { getBranch: () => messages, getSessionId: () => "ses_1", getSessionFile: () => "/t.jsonl" }
  let compacted
  const compact = async ({ onComplete }) => {
    compacted = await handlers.session_before_compact({ preparation: {} }, { sessionManager }) ?? "default"
    onComplete()
  }
  await handlers.input({}, { getContextUsage: () => ({ percent }), isIdle: () => true, sessionManager, compact, ...more })
  answers.push(compacted ?? "none")
}
await call(70, { cacheWrite: 9 }, 301)
await call(70, { cacheWrite: 9 }, 290)
await call(70, { cacheWrite: 9, cacheWrite1h: 9 }, 301)
await call(70, { cacheWrite: 9, cacheWrite1h: 9 }, 3601)
await call(70, { cacheRead: 9 }, 9999)
await call(50, { cacheWrite: 9 }, 301)
await call(70, { cacheWrite: 9 }, 301, { isIdle: () => false })
await call(70, { cacheWrite: 9 }, 301, { getContextUsage: undefined })
await call(70, { cacheWrite: 9 }, 301, { sessionManager: {} })
console.log(JSON.stringify([...answers, await handlers.session_before_compact({ preparation: {} }, { sessionManager: {} }) ?? "default"]))
"""


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
@pytest.mark.parametrize("summary", ["facts", ""])
def test_pi_compacts_before_a_prompt_while_the_cache_is_cold(summary: str, tmp_path: Path) -> None:
    """Only with the facts of ctxkit: a model would read the whole conversation for a summary."""
    (tmp_path / "plugin.mjs").write_text(load_host("pi").install("", str(tmp_path)))
    (tmp_path / "call.mjs").write_text(COLD)
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ncat > /dev/null\necho '{json.dumps({'summary': summary})}'\n")
    hook.chmod(0o755)
    done = subprocess.run(["node", tmp_path / "call.mjs"], capture_output=True, text=True, timeout=60, check=True)
    compacted = {"compaction": {"summary": "facts"}} if summary else {"cancel": True}
    none = "none"
    assert json.loads(done.stdout) == [compacted, none, none, compacted, none, none, none, none, none, "default"]


FILE = OwnedFile(lambda directory: f"// {MARK}x\n{directory}/hook\n", lambda directory: f"{directory}/hook")


def test_only_a_file_of_ctxkit_is_replaced_and_removed() -> None:
    content = f"// {MARK}x\n/d/hook\n"
    assert FILE.install("", "/d") == FILE.install(f"// {MARK}x, older", "/d") == content
    with pytest.raises(ConflictError, match="is not a file of ctxkit"):
        FILE.install("theirs", "/d")
    assert FILE.remove(content, "/d") is None
    assert FILE.remove(content, "/e") == content
    assert FILE.remove("theirs /d/hook", "/d") == "theirs /d/hook"
    assert [FILE.is_installed(content, directory) for directory in ("/d", "/e")] == [True, False]
    assert find_no_rivals("rtk") == []
