import json

from ctxkit.core.hosts.gemini import HOST
from ctxkit.core.hosts.host import EventKind, HookEvent


def test_a_command_is_rewritten_and_nothing_else_is() -> None:
    event = {"hook_event_name": "BeforeTool", "session_id": "a", "tool_input": {"command": "ls"}}
    assert HOST.read_event(event) == HookEvent(EventKind.COMMAND, tool_input={"command": "ls"})
    assert HOST.read_event({**event, "hook_event_name": "PreCompress"}) is None
    answer = {"hookEventName": "BeforeTool", "tool_input": {"command": "x; ls"}}
    assert HOST.make_rewrite({"command": "x; ls"}) == {"hookSpecificOutput": answer}


def test_the_time_of_a_hook_is_in_milliseconds() -> None:
    (group,) = json.loads(HOST.install("", "/d"))["hooks"]["BeforeTool"]
    assert group["matcher"] == "run_shell_command"
    assert group["hooks"][0]["timeout"] == 10_000
