"""Looking into entries and changing copies of them."""

from ctxkit.core.chat.editor import Patch
from ctxkit.core.chat.inside import blanks, changed, held, is_hollow, listing, renaming, text_like
from ctxkit.core.chat.record import Passage, Record, Result

BLOCKS = {"content": [{"type": "text", "text": " "}, {"type": "tool_result", "tool_use_id": "a", "content": "out"}]}


def record(value, *passages, results=()):
    return Record(0, 0, 0, value, "user", passages=tuple(passages), results=tuple(results))


def test_a_copy_is_changed_and_the_value_is_not():
    assert changed(BLOCKS, [Patch(("content", 0, "text"), "new")])["content"][0]["text"] == "new"
    assert held(BLOCKS, ("content", 0, "text")) == " "


def test_an_id_is_renamed_wherever_its_unit_names_it():
    entry = {"id": "e1", "message": {"toolCallId": "a", "content": [{"id": "a"}]}}
    assert list(renaming(entry, (), "a", "a-2")) == [Patch(("message", "toolCallId"), "a-2")]
    assert list(renaming(BLOCKS, ("content", 1), "a", "a-2")) == [Patch(("content", 1, "tool_use_id"), "a-2")]
    assert list(renaming(entry, (), "a", "a")) == []


def test_elements_stand_where_a_result_or_words_do():
    assert listing(record({}, results=[Result("a", "", ("x", 3, "out"), unit=("x", 3))])) == ("x",)
    assert listing(record({}, Passage("hm", ("parts", 0, "text")))) == ("parts",)
    assert listing(record({}, Passage("hm", ("content",)))) is None


def test_text_that_says_nothing_is_found_beside_something():
    assert blanks(record(BLOCKS, Passage(" ", ("content", 0, "text")))) == [("content", 0)]
    alone = {"content": [{"type": "text", "text": ""}]}
    assert blanks(record(alone, Passage("", ("content", 0, "text")))) == []
    signed = {"parts": [{"text": "", "thoughtSignature": "s"}, {"text": "x"}]}
    assert blanks(record(signed, Passage("", ("parts", 0, "text")))) == []


def test_a_message_is_hollow_only_when_its_content_is_known_and_empty():
    assert all(map(is_hollow, ({"content": ""}, {"content": None}, {"content": []}, {"message": {"content": "\n"}})))
    assert is_hollow({"content": [{"type": "text", "text": " "}]})
    assert not any(map(is_hollow, ({}, {"content": "x"}, BLOCKS, {"words": ""}, "text", {"content": {"odd": 1}})))
    assert not is_hollow({"parts": [{"text": "", "thoughtSignature": "s"}]})


def test_text_is_written_as_its_neighbours_are():
    assert text_like({"type": "tool_result"}, "x") == {"type": "text", "text": "x"}
    assert text_like({"functionResponse": {}}, "x") == {"text": "x"}
