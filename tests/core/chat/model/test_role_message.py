"""Messages with a role: their parts, their calls, and the calls that they answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.message import MessagePart
from ctxkit.core.chat.model.role_message import (
    find_tagged,
    is_message,
    is_message_list,
    parse_call,
    parse_response,
    read_message,
)

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
