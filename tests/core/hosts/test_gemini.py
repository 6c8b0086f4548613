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


def test_a_prompt_and_a_result_take_a_context() -> None:
    for name in ("BeforeAgent", "AfterTool"):
        event = HOST.read_event({"hook_event_name": name, "session_id": "a", "transcript_path": "/t"})
        assert event == HookEvent(EventKind.TURN, "a", "/t")
    assert HOST.make_addition("page") == {"hookSpecificOutput": {"additionalContext": "page"}}
    assert HOST.make_resumption("page") == {}
