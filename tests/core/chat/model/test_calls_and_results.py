"""Calls, results and words are found where they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.calls_and_results import (
    find_calls,
    find_passages,
    find_results,
    find_tagged,
    has_leading_reasoning,
    is_encrypted,
    is_message,
    is_message_list,
    is_plain_text,
    parse_arguments,
    parse_call,
    parse_response,
    read_message,
    read_result_text,
    read_toolset,
)
from ctxkit.core.chat.model.message import MessagePart, RecordCall, RecordPassage, RecordResult

PLACE = ("message", "content")


def test_calls() -> None:
    content = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "1", "name": "ls", "input": {"a": 1}},
        {"type": "server_tool_use", "id": "2", "name": "web_search", "input": {"q": "x"}},
        {"type": "toolCall", "id": "3", "name": "cat", "arguments": {}},
        {"type": "tool-call", "toolCallId": "4", "toolName": "rm", "args": {"b": 2}},
        {"type": "tool_use", "id": "5", "name": "none"},
    ]
    assert list(find_calls(content, PLACE)) == [
        RecordCall("1", "ls", {"a": 1}, (*PLACE, 1, "input"), (*PLACE, 1)),
        RecordCall("2", "web_search", {"q": "x"}, (*PLACE, 2, "input"), (*PLACE, 2), needs_no_result=True),
        RecordCall("3", "cat", {}, (*PLACE, 3, "arguments"), (*PLACE, 3)),
        RecordCall("4", "rm", {"b": 2}, (*PLACE, 4, "args"), (*PLACE, 4)),
        RecordCall("5", "none", "", (*PLACE, 5, "input"), (*PLACE, 5)),
    ]
    assert list(find_calls("words", PLACE)) == []


def test_results() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "AA=="}}
    content = [
        {"type": "tool_result", "tool_use_id": "1", "content": "ok"},
        {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "a"}, image], "is_error": True},
        {"type": "tool_result", "tool_use_id": "3"},
        {"type": "tool-result", "toolCallId": "4", "toolName": "ls", "output": {"type": "text", "value": "b"}},
        {"type": "web_search_tool_result", "tool_use_id": "5", "content": []},
    ]
    assert list(find_results(content, PLACE)) == [
        RecordResult("1", "ok", (*PLACE, 0, "content"), unit=(*PLACE, 0)),
        RecordResult("2", "a", (*PLACE, 1, "content"), failed=True, plain=False, unit=(*PLACE, 1)),
        RecordResult("3", "", (*PLACE, 2, "content"), unit=(*PLACE, 2)),
        RecordResult("4", "b", (*PLACE, 3, "output"), "ls", unit=(*PLACE, 3)),
    ]


def test_passages() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "b"}, "c", {"text": "d"}, {"type": "text"}]
    assert list(find_passages(blocks, PLACE)) == [RecordPassage("a", (*PLACE, 0, "text")), RecordPassage("d", (*PLACE, 3, "text"))]
    assert list(find_passages("a", PLACE)) == [RecordPassage("a", PLACE)]
    assert list(find_passages(None, PLACE)) == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *(({"a": 1}, {"a": 1}), (' {"a": 1}\n', {"a": 1}), ('{"a": 1', '{"a": 1'), ("", ""), ("[1]", "[1]"), (None, "")),
        *(('{"a": 1} x', '{"a": 1} x'), ([1], "[1]"), ("[" * 100_000, "[" * 100_000)),
    ],
)
def test_arguments_are_a_mapping_where_they_are_json(written, meant) -> None:
    assert parse_arguments(written) == meant


def test_what_is_said_and_whether_it_is_all() -> None:
    assert read_result_text([{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}]) == "a\nb"
    assert read_result_text({"type": "text", "text": "a"}) == "a"
    assert [is_plain_text(one) for one in (None, "a", [], ["a"], [{"type": "text", "text": "a"}])] == [True] * 5
    assert [is_plain_text(one) for one in ({}, [{"type": "image"}], 7)] == [False] * 3


def test_reasoning_and_what_is_sealed() -> None:
    thought, words = {"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "a"}
    assert has_leading_reasoning([thought, words])
    assert has_leading_reasoning([{"type": "redacted_thinking", "data": "x"}])
    assert not has_leading_reasoning([words, thought])
    assert not has_leading_reasoning("a")
    assert is_encrypted([words, {"type": "compaction", "content": "x"}])
    assert not is_encrypted([thought, words])


SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}


@pytest.mark.parametrize(
    "request_",
    [
        {"tools": [{"type": "function", "function": {"name": "ls", "description": "List.", "parameters": SCHEMA}}]},
        {"tools": [{"type": "function", "name": "ls", "description": "List.", "parameters": SCHEMA}]},
        {"tools": [{"name": "ls", "description": "List.", "input_schema": SCHEMA}]},
        {"tools": [{"functionDeclarations": [{"name": "ls", "description": "List.", "parameters": SCHEMA}]}]},
        {"tools": [{"name": "ls", "description": "List.", "inputSchema": SCHEMA}]},
        {"functions": [{"name": "ls", "description": "List.", "parameters": SCHEMA}]},
    ],
)
def test_definitions_are_read(request_) -> None:
    found = read_toolset(request_)
    assert found is not None
    assert [(tool.name, tool.description, tool.schema) for tool in found.tools] == [("ls", "List.", SCHEMA)]
    assert found.choice == "auto"


def test_a_choice_is_read() -> None:
    tools = {"tools": [{"name": "ls"}]}
    assert read_toolset({**tools, "tool_choice": "none"}).choice == "none"
    assert read_toolset({**tools, "tool_choice": {"type": "any"}}).choice == "any"
    assert read_toolset({"tools": []}) is None
    assert read_toolset({"tools": "none"}) is None


@pytest.mark.parametrize(
    "request_",
    [
        {"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
        {"text": {"format": {"type": "json_schema", "schema": {"name": "x"}}}},
        {"output_format": {"type": "json_schema", "schema": {"name": "x"}}},
        {"output_config": {"format": {"schema": {"name": "x"}}}},
        {"generationConfig": {"responseSchema": {"name": "x"}}},
    ],
)
def test_the_schema_of_the_answer_is_read(request_) -> None:
    assert read_toolset(request_).answer_schema == '{"name":"x"}'


CALL = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"a": 1}'}}


@pytest.mark.parametrize(
    ("value", "known", "any_role"),
    [
        ({"role": "user", "content": "a"}, True, True),
        ({"role": "assistant", "tool_calls": []}, True, True),
        ({"role": "critic", "content": "a"}, False, True),
        ({"role": "user"}, False, False),
        ({"role": 1, "content": "a"}, False, False),
        ("user", False, False),
    ],
)
def test_a_message_has_a_role_and_a_content_or_calls(value, known: bool, any_role: bool) -> None:
    assert is_message(value) is known
    assert is_message(value, known_role=False) is any_role


def test_a_list_of_messages_begins_with_one_and_all_have_roles() -> None:
    message = {"role": "user", "content": "a"}
    assert is_message_list([message, {"role": "unknown"}])
    assert not is_message_list([message, {"content": "a"}])
    assert not is_message_list([])


def test_reasoning_text_and_calls_are_parts_in_this_order() -> None:
    message = read_message({"role": "assistant", "reasoning_content": "Hm.", "content": "I look.", "tool_calls": [CALL]})
    assert message.parts == (MessagePart("thinking", "Hm."), MessagePart("text", "I look."), MessagePart("call", '{"a": 1}', "ls"))
    assert message.calls == ("c1",)


def test_a_result_answers_the_call_of_its_id() -> None:
    message = read_message({"role": "tool", "tool_call_id": "c1", "content": "a.txt"})
    assert (message.answers, message.parts) == (("c1",), (MessagePart("result", "a.txt"),))
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "b"}
    assert read_message({"role": "user", "content": [block]}).answers == ("t1",)


def test_a_function_call_of_the_old_form_and_a_custom_call_are_calls() -> None:
    old = read_message({"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}})
    custom = read_message({"role": "assistant", "tool_calls": [{"custom": {"name": "g", "input": "x"}}]})
    assert [part.name for part in (*old.parts, *custom.parts)] == ["f", "g"]


def test_a_message_of_another_agent_is_a_message() -> None:
    assert is_message({"role": "assistant-subagent-a1", "content": "x"})
    assert not is_message({"role": "assistant-other", "content": "x"})


def test_a_refusal_is_text_of_the_answer() -> None:
    assert read_message({"role": "assistant", "content": None, "refusal": "No."}).parts == (MessagePart("text", "No."),)


def test_the_text_between_tags_is_found_without_its_blanks() -> None:
    words = 'So: <tool_call>\n{"name": "ls"}\n</tool_call> and <tool_call></tool_call>, <tool_call> torn'
    first, second = find_tagged(words, "tool_call")
    assert first.text == words[first.start : first.end] == '{"name": "ls"}'
    assert words[slice(*first.outer)] == '<tool_call>\n{"name": "ls"}\n</tool_call>'
    assert (second.text, second.start) == ("", second.end)


@given(st.text(st.sampled_from("ab \n")))
def test_what_stands_between_tags_comes_back(inner: str) -> None:
    (tagged,) = find_tagged(f"x<t>{inner}</t>y", "t")
    assert tagged.text == inner.strip()


def test_a_call_has_a_name_and_arguments() -> None:
    assert parse_call('{"name": "ls", "arguments": {"a": 1}}') == ("ls", {"a": 1})
    assert parse_call('{"name": "ls", "parameters": "{\\"a\\": 1}"}') == ("ls", {"a": 1})
    assert parse_call("no JSON")[0] == ""


def test_a_result_may_name_its_tool() -> None:
    assert parse_response('{"name": "ls", "content": {"a": 1}}') == ("ls", '{"a":1}')
    assert parse_response('{"a": 1}') == ("", '{"a": 1}')
    assert parse_response("plain") == ("", "plain")
