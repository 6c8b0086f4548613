"""Items of the Responses API: joined by call_id, each kind answered in its own way."""

import json

import pytest

from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import responses
from ctxkit.core.chat.formats.responses import is_item, is_output, make_item, make_output, read_item_content
from ctxkit.core.chat.model.message import ConversationStart, MessagePart, RecordCall
from ctxkit.core.chat.reading.format_registry import find_format
from ctxkit.core.chat.reading.transcript import parse_transcript

ITEMS = [
    {"role": "user", "content": "List the files."},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x" * 40},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "ls", "arguments": '{"path": "."}'},
    {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": "*** Begin Patch"},
    {"type": "local_shell_call", "id": "lsc", "call_id": "c3", "action": {"type": "exec", "command": ["ls"]}},
    {"type": "tool_search_call", "call_id": "c4", "execution": "client", "arguments": {"query": "q"}},
    {"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {"query": "q"}},
    {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search", "query": "q"}},
    {"type": "mcp_call", "id": "mcp", "name": "m", "arguments": "{}", "output": "done"},
    {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "a.txt"}]},
    {"type": "custom_tool_call_output", "call_id": "c2", "output": '{"output":"bad","metadata":{"exit_code":1}}'},
    {"type": "function_call_output", "call_id": "c3", "output": "Exit code: 0\nOutput:\nb.txt"},
    {"type": "tool_search_output", "call_id": "c4", "execution": "client", "tools": [{"type": "function", "name": "f"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Two files."}]},
    {"type": "compaction", "encrypted_content": "x" * 9},
    {"type": "item_reference", "id": "rs_0"},
]
REQUEST = {"model": "gpt-5", "instructions": "Be brief.", "input": ITEMS}


def read(value):
    return parse_transcript(json.dumps(value, indent=1).encode(), "it")


def test_the_items_of_a_request_are_its_entries_and_the_rest_stands_beside_them() -> None:
    found = read(REQUEST)
    assert found.format is responses
    assert [record.value for record in found.records] == ITEMS
    assert found.head[0] == ConversationStart()
    assert found.head[1].parts[0].text == "Be brief."


def test_calls_are_joined_to_outputs_by_call_id() -> None:
    records = read(ITEMS).records
    calls = [call for record in records for call in record.calls]
    assert [(call.id, call.name, call.needs_no_result) for call in calls] == [
        ("c1", "ls", False),
        ("c2", "apply_patch", False),
        ("c3", "local_shell_call", False),
        ("c4", "tool_search_call", False),
        ("", "tool_search_call", True),
        ("ws", "web_search_call", True),
        ("mcp", "m", True),
    ]
    assert calls[0].arguments == {"path": "."}
    assert calls[1].arguments == "*** Begin Patch"
    results = [result for record in records for result in record.results]
    assert [(result.id, result.text, result.failed) for result in results] == [
        ("c1", "a.txt", False),
        ("c2", '{"output":"bad","metadata":{"exit_code":1}}', True),
        ("c3", "Exit code: 0\nOutput:\nb.txt", False),
        ("c4", "", False),
    ]


def test_what_only_the_provider_reads_is_sealed_and_reasoning_is_wanted_back() -> None:
    records = read(ITEMS).records
    assert [record.value["type"] for record in records if record.encrypted] == ["compaction", "item_reference"]
    assert [record.value["type"] for record in records if record.has_reasoning] == ["reasoning"]
    assert not any(record.passages for record in records if record.encrypted or record.has_reasoning)


@pytest.mark.parametrize(("name", "status"), [("Exit code: 3", True), ("Process exited with code 0", False)])
def test_an_output_fails_when_its_command_did(name: str, status: bool) -> None:
    [result] = responses.read_content({"type": "function_call_output", "call_id": "c", "output": f"{name}\nOutput:\n"}).results
    assert result.failed is status


@pytest.mark.parametrize("item", [item for item in ITEMS if str(item.get("type")).endswith("_call")])  # type: ignore[attr-defined]
def test_an_answer_is_read_as_the_result_of_its_call(item) -> None:
    [call] = responses.read_content(item).calls
    if call.needs_no_result:
        return
    [result] = responses.read_content(responses.make_result(call, "no result")).results
    assert result.id == call.id
    assert result.text == ("" if call.name == "tool_search_call" else "no result")


@pytest.mark.parametrize(
    ("kind", "key"),
    [("shell_call", "action"), ("apply_patch_call", "operation"), ("computer_call", "action"), ("mcp_approval_request", "")],
)
def test_calls_of_other_kinds_are_answered_in_their_own_way(kind: str, key: str) -> None:
    item = {"type": kind, "id": "i", "call_id": "i", "name": "t", **({key: {}} if key else {"arguments": "{}"})}
    del item["name"]
    [call] = responses.read_content(item).calls
    assert not call.needs_no_result
    answered = responses.make_result(call, "no result")
    assert answered["type"] != "function_call_output"
    assert [result.id for result in responses.read_content(answered).results] == ["i"]


def test_a_cleared_output_is_read_as_such() -> None:
    found = read(REQUEST)
    record = found.records[9]
    [result] = record.results
    patch = ValuePatch(result.place, responses.make_result_value(result, "[cleared]"))
    again = parse_transcript(apply_change(found, Change(patches={9: [patch]})).encode(), "it")
    assert again.records[9].results[0].text == "[cleared]"
    assert [one.value for one in again.records[:9]] == ITEMS[:9]


def test_a_summary_keeps_a_list_of_messages_one_of_items() -> None:
    found = read(ITEMS)
    new = responses.make_summary("So far.", "system", "0" * 32, None, ITEMS[0])
    text = apply_change(found, Change(dropped=frozenset(range(1, 16)), inserted={0: new}))
    assert find_format([json.loads(text)]) is responses
    assert parse_transcript(text.encode(), "it").records[0].words == "So far."


def test_a_request_whose_input_is_text_is_one_entry() -> None:
    [record] = read({"model": "gpt-5", "input": "hi"}).records
    assert (record.role, record.passages[0].place) == ("user", ("input",))


def test_the_first_rollouts_of_codex_have_lines_that_are_no_items() -> None:
    lines = [
        {"id": "1", "timestamp": "t", "instructions": "Be brief."},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
    ]
    found = parse_transcript("\n".join(map(json.dumps, lines)).encode(), "it")
    assert [(one.kind, one.role) for one in found.records] == [("head", "system"), ("note", ""), ("message", "user")]
    listed = read(lines)
    assert listed.format is responses
    assert [one.entries for one in listed.records] == [one.entries for one in found.records]
    assert not responses.is_format_of([*lines, {"status": "done"}])


def test_an_item_of_an_unknown_kind_does_not_hide_the_others() -> None:
    assert find_format([[*ITEMS, {"type": "hologram", "id": "h"}]]) is responses
    assert responses.read_content({"type": "hologram", "id": "h"}).role == "assistant"
    assert responses.make_result(RecordCall("c", "f", {}, ("arguments",)), "x")["type"] == "function_call_output"


@pytest.mark.parametrize(
    ("item", "parts"),
    [
        ({"type": "mcp_call", "id": "1", "name": "f", "arguments": "{}", "output": "out"},
         (MessagePart("call", "{}", "f"), MessagePart("result", "out"))),
        ({"type": "code_interpreter_call", "id": "1", "code": "x=1", "outputs": [{"type": "logs", "logs": "1"}]},
         (MessagePart("call", "x=1", "code_interpreter_call"), MessagePart("result", '{"type":"logs","logs":"1"}'))),
        ({"type": "file_search_call", "id": "1", "queries": ["x"], "results": [{"text": "found"}]},
         (MessagePart("call", '["x"]', "file_search_call"), MessagePart("result", '{"text":"found"}'))),
        ({"type": "image_generation_call", "id": "1", "result": "AAAA"},
         (MessagePart("call", "", "image_generation_call"), MessagePart("image"))),
    ],
)  # fmt: skip
def test_what_a_hosted_tool_returned_is_in_its_call(item, parts) -> None:
    assert responses.read_item(item).parts == parts


def output(text, kind="function_call_output", **members):
    return {"type": kind, "call_id": "c", "output": text, **members}


@pytest.mark.parametrize(
    ("item", "known"),
    [
        ({"type": "message", "role": "user", "content": []}, True),
        ({"type": "message", "content": []}, False),
        ({"type": "reasoning", "summary": []}, True),
        ({"type": "reasoning"}, False),
        ({"type": "function_call", "call_id": "c"}, True),
        ({"type": "function_call"}, False),
        ({"type": "compaction", "encrypted_content": "x"}, True),
        ({"role": "user", "content": "a"}, False),
    ],
)
def test_an_item_is_known_by_its_type_and_members(item, known: bool) -> None:
    assert is_item(item) is known


@pytest.mark.parametrize(
    ("item", "failed"),
    [
        (output("ok"), False),
        (output("Exit code: 0\nfine"), False),
        (output("Exit code: 2\nbad"), True),
        (output("Wall time: 1 s\nProcess exited with code 127\nOutput:"), True),
        (output("x", status="incomplete"), True),
        (output({"success": False, "content": "x"}), True),
        (output(json.dumps({"output": "x", "metadata": {"exit_code": 1}})), True),
        (output('{"output": "x", "metadata": {"exit_code": 0}}'), False),
        (output('{"exit_code": torn'), False),
    ],
)
def test_a_failure_is_read_from_status_flag_or_exit_status(item, failed: bool) -> None:
    (result,) = read_item_content(item).results
    assert (result.id, result.failed) == ("c", failed)


def test_what_the_provider_runs_waits_for_no_result() -> None:
    (web,) = read_item_content({"type": "web_search_call", "id": "w", "action": {"query": "q"}}).calls
    (local,) = read_item_content({"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}'}).calls
    assert (web.needs_no_result, web.arguments) == (True, {"query": "q"})
    assert (local.needs_no_result, local.name, local.arguments, local.place) == (False, "f", {"a": 1}, ("arguments",))


def test_encrypted_items_show_no_passage() -> None:
    assert read_item_content({"type": "compaction", "encrypted_content": "x"}).encrypted
    block = {"type": "agent_message", "encrypted_content": "x"}
    content = read_item_content({"type": "message", "role": "assistant", "content": [block]})
    assert (content.encrypted, content.passages) == (True, ())


@pytest.mark.parametrize(
    "call",
    [
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "x"},
        {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}},
        {"type": "apply_patch_call", "call_id": "c", "operation": {"type": "delete_file"}},
        {"type": "computer_call", "call_id": "c", "action": {"type": "click"}},
        {"type": "mcp_approval_request", "id": "c", "name": "f", "arguments": "{}"},
    ],
)
def test_the_result_that_is_written_for_a_call_answers_it(call) -> None:
    (asked,) = read_item_content(call).calls
    result = make_output(asked, "none")
    assert is_item(result)
    assert is_output(result["type"]) or result["type"] == "mcp_approval_response"
    assert [answer.id for answer in read_item_content(result).results] == ["c"]


def test_a_message_is_read_as_it_was_written() -> None:
    content = read_item_content(make_item("Hello.", "user"))
    assert (content.role, [passage.text for passage in content.passages]) == ("user", ["Hello."])
