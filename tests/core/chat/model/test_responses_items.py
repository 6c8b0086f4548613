"""Items of the Responses API: what answers a call, what failed, and what only the provider can read."""

import json

import pytest

from ctxkit.core.chat.model.responses_items import is_item, is_output, make_message, make_result, read_content


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
    (result,) = read_content(item).results
    assert (result.id, result.failed) == ("c", failed)


def test_what_the_provider_runs_waits_for_no_result() -> None:
    (web,) = read_content({"type": "web_search_call", "id": "w", "action": {"query": "q"}}).calls
    (local,) = read_content({"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}'}).calls
    assert (web.needs_no_result, web.arguments) == (True, {"query": "q"})
    assert (local.needs_no_result, local.name, local.arguments, local.place) == (False, "f", {"a": 1}, ("arguments",))


def test_encrypted_items_show_no_passage() -> None:
    assert read_content({"type": "compaction", "encrypted_content": "x"}).encrypted
    block = {"type": "agent_message", "encrypted_content": "x"}
    content = read_content({"type": "message", "role": "assistant", "content": [block]})
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
    (asked,) = read_content(call).calls
    result = make_result(asked, "none")
    assert is_item(result)
    assert is_output(result["type"]) or result["type"] == "mcp_approval_response"
    assert [answer.id for answer in read_content(result).results] == ["c"]


def test_a_message_is_read_as_it_was_written() -> None:
    content = read_content(make_message("Hello.", "user"))
    assert (content.role, [passage.text for passage in content.passages]) == ("user", ["Hello."])
