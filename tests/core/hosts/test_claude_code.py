import json
import subprocess

import pytest

from ctxkit.core.hosts.claude_code import (
    HOST,
    PATH,
    find_prefix,
    install,
    is_installed,
    make_prefix_script,
    place_script,
    remove,
)
from ctxkit.core.hosts.host import ConflictError, EventKind, HookEvent, Programs
from ctxkit.core.text.json_value import JsonValue


@pytest.mark.parametrize("text", ["", "\ufeff", "{}", '{"env": {"A": "1"}, "model": "x"}', '{\n  // c\n  "env": {}\n}\n'])
def test_a_program_is_named_once_and_removed(text: str) -> None:
    changed = install(text, "/a")
    assert find_prefix(changed) == "/a/prefix"
    assert install(changed, "/a") == changed
    assert find_prefix(remove(changed, "/a")) is None
    assert remove(changed, "/b") == changed


def test_a_script_beside_the_settings_takes_the_place_of_an_earlier_one() -> None:
    host = place_script("/home/u/.claude/ctxkit-prefix")
    assert set(host.make_scripts("/a", Programs("/ctxkit", "/python"))) == {"/home/u/.claude/ctxkit-prefix", "/a/hook"}
    for before in ("", install("", "/a"), place_script("/elsewhere/ctxkit-prefix").install("", "/a")):
        changed = host.install(before, "/a")
        assert find_prefix(changed) == "/home/u/.claude/ctxkit-prefix"
        assert is_installed(changed, "/a")
        assert find_prefix(remove(changed, "/a")) is None
    assert host.without_scripts == "Claude Code runs its commands as before; it runs none if /home/u/.claude/ctxkit-prefix is deleted"


def test_a_path_that_the_host_would_split_is_refused() -> None:
    with pytest.raises(ConflictError, match="a space and a hyphen") as error:
        place_script("/home/u -x/ctxkit-prefix").install("{}", "/a")
    assert error.value.hint == "set CLAUDE_CONFIG_DIR to another directory"


def test_another_program_is_a_conflict() -> None:
    with pytest.raises(ConflictError, match=r"sets CLAUDE_CODE_SHELL_PREFIX to '/other'") as error:
        install(json.dumps({PATH[0]: {PATH[1]: "/other"}}), "/a")
    assert error.value.hint == "remove CLAUDE_CODE_SHELL_PREFIX from the file to have ctxkit there"


def test_the_script_is_shell_and_quotes_its_paths() -> None:
    script = make_prefix_script("/it's/ctxkit", "/a b/python")
    assert "ctxkit='/it'\"'\"'s/ctxkit'\npython='/a b/python'\n" in script
    assert subprocess.run(["sh", "-n"], input=script.encode()).returncode == 0


def test_the_input_of_a_tool_stays_as_it_is() -> None:
    event = {"hook_event_name": "PreToolUse", "session_id": "a", "tool_input": {"command": "ls"}}
    assert HOST.read_event(event) is None
    assert HOST.make_rewrite({"command": "ls"}) == {}


def test_results_of_mcp_servers_are_events_but_those_of_ctxkit() -> None:
    blocks = [{"type": "text", "text": "x"}]
    event = {"hook_event_name": "PostToolUse", "tool_name": "mcp__db__query", "tool_response": blocks}
    result = HOST.read_event(event)
    assert result == HookEvent(EventKind.RESULT, tool="mcp__db__query", blocks=blocks, response=blocks)
    for change in ({"tool_name": "mcp__ctxkit__search"}, {"tool_name": "Read"}, {"tool_response": "saved to a file"}):
        assert HOST.read_event({**event, **change}) is None
    assert HOST.make_result(result, blocks) == answer(blocks)


def answer(output: JsonValue) -> JsonValue:
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}}


LOCK = {"filePath": "/a/package-lock.json", "content": "{}", "numLines": 9, "startLine": 1, "totalLines": 9}


@pytest.mark.parametrize(
    ("tool", "response", "replaced"),
    [
        ("Grep", {"mode": "content", "content": "a:1:x", "numLines": 1}, {"mode": "content", "content": "MAP", "numLines": 1}),
        ("WebFetch", {"code": 200, "result": "page"}, {"code": 200, "result": "MAP"}),
        ("Agent", {"content": [{"type": "text", "text": "x"}], "n": 1}, {"content": [{"type": "text", "text": "MAP"}], "n": 1}),
        ("Read", {"type": "text", "file": LOCK}, {"type": "text", "file": {**LOCK, "content": "MAP"}}),
    ],
)
def test_the_text_of_a_result_is_replaced_in_its_place(tool: str, response: JsonValue, replaced: JsonValue) -> None:
    event = HOST.read_event({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_response": response})
    assert event
    assert len(event.blocks) == 1
    assert HOST.make_result(event, [{"type": "text", "text": "MAP"}]) == answer(replaced)


@pytest.mark.parametrize(
    ("tool", "response"),
    [
        ("Read", {"type": "text", "file": {**LOCK, "filePath": "/a/main.py"}}),
        ("Read", {"type": "text", "file": {**LOCK, "filePath": "/a/file-lock.ts"}}),
        ("Read", {"type": "text", "file": {**LOCK, "startLine": 3}}),
        ("Read", {"type": "text", "file": {**LOCK, "numLines": 5}}),
        ("Read", {"type": "image", "file": {"base64": ""}}),
        ("Grep", {"mode": "files_with_matches", "filenames": ["a"]}),
        ("Glob", {"filenames": ["a"]}),
        ("Edit", {"content": "x"}),
        ("Grep", "x"),
    ],
)
def test_what_may_be_edited_and_lists_of_files_stay(tool: str, response: JsonValue) -> None:
    assert HOST.read_event({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_response": response}) is None
