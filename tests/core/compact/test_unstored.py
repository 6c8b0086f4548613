"""The output of commands that never_store names is left out of what is stored of a conversation, in every format."""

import json

import pytest

from ctxkit.app.services.engines import parse_script
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.compact.unstored import PLACEHOLDER, find_unstored, leave_out_results
from ctxkit.core.text.shell_commands import may_script_run

SECRET = "hunter2-correct-horse\nuser: alice@example.org\n"


def is_named(script: str) -> bool:
    return may_script_run(script, ["pass"], parse_script)


def read(entries: list[object], name: str) -> Transcript:
    return parse_transcript("".join(f"{json.dumps(entry)}\n" for entry in entries).encode(), "chat", get_format(name))


def openai(command: str, id_: str, text: str) -> list[object]:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": id_, "type": "function", "function": function}]}
    return [call, {"role": "tool", "tool_call_id": id_, "content": text}]


def anthropic(command: str, id_: str, text: str) -> list[object]:
    use = {"type": "tool_use", "id": id_, "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": id_, "content": [{"type": "text", "text": text}]}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def gemini(command: str, id_: str, text: str) -> list[object]:
    del id_
    call = {"functionCall": {"name": "run_shell_command", "args": {"command": command}}}
    answer = {"functionResponse": {"name": "run_shell_command", "response": {"output": text}}}
    return [{"role": "model", "parts": [call]}, {"role": "user", "parts": [answer]}]


def responses(command: str, id_: str, text: str) -> list[object]:
    call = {"type": "function_call", "call_id": id_, "name": "shell", "arguments": json.dumps({"command": ["bash", "-lc", command]})}
    return [call, {"type": "function_call_output", "call_id": id_, "output": text}]


def claude_code(command: str, id_: str, text: str) -> list[object]:
    call, result = anthropic(command, id_, text)
    lines = [
        {"type": "assistant", "uuid": f"a{id_}", "message": call},
        {"type": "user", "uuid": f"u{id_}", "message": result, "toolUseResult": {"stdout": text, "stderr": "", "ok": True}},
    ]
    return [{**line, "parentUuid": None, "sessionId": "s"} for line in lines]


def codex(command: str, id_: str, text: str) -> list[object]:
    items = [{"type": "response_item", "payload": item} for item in responses(command, id_, text)]
    event = {"type": "event_msg", "payload": {"type": "exec_command_end", "call_id": id_, "aggregated_output": text}}
    return [items[0], event, items[1]]


FORMS = {
    "openai": openai,
    "anthropic": anthropic,
    "gemini": gemini,
    "responses": responses,
    "claude-code": claude_code,
    "codex": codex,
}


@pytest.mark.parametrize("name", FORMS)
def test_a_result_is_left_out_and_the_conversation_stays_valid(name: str) -> None:
    make = FORMS[name]
    entries = [*make("ls src", "c1", "a.py\nb.py"), *make("cd x; pass show y", "c2", SECRET), *make("ls", "c3", "ok")]
    before = read(entries, name)
    storable = leave_out_results(before, is_named)
    text = storable.transcript.text
    assert "hunter2" not in text
    assert "alice" not in text
    assert PLACEHOLDER in text
    assert "b.py" in text
    assert find_breaches(storable.transcript) == find_breaches(before)
    untouched = [at for at in range(len(entries)) if at not in storable.places]
    assert len(untouched) >= len(entries) - 2
    assert all(storable.transcript.get_raw(storable.transcript.records[at]) == before.get_raw(before.records[at]) for at in untouched)


def test_without_such_a_command_the_conversation_is_the_same() -> None:
    before = read(openai("ls", "c", "a"), "openai")
    assert leave_out_results(before, is_named).transcript is before


def test_a_spoken_command_is_named_as_well() -> None:
    entries: list[object] = []
    for command, output in (("ls", "a.py"), ("pass show x", "hunter2-correct"), ("make", "ok")):
        entries += [{"role": "assistant", "content": f"Run it.\n```bash\n{command}\n```"}]
        entries += [{"role": "user", "content": f"<returncode>0</returncode>\n<output>\n{output}\n</output>"}]
    storable = leave_out_results(read([{"role": "user", "content": "go"}, *entries], "openai"), is_named)
    assert "hunter2" not in storable.transcript.text
    assert "a.py" in storable.transcript.text
    assert len(storable.places) == 1


def test_a_result_without_a_call_is_not_known() -> None:
    assert not list(find_unstored(read([{"role": "tool", "tool_call_id": "x", "content": SECRET}], "openai").records, is_named))
