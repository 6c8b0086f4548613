import json

import pytest

from ctxkit.core.hosts.codex import HOST, MATCHERS
from ctxkit.core.hosts.host import EventKind, HookEvent

EVENT = {"session_id": "01a2-b", "transcript_path": "/t.jsonl", "tool_name": "Bash", "tool_input": {"command": "ls", "workdir": "/x"}}


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("PreToolUse", HookEvent(EventKind.COMMAND, tool_input={"command": "ls", "workdir": "/x"})),
        ("PreCompact", HookEvent(EventKind.COMPACTION, "01a2-b", "/t.jsonl")),
    ],
)
def test_events_are_read(name: str, event: HookEvent) -> None:
    assert HOST.read_event({**EVENT, "hook_event_name": name}) == event


def test_a_rewrite_has_no_key_that_codex_does_not_know() -> None:
    answer = HOST.make_rewrite({"command": "x; ls", "workdir": "/x"})
    value = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "x; ls", "workdir": "/x"}}
    assert answer == {"hookSpecificOutput": value}


def test_only_the_shell_and_a_compaction_call_the_hook() -> None:
    hooks = json.loads(HOST.install("", "/d"))["hooks"]
    assert {event: groups[0].get("matcher", "") for event, groups in hooks.items()} == MATCHERS
    assert hooks["PreToolUse"][0]["hooks"] == [{"type": "command", "command": "[ ! -x /d/hook ] || /d/hook", "timeout": 10}]
