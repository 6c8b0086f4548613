import json

from ctxkit.core.hosts.cursor import HOST
from ctxkit.core.hosts.host import EventKind, HookEvent

EVENT = {"hook_event_name": "preToolUse", "conversation_id": "c", "tool_name": "Shell", "tool_input": {"command": "ls"}}


def test_a_command_is_rewritten_without_a_decision() -> None:
    assert HOST.read_event(EVENT) == HookEvent(EventKind.COMMAND, tool_input={"command": "ls"})
    assert HOST.read_event({**EVENT, "tool_name": "Read"}) is None
    assert HOST.make_rewrite({"command": "x; ls"}) == {"updated_input": {"command": "x; ls"}}


def test_hooks_of_others_stay() -> None:
    other = {"version": 1, "hooks": {"preToolUse": [{"command": "mine"}], "stop": [{"command": "theirs"}]}}
    text = HOST.install(json.dumps(other), "/d")
    assert json.loads(text)["hooks"]["preToolUse"][1]["matcher"] == "Shell"
    assert json.loads(HOST.remove(text, "/d") or "") == other


def test_the_version_goes_with_the_last_hook() -> None:
    assert json.loads(HOST.remove(HOST.install("", "/d"), "/d") or "") == {}
    assert HOST.is_untested
