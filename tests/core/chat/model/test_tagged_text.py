"""Calls and results between tags in the text of a message."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.tagged_text import find_tagged, parse_call, parse_response


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
