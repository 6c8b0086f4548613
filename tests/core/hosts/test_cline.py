from ctxkit.core.hosts.cline import HOST
from ctxkit.core.hosts.host import EventKind, HookEvent


def test_the_commands_of_a_call_are_rewritten_and_nothing_else_is() -> None:
    call = {"id": "call_0", "name": "run_commands", "input": {"commands": ["ls"]}}
    event = {"hookName": "tool_call", "tool_call": call, "preToolUse": {"toolName": "run_commands"}}
    assert HOST.read_event(event) == HookEvent(EventKind.COMMAND, tool_input={"commands": ["ls"]})
    assert HOST.read_event({**event, "tool_call": {**call, "name": "editor"}}) is None
    assert HOST.make_rewrite({"commands": ["x; ls"]}) == {"overrideInput": {"commands": ["x; ls"]}}


def test_the_program_does_nothing_without_the_hook() -> None:
    assert HOST.install("", "/my d").endswith("[ ! -x '/my d/hook' ] || exec '/my d/hook'\n")
    assert HOST.runs_settings
