"""A conversation below its trigger passes, and the stages are not imported for it."""

import json
import subprocess
import sys

import pytest

from ctxkit.app.services.engines import parse_script
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.compact.plan import prepare_input
from ctxkit.core.compact.services import CompactionContext, make_summary_writer
from ctxkit.core.compact.trigger import PLACEHOLDER, compact_if_due, estimate_unseen, find_unstored, leave_out_results
from ctxkit.core.text.shell_commands import may_script_run
from tests.core.compact.sizes import balance, compact, loud, policy, read, session, total

SMALL = b'[{"role":"user","content":"hi"}]'
SCRIPT = f"""
import sys
from tests.core.compact.sizes import compact, policy, read
assert compact(read({SMALL!r}), policy(200_000)).result == "unchanged"
assert "ctxkit.core.compact.stage_pipeline" not in sys.modules
assert "ctxkit.core.compact.summarize" not in sys.modules
"""


def test_below_the_trigger_the_reason_is_that_it_is_not_due() -> None:
    before = session("openai", 3)
    outcome = compact(before, policy(200_000))
    assert (outcome.result, outcome.reason, outcome.before) == ("unchanged", "it is below the trigger", outcome.after)
    assert outcome.before.amount.high == total(before)
    assert compact(before, policy(200_000, force=True)).result != "refused"


@pytest.mark.slow
def test_a_conversation_that_is_not_due_imports_no_stage() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, timeout=60)


def talk(context, words="word " * 100):
    rows = [
        {"role": "user", "content": words},
        {"role": "assistant", "content": "ok", "usage": {"input_tokens": context, "output_tokens": 2}},
        {"role": "user", "content": "thanks"},
    ]
    return read(json.dumps(rows).encode(), "anthropic")


def found(context, window=10_000, **given):
    transcript = talk(context, **given)
    return estimate_unseen(prepare_input(transcript, balance(transcript), policy(window)))


def test_a_receipt_tells_how_much_stands_beside_the_file() -> None:
    assert 2_800 < found(3_000) < 3_000
    assert compact(talk(3_000), policy(10_000)).overhead == found(3_000)


def test_a_receipt_of_another_window_is_not_believed() -> None:
    assert found(30_000) == 0
    assert found(9_000) == 0


def test_neither_is_one_of_before_a_compaction() -> None:
    assert found(3_000, words="[ctxkit summary] Earlier messages stand here in short.\n\n# Context\n") == 0


SECRET = "correct horse battery staple "


def exchange(number, command, output):
    call = {"id": f"c{number}", "type": "function", "function": {"name": "sh", "arguments": json.dumps({"command": command})}}
    result = {"role": "tool", "tool_call_id": f"c{number}", "content": output}
    return [{"role": "assistant", "content": None, "tool_calls": [call]}, result]


def compact_without_secret(messages, window, **given):
    data = json.dumps(messages).encode()
    transcript = read(data)
    writer = make_summary_writer("extract", None, loud)
    context = CompactionContext(balance(transcript), writer, is_unstored=lambda script: script.startswith("pass"))
    return data, compact_if_due(transcript, data, policy(window, **given), context)


@pytest.mark.parametrize("times", [1, 20])
def test_only_the_newest_output_returns_that_fits(times):
    long = SECRET * 40
    messages = [{"role": "user", "content": "go"}]
    for number in range(8):
        messages += exchange(number, "pass x" if number % 2 else "make", long * times if number % 2 else "ok " * 300)
    _, outcome = compact_without_secret(messages, 4000, force=True, last=5)
    assert outcome.result == "compacted"
    assert outcome.after.amount.high <= 4000 * 0.8
    assert (SECRET.encode() in outcome.content) == (times == 1)
    assert not any(SECRET.encode() in content.data for content in outcome.stored)
    assert outcome.storable is not None
    assert SECRET not in outcome.storable.text


def test_what_is_not_due_or_saves_nothing_keeps_its_bytes():
    messages = [{"role": "user", "content": "go"}, *exchange(1, "pass x", SECRET)]
    data, outcome = compact_without_secret(messages, 4000)
    assert (outcome.result, outcome.content, outcome.storable) == ("unchanged", data, None)
    data, outcome = compact_without_secret(messages, 4000, force=True)
    assert (outcome.result, outcome.content) == ("unchanged", data)


def test_output_that_alone_is_too_large_becomes_a_placeholder():
    messages = [{"role": "user", "content": "go"}, *exchange(1, "pass x", SECRET * 2000), {"role": "user", "content": "and?"}]
    _, outcome = compact_without_secret(messages, 4000)
    assert outcome.result == "compacted"
    assert PLACEHOLDER in json.loads(outcome.content)[2]["content"]
    assert outcome.before.amount.tokens > 4000 > outcome.after.amount.tokens


def test_without_such_output_nothing_differs():
    messages = [{"role": "user", "content": "go"}, *(part for n in range(9) for part in exchange(n, "make", "ok " * 400))]
    _, outcome = compact_without_secret(messages, 2000)
    assert (outcome.result, outcome.storable) == ("compacted", None)


SECRET_FILE = "hunter2-correct-horse\nuser: alice@example.org\n"


def is_named(script: str) -> bool:
    return may_script_run(script, ["pass"], parse_script)


def open_lines(entries: list[object], name: str) -> Transcript:
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
    entries = [*make("ls src", "c1", "a.py\nb.py"), *make("cd x; pass show y", "c2", SECRET_FILE), *make("ls", "c3", "ok")]
    before = open_lines(entries, name)
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
    before = open_lines(openai("ls", "c", "a"), "openai")
    assert leave_out_results(before, is_named).transcript is before


def test_a_spoken_command_is_named_as_well() -> None:
    entries: list[object] = []
    for command, output in (("ls", "a.py"), ("pass show x", "hunter2-correct"), ("make", "ok")):
        entries += [{"role": "assistant", "content": f"Run it.\n```bash\n{command}\n```"}]
        entries += [{"role": "user", "content": f"<returncode>0</returncode>\n<output>\n{output}\n</output>"}]
    storable = leave_out_results(open_lines([{"role": "user", "content": "go"}, *entries], "openai"), is_named)
    assert "hunter2" not in storable.transcript.text
    assert "a.py" in storable.transcript.text
    assert len(storable.places) == 1


def test_a_result_without_a_call_is_not_known() -> None:
    assert not list(find_unstored(open_lines([{"role": "tool", "tool_call_id": "x", "content": SECRET_FILE}], "openai").records, is_named))
