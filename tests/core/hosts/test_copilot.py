import json

import pytest

from ctxkit.core.hosts.copilot import HOST, find_compaction
from ctxkit.core.hosts.host import ConflictError, EventKind, HookEvent, HostCompaction


@pytest.mark.parametrize("arguments", [{"command": "ls"}, '{"command": "ls"}'])
def test_arguments_are_an_object_or_its_text(arguments: object) -> None:
    event = HOST.read_event({"sessionId": "a", "toolName": "bash", "toolArgs": arguments})
    assert event == HookEvent(EventKind.COMMAND, tool_input={"command": "ls"})


@pytest.mark.parametrize("value", [{"toolName": "view", "toolArgs": {"command": "x"}}, {"toolName": "bash", "toolArgs": "{"}])
def test_another_tool_is_no_event(value: dict[str, object]) -> None:
    assert HOST.read_event(value) is None


def test_the_file_of_hooks_is_that_of_ctxkit() -> None:
    text = HOST.install("", "/d")
    assert json.loads(text)["hooks"]["preToolUse"][0]["bash"] == "[ ! -x /d/hook ] || /d/hook"
    assert HOST.make_rewrite({"command": "x"}) == {"modifiedArgs": {"command": "x"}}
    with pytest.raises(ConflictError):
        HOST.install('{"version": 1, "hooks": {}}', "/d")


def line(id_: str, **data: object) -> bytes:
    data = {**data, "compactionAttemptId": id_}
    return json.dumps({"type": "session.compaction_complete", "data": data, "id": "x"}, separators=(",", ":")).encode() + b"\n"


def test_the_last_compaction_that_succeeded_counts() -> None:
    first, failed = line("e1", success=True), line("e2", success=False)
    assert find_compaction(b'{"type":"user.message"}\n' + failed) is None
    begun = b'{"type":"session.compaction_start","data":{"compactionAttemptId":"e1"}}\n'
    assert find_compaction(failed + begun + first + failed) == HostCompaction("e1", len(failed) + begun.index(b"e1"))
    assert find_compaction(begun + first + b'{"type":"session.compaction_complete"') == HostCompaction("e1", begun.index(b"e1"))


def test_a_prompt_and_a_result_take_a_context() -> None:
    assert HOST.read_event({"sessionId": "a", "prompt": "x"}) == HookEvent(EventKind.TURN, "a", is_prompt=True)
    result = {"sessionId": "a", "toolName": "bash", "toolArgs": {"command": "ls"}, "toolResult": {}}
    assert HOST.read_event(result) == HookEvent(EventKind.TURN, "a")
    event = HOST.read_event({"sessionId": "a", "transcriptPath": "/t", "trigger": "auto"})
    assert event == HookEvent(EventKind.COMPACTION, "a", "/t")
    assert HOST.read_event({"sessionId": "a", "transcriptPath": "/t", "stopReason": "end_turn"}) is None
    assert HOST.make_addition("page") == {"additionalContext": "page"}
    assert HOST.make_resumption("page") == {}
