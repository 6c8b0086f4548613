"""Looking into entries and changing copies of them."""

from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.model.record import Record, RecordCall, RecordPassage, RecordResult
from ctxkit.core.chat.validity.entry_values import (
    find_blank_texts,
    find_element_list,
    get_value,
    is_empty_message,
    make_text_element,
    patch_call_ids,
    patch_ids,
    patch_value,
)

BLOCKS = {"content": [{"type": "text", "text": " "}, {"type": "tool_result", "tool_use_id": "a", "content": "out"}]}


def record(value, *passages, results=()):
    return Record(0, 0, 0, value, "user", passages=tuple(passages), results=tuple(results))


def test_a_copy_is_changed_and_the_value_is_not() -> None:
    assert patch_value(BLOCKS, [ValuePatch(("content", 0, "text"), "new")])["content"][0]["text"] == "new"
    assert get_value(BLOCKS, ("content", 0, "text")) == " "


def test_an_id_is_renamed_wherever_its_unit_names_it() -> None:
    entry = {"id": "e1", "message": {"toolCallId": "a", "content": [{"id": "a"}]}}
    assert list(patch_ids(entry, (), "a", "a-2")) == [ValuePatch(("message", "toolCallId"), "a-2")]
    assert list(patch_ids(BLOCKS, ("content", 1), "a", "a-2")) == [ValuePatch(("content", 1, "tool_use_id"), "a-2")]
    assert list(patch_ids(entry, (), "a", "a")) == []


def test_the_id_of_a_call_is_renamed_in_its_copies_too() -> None:
    message = {"tool_calls": [{"id": "a", "args": {}}], "content": [{"id": "a", "input": {}}, {"id": "a", "input": {"b": 1}}]}
    call = RecordCall("a", "ls", {}, ("tool_calls", 0, "args"), ("tool_calls", 0), copies=(("content", 0, "input"),))
    places = [patch.place for patch in patch_call_ids(message, call, "a", "a-2")]
    assert places == [("tool_calls", 0, "id"), ("content", 0, "id")]


def test_elements_stand_where_a_result_or_words_do() -> None:
    assert find_element_list(record({}, results=[RecordResult("a", "", ("x", 3, "out"), unit=("x", 3))])) == ("x",)
    assert find_element_list(record({}, RecordPassage("hm", ("parts", 0, "text")))) == ("parts",)
    assert find_element_list(record({}, RecordPassage("hm", ("content",)))) is None


def test_text_that_says_nothing_is_found_beside_something() -> None:
    assert find_blank_texts(record(BLOCKS, RecordPassage(" ", ("content", 0, "text")))) == [("content", 0)]
    alone = {"content": [{"type": "text", "text": ""}]}
    assert find_blank_texts(record(alone, RecordPassage("", ("content", 0, "text")))) == []
    signed = {"parts": [{"text": "", "thoughtSignature": "s"}, {"text": "x"}]}
    assert find_blank_texts(record(signed, RecordPassage("", ("parts", 0, "text")))) == []


def test_a_message_is_hollow_only_when_its_content_is_known_and_empty() -> None:
    assert all(map(is_empty_message, ({"content": ""}, {"content": None}, {"content": []}, {"message": {"content": "\n"}})))
    assert is_empty_message({"content": [{"type": "text", "text": " "}]})
    assert not any(map(is_empty_message, ({}, {"content": "x"}, BLOCKS, {"words": ""}, "text", {"content": {"odd": 1}})))
    assert not is_empty_message({"parts": [{"text": "", "thoughtSignature": "s"}]})


def test_text_is_written_as_its_neighbours_are() -> None:
    assert make_text_element({"type": "tool_result"}, "x") == {"type": "text", "text": "x"}
    assert make_text_element({"functionResponse": {}}, "x") == {"text": "x"}
