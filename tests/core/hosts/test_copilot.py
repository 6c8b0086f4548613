import json

import pytest

from ctxkit.core.hosts.copilot import HOST
from ctxkit.core.hosts.host import ConflictError, EventKind, HookEvent


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
