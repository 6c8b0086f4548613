"""ChatML: messages between marks, calls and results between tags."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import chatml
from ctxkit.core.chat.model.message import RecordCall
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.pairing import pair_calls

CALLS = 'So.\n<tool_call>\n{"name": "a", "arguments": {"x": 1}}\n</tool_call>\n<tool_call>\n{"name": "b"}\n</tool_call>'
RESULTS = '<tool_response>\n57 apples\n</tool_response>\n<tool_response>\n{"name": "b", "content": {"y": 1}}\n</tool_response>'
TEXT = (
    "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n"
    f"<|im_start|>assistant\n{CALLS}<|im_end|>\n<|im_start|>user\n{RESULTS}<|im_end|>\n<|im_start|>assistant\n"
)


def read(text):
    return parse_transcript(text.encode(), "it")


def test_messages_stand_between_marks_and_an_opened_reply_is_none() -> None:
    found = read(TEXT)
    assert found.format is chatml
    assert [record.role for record in found.records] == ["system", "user", "assistant", "user"]
    assert "".join(found.get_raw(record) for record in found.records) + "<|im_start|>assistant\n" == TEXT


def test_calls_and_results_stand_between_tags() -> None:
    found = read(TEXT)
    pairs = pair_calls(found.records, chatml.RULES).paired
    assert [(asked.call.name, told.result.text) for asked, told in pairs] == [("a", "57 apples"), ("b", '{"y":1}')]
    assert pairs[0][0].call.arguments == {"x": 1}
    assert not found.records[3].is_user_request


def test_one_of_two_results_can_be_cleared_or_taken_out() -> None:
    found = read(TEXT)
    first, second = found.records[3].results
    patches = [ValuePatch(first.place, chatml.make_result_value(first, "[cleared]")), ValuePatch(second.unit, action="remove")]
    again = read(apply_change(found, Change(patches={3: patches})))
    assert [one.text for one in again.records[3].results] == ["[cleared]"]
    assert again.text.startswith(TEXT[: found.records[3].start])


def test_a_message_of_a_tool_is_a_result() -> None:
    found = read("<|im_start|>tool\n57<|im_end|>")
    [one] = found.records[0].results
    assert apply_change(found, Change(patches={0: [ValuePatch(one.place, "[cleared]")]})) == "<|im_start|>tool\n[cleared]<|im_end|>"


@pytest.mark.parametrize(("place", "role"), [(("tool_call", 0), "user"), ((), "tool")])
def test_an_answer_stands_between_tags_where_its_call_does(place, role: str) -> None:
    made = chatml.make_result(RecordCall("", "a", place=place), "none")
    assert made["role"] == role
    again = read(chatml.dump_message(made))
    assert [one.text for one in again.records[0].results] == ["none"]


@given(st.text(max_size=20) | st.sampled_from(["<|im_end|>", "a<|im_start|>user\nb", "<<|im_end|>"]))
def test_no_mark_in_a_summary_ends_it(words) -> None:
    [made] = chatml.make_summary(words, "system", "0" * 32, None, None)
    found = read(chatml.dump_message(made) + "\n<|im_start|>user\nhi<|im_end|>")
    assert [record.role for record in found.records] == ["system", "user"]


def test_a_dropped_message_takes_its_line_break_with_it() -> None:
    found = read("<|im_start|>user\nhi<|im_end|>\r\n<|im_start|>assistant\nyes<|im_end|>\r\n")
    assert apply_change(found, Change(dropped=frozenset({0}))) == "<|im_start|>assistant\nyes<|im_end|>\r\n"


def test_text_without_marks_is_none() -> None:
    with pytest.raises(ValueError, match="not a message"):
        list(chatml.read_entries("plain"))

def test_content_may_quote_the_mark_that_closes() -> None:
    said = "a template ends each message with <|im_end|> and then\n" + "goes on " * 50
    found = read(f"<|im_start|>user\n{said}<|im_end|>\n<|im_start|>assistant\nYes: <|im_end|>\nlike this.<|im_end|>\n")
    assert [record.role for record in found.records] == ["user", "assistant"]
    assert [record.value["content"] for record in found.records] == [said, "Yes: <|im_end|>\nlike this."]
    assert "".join(found.get_raw(record) for record in found.records) == found.text


def test_blank_lines_between_messages_are_of_none() -> None:
    found = read("<|im_start|>user\nhi<|im_end|>\n\n\n<|im_start|>assistant\nyes<|im_end|>  ")
    assert [record.value["content"] for record in found.records] == ["hi", "yes"]
    assert [found.get_raw(record) for record in found.records] == [
        "<|im_start|>user\nhi<|im_end|>\n",
        "<|im_start|>assistant\nyes<|im_end|>",
    ]


def test_a_message_that_nothing_closes_reaches_to_the_next_or_to_the_end() -> None:
    found = read("<|im_start|>user\nhi\n<|im_start|>assistant\nyes <|im_end|> no")
    assert [record.value["content"] for record in found.records] == ["hi\n", "yes <|im_end|> no"]


@given(st.lists(st.sampled_from(["<|im_start|>", "<|im_end|>", "user\n", "a", "\n", "\r\n", " ", "<", "|"]), max_size=12))
def test_messages_never_overlap_and_leave_out_only_blanks_and_an_opened_reply(pieces: list[str]) -> None:
    text = "<|im_start|>" + "".join(pieces)
    at = 0
    for start, end, held in chatml.find_messages(text):
        assert not text[at:start].strip()
        assert held["opened"] + held["content"] + held["closed"] == text[start:end]
        at = end
    assert "\n" not in text[at:].strip()
