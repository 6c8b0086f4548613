"""OpenAI Chat Completions are taken apart and put together, and what others write like them."""

import json

import pytest
from hypothesis import given, settings

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import anthropic, openai
from ctxkit.core.chat.model.message import RecordCall, RecordPassage, RecordResult, UsageReceipt
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.errors import MalformedInputError
from tests.core.chat import talks
from tests.core.chat.talks import plans
from tests.example_counts import count_examples

CALL = {"id": "1", "type": "function", "function": {"name": "ls", "arguments": '{"path": "/"}'}}


def read(value):
    return parse_transcript(json.dumps(value).encode(), "chat")


def test_a_call_and_its_result() -> None:
    said = {"role": "assistant", "content": "I look.", "tool_calls": [CALL, {**CALL, "id": "2"}]}
    found = openai.read_content(said)
    assert found.role == "assistant"
    assert found.calls[0] == RecordCall(
        "1", "ls", {"path": "/"}, ("tool_calls", 0, "function", "arguments"), ("tool_calls", 0)
    )
    assert found.calls[1].unit == ("tool_calls", 1)
    assert found.passages == (RecordPassage("I look.", ("content",)),)
    told = openai.read_content({"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "a"}]})
    assert (told.role, told.results, told.passages) == ("tool", (RecordResult("1", "a", ("content",)),), ())


def test_a_tool_message_holds_no_calls() -> None:
    said = {"role": "tool", "tool_call_id": "1", "content": "a", "tool_calls": [CALL]}
    found = openai.read_content(said)
    assert found.calls == ()
    assert found.results == (RecordResult("1", "a", ("content",)),)


def test_calls_of_other_kinds() -> None:
    custom = {"id": "1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
    chain = {"id": "2", "type": "tool_call", "name": "ls", "args": {"a": 1}}
    found = openai.read_content({"role": "ai", "content": "", "tool_calls": [custom, "odd", chain]})
    assert found.role == "assistant"
    assert [(call.name, call.arguments, call.place) for call in found.calls] == [
        ("patch", "*** Begin", ("tool_calls", 0, "custom", "input")),
        ("ls", {"a": 1}, ("tool_calls", 2, "args")),
    ]


def test_a_call_from_before_there_were_ids() -> None:
    old = openai.read_content({"role": "assistant", "content": None, "function_call": {"name": "ls", "arguments": "{"}})
    assert old.calls == (RecordCall("", "ls", "{", ("function_call", "arguments"), ("function_call",)),)
    told = openai.read_content({"role": "function", "name": "ls", "content": "a"})
    assert (told.role, told.results) == ("tool", (RecordResult("", "a", ("content",), "ls"),))
    assert openai.make_result(old.calls[0], "none") == {"role": "function", "name": "ls", "content": "none"}


def test_results_as_blocks_of_a_message() -> None:
    blocks = [{"type": "tool-result", "toolCallId": str(at), "toolName": "ls", "result": "a"} for at in range(2)]
    found = openai.read_content({"role": "tool", "content": blocks})
    assert [(one.id, one.place) for one in found.results] == [(str(at), ("content", at, "result")) for at in range(2)]
    output = [{"type": "tool-result", "toolCallId": "1", "toolName": "ls", "output": {"type": "text", "value": "a"}}]
    result = openai.read_content({"role": "tool", "content": output}).results[0]
    assert openai.make_result_value(result, "b") == {"type": "text", "value": "b"}


@pytest.mark.parametrize(
    ("role", "meant"),
    [("developer", "system"), ("human", "user"), ("ai", "assistant"), ("model", "assistant"), ("narrator", "user")],
)
def test_roles_of_others(role: str, meant: str) -> None:
    assert openai.read_content({"role": role, "content": "a"}).role == meant


@pytest.mark.parametrize(
    "used", [{"usage": {"prompt_tokens": 7, "completion_tokens": 2}}, {"usage_metadata": {"input_tokens": 7, "output_tokens": 2}}]
)
def test_a_receipt_beside_a_message(used) -> None:
    assert openai.read_content({"role": "assistant", "content": "a", **used}).receipt == UsageReceipt(7, 2)
    assert openai.read_content({"role": "assistant", "content": "a", "usage": None}).receipt is None


def test_a_result_is_put_in_the_place_of_another() -> None:
    request = {
        "model": "m",
        "tools": [{"type": "function", "function": {"name": "ls"}}],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "1", "content": "a long one", "name": "ls"},
        ],
    }
    transcript = read(request)
    result = transcript.records[2].results[0]
    patch = ValuePatch(result.place, openai.make_result_value(result, "cleared"))
    call = transcript.records[1].calls[0]
    inserted = {0: openai.make_summary("so far", "developer", "0" * 32, None, None), 3: [openai.make_result(call, "again")]}
    request["messages"][2]["content"] = "cleared"
    request["messages"].insert(0, {"role": "developer", "content": "so far"})  # type: ignore[attr-defined]
    request["messages"].append({"role": "tool", "tool_call_id": "1", "content": "again"})  # type: ignore[attr-defined]
    assert json.loads(apply_change(transcript, Change(frozenset(), {2: [patch]}, inserted))) == request
    assert openai.wrap_results([]) is None
    assert (openai.make_id("0" * 32), openai.patch_parent({}, None), openai.attach_entry(1, "0" * 32, None, None)) == ("", (), 1)


def test_what_mini_swe_agent_writes_between_turns_is_automatic() -> None:
    interruption = {"role": "user", "content": "No tool calls found.", "extra": {"interrupt_type": "FormatError"}}
    assert openai.read_content(interruption).automatic
    assert openai.read_content({"role": "exit", "content": "diff", "extra": {"submission": "diff"}}).automatic
    assert not openai.read_content({"role": "user", "content": "Hi.", "extra": {"note": "x"}}).automatic


SIDE = {"role": "assistant-subagent-acompact-1f", "_metadata": {"source": "subagent", "original_role": "user"}}


def test_messages_of_another_agent_are_not_sent() -> None:
    asked, told = {"role": "user", "content": "Look."}, {"role": "tool", "tool_call_id": "1", "content": "a"}
    called = {"role": "assistant", "content": [{"type": "tool_call", "tool_call_id": "1", "name": "ls", "arguments": "{}"}], "tool_calls": [CALL]}
    copies = [{**message, **SIDE} for message in (asked, called, told)]
    found = read({"messages": [asked, copies[0], called, copies[1], told, copies[2]]})
    assert find_active_path(found) == (0, 2, 4)
    assert find_breaches(found) == ()
    assert [record.is_user_request for record in found.records] == [True, *[False] * 5]
    assert [len(record.calls) for record in found.records] == [0, 0, 1, 0, 0, 0]
    assert find_active_path(read([asked, copies[0]])) == (0,)


def test_images_of_anthropics_form_beside_calls_of_openais() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    asked, called = {"role": "user", "content": [image]}, {"role": "assistant", "content": "", "tool_calls": [CALL]}
    assert read({"messages": [asked, called]}).format is openai
    assert read([asked, called]).format is openai
    assert read([asked]).format is anthropic


def test_an_early_session_of_copilot_cli() -> None:
    messages = [
        {"role": "user", "content": "Look."},
        {"padding": "abc", "role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "1", "content": "a"},
    ]
    found = read({"sessionId": "s", "chatMessages": messages, "timeline": [{"type": "user", "text": "Look."}]})
    assert (found.format, find_active_path(found), find_breaches(found)) == (openai, (0, 1, 2), ())
    after = json.loads(apply_change(found, Change(dropped=frozenset({1, 2}))))
    assert after == {"sessionId": "s", "chatMessages": messages[:1], "timeline": [{"type": "user", "text": "Look."}]}


def lone(content, role="assistant"):
    return {"role": role, "content": content}


@pytest.mark.parametrize(
    ("call", "result"),
    [
        ({"id": "1", "name": "ls", "input": {}}, lone({"type": "tool_result", "toolUseId": "1", "content": [{"type": "text", "text": "a"}]}, "user")),
        ({"tool_id": "1", "tool_name": "ls", "input": {}}, lone({"type": "tool_result", "tool_id": "1", "output": "a"}, "tool")),
    ],
)
def test_a_content_may_be_one_block(call, result) -> None:
    found = read([lone({"type": "text", "text": "Look."}, "user"), lone({"type": "tool_use", **call}), result])
    assert found.records[0].passages == (RecordPassage("Look.", ("content", "text")),)
    assert found.records[1].calls == (RecordCall("1", "ls", {}, ("content", "input"), ()),)
    [read_result] = found.records[2].results
    assert (read_result.id, read_result.text, read_result.unit, read_result.plain) == ("1", "a", (), True)
    assert find_breaches(found) == ()
    assert [message.calls or message.answers for record in found.records[1:] for message in record.messages] == [("1",), ("1",)]
    text = apply_change(found, Change(patches={2: [ValuePatch(read_result.place, openai.make_result_value(read_result, "[cleared]"))]}))
    [cleared] = parse_transcript(text.encode(), "chat").records[2].results
    assert cleared == read_result._replace(text="[cleared]")


@given(plans)
@settings(max_examples=count_examples(50), deadline=None)
def test_single_blocks_are_read_as_lists_are(plan) -> None:
    messages = [message for message in talks.anthropic(plan) if isinstance(message["content"], list)]
    found = read([lone(block, message["role"]) for message in messages for block in message["content"]])
    calls = [id_ for said in plan for id_, _ in said.calls]
    assert [call.id for record in found.records for call in record.calls] == calls
    results = [result for record in found.records for result in record.results]
    assert [(result.id, result.text) for result in results] == [(id_, f"out of {id_}") for said in plan for id_, _ in said.results]
    assert apply_change(found, Change()) == found.text


def test_a_summary_before_a_single_block_is_one() -> None:
    [summary] = openai.make_summary("So far.", "system", "0", None, lone({"type": "text", "text": "Look."}, "user"))
    assert summary == lone({"type": "text", "text": "So far."}, "system")
    assert openai.make_summary("So far.", "system", "0", None, lone("Look.")) == (lone("So far.", "system"),)


def test_a_message_without_a_role_is_refused() -> None:
    with pytest.raises(MalformedInputError, match="line 2: not a message: it has no role"):
        parse_transcript(b'{"role":"user","content":"a"}\n{"role":"","content":"b"}\n', "chat")


def test_a_result_of_tau2_bench_has_the_id_of_its_call() -> None:
    call = {"id": "c", "name": "ls", "arguments": {}, "requestor": "assistant"}
    result = {"id": "c", "role": "tool", "content": "a", "requestor": "assistant", "turn_idx": 2}
    found = read({"messages": [{"role": "user", "content": "Go."}, {**lone(None), "tool_calls": [call]}, result]})
    assert [(record.results, record.messages[0].answers) for record in found.records[2:]] == [((RecordResult("c", "a", ("content",)),), ("c",))]
    assert find_breaches(found) == ()
    assert openai.read_content({"id": "m", "role": "tool", "content": "a"}).results[0].id == ""
