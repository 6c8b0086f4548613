import json

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.script_calls import EmbeddedCall, read_script_call
from ctxkit.core.summary.tool_call import find_tool_calls
from tests.core.summary.talk import did, records_of, user

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"


@given(st.text(max_size=80))
def test_the_command_of_a_script_is_read_as_it_was_written(command: str) -> None:
    script = f'const r = await tools.exec_command({json.dumps({"cmd": command, "workdir": "/repo"})}); text(r.output);'
    assert read_script_call("exec", script) == EmbeddedCall("exec_command", {"cmd": command, "workdir": "/repo"})


def test_the_patch_of_a_script_is_its_input() -> None:
    script = f"const patch = {json.dumps(PATCH)};\ntext(await tools.apply_patch(patch));"
    assert read_script_call("exec", script) == EmbeddedCall("apply_patch", {"input": PATCH})


def test_several_commands_of_a_script_are_lines() -> None:
    script = 'await Promise.all([tools.exec_command({"cmd":"ls a"}), tools.exec_command({"cmd":"ls b"})]);'
    assert read_script_call("exec", script) == EmbeddedCall("exec_command", {"cmd": "ls a\nls b"})


def test_a_script_that_builds_its_arguments_or_calls_several_tools_stays() -> None:
    for script in (
        "await tools.exec_command({cmd: name});",
        'await tools.exec_command({"cmd":"ls"}); await tools.apply_patch(patch);',
        "await tools.apply_patch(patch);",
        'await tools.web__run({"q":"x"});',
        "1 + 1",
    ):
        assert read_script_call("exec", script) == EmbeddedCall("exec", script)
    assert read_script_call("bash", {"command": "tools.exec_command("}) == EmbeddedCall("bash", {"command": "tools.exec_command("})


def test_calls_of_a_conversation_are_those_of_its_scripts() -> None:
    script = 'await tools.update_plan({"plan":[{"step":"Test","status":"pending"}]});'
    [tool_call] = find_tool_calls(records_of([user("x"), *did("exec", script)]))
    assert tool_call.name == "update_plan"
