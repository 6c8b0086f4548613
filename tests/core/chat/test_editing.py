"""What each format must offer to editors."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat import editing
from ctxkit.core.chat.editing import (
    ApiRules,
    ConversationFormat,
    EditableFormat,
    ValuePatch,
    dump_json,
    find_copies,
    find_span,
    patch_text,
    splice_text,
)
from ctxkit.core.chat.model.message import Place
from ctxkit.core.chat.reading.format_names import FORMAT_NAMES
from ctxkit.core.chat.reading.format_registry import get_format

MEMBERS = sorted(name for protocol in (ConversationFormat, EditableFormat) for name in vars(protocol) if not name.startswith("_"))


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_every_format_has_all_members(name) -> None:
    editor = get_format(name)
    assert [member for member in MEMBERS if not hasattr(editor, member)] == []
    assert name == editor.NAME
    assert isinstance(editor.RULES, ApiRules)


def test_the_rules_of_the_providers() -> None:
    assert get_format("anthropic").RULES.layout == "next"
    assert get_format("openai").RULES.layout == "near"
    assert get_format("responses").RULES.layout == "any"
    assert get_format("anthropic").RULES.roles_alternate
    assert not get_format("openai").RULES.roles_alternate


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_a_format_says_who_receives_it_and_whether_it_branches(name) -> None:
    reader = get_format(name)
    assert isinstance(reader.LINEAR, bool)
    assert reader.PROVIDER in ("", "openai", "anthropic", "gemini", "google")
    for value in (None, 1, "text", [], {}, {"a": 1}):
        assert not reader.is_format_of(value)


def test_an_entry_stays_as_it_is() -> None:
    entry = {"role": "user", "content": "a"}
    assert editing.attach_entry(entry, "key", "parent", {"role": "user"}) is entry
    assert editing.patch_parent(entry, "parent") == ()
    assert editing.make_id("key") == ""


def test_formats_without_a_tree_use_these_methods() -> None:
    for name in ("openai", "anthropic", "gemini", "responses"):
        assert get_format(name).make_id is editing.make_id


TEXT = "\n".join(f"line {at} of the output" for at in range(9))
NUMBERED = "\n".join(f"{at:6}→line {at} of the output" for at in range(9))


def found(value, text=TEXT):
    return find_copies(value, text, ("kept",))


def test_the_same_a_part_and_a_whole_are_copies() -> None:
    assert found(TEXT) == (("kept",),)
    assert found({"stdout": f"{TEXT}\n", "stderr": ""}) == (("kept", "stdout"),)
    assert found({"content": [{"type": "text", "text": TEXT[:100]}]}) == (("kept", "content", 0, "text"),)
    assert found({"output": f"{TEXT}\nand what was cut"}) == (("kept", "output"),)


def test_a_file_is_a_copy_of_its_numbered_lines() -> None:
    assert found({"type": "text", "file": {"content": TEXT, "filePath": "/a"}}, NUMBERED) == (("kept", "file", "content"),)


def test_short_texts_and_others_are_no_copies() -> None:
    assert found({"status": "ok", "path": "line 1 of the output"}) == ()
    assert found({"original": "\n".join(f"something else {at}" for at in range(9))}) == ()
    assert found({"stdout": "ok"}, "ok") == ()
    assert found(None) == ()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.data(), st.sampled_from([None, 0, 2]))
def test_every_value_is_found(value, data: st.DataObject, indent: int | None) -> None:
    place = []
    inside = value
    while inside and isinstance(inside, (dict, list)) and data.draw(st.booleans()):
        place.append(data.draw(st.sampled_from(list(inside) if isinstance(inside, dict) else range(len(inside)))))
        inside = inside[place[-1]]
    text = f" {json.dumps(value, indent=indent)}"
    start, end = find_span(text, 1, tuple(place))
    assert json.loads(text[start:end]) == inside


@pytest.mark.parametrize("place", [("b",), (0,), ("a", "x"), ("a", 2), ("a", 0, "x")])
def test_a_place_that_is_not_there_is_said(place) -> None:
    with pytest.raises(KeyError):
        find_span('{"a": [1, 2]}', 0, place)


def test_of_members_with_one_name_the_last_is_found() -> None:
    assert find_span('{"a": 1, "a": 2}', 0, ("a",)) == (14, 15)


@given(VALUES)
def test_what_is_written_is_read_back(value) -> None:
    text = dump_json(value)
    assert json.loads(text) == value
    assert "\n" not in text
    text.encode()


def test_text_that_is_no_unicode_is_escaped() -> None:
    assert dump_json({"a": "é"}) == '{"a":"é"}'
    assert dump_json({"a": "é\udcff"}) == '{"a":"\\u00e9\\udcff"}'


FORMS = [
    lambda value: json.dumps(value),
    lambda value: json.dumps(value, ensure_ascii=False),
    lambda value: json.dumps(value, separators=(",", ":")),
    lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":")),
    lambda value: json.dumps(value, indent=1),
    lambda value: json.dumps(value).replace("/", "\\/"),
]
TEXTS = st.sampled_from(["", "a", "\\", '": ', "\x7f", "a/b", "\t", "\u00e9", "\ud800"]) | st.text(max_size=3)


@given(
    st.recursive(TEXTS | st.integers() | st.floats() | st.none(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8),
    st.sampled_from(FORMS),
    st.data(),
)
def test_a_text_is_replaced_in_the_same_way_by_either_method(value, form, data: st.DataObject) -> None:
    texts: list[Place] = []

    def collect(inner, place: Place) -> None:
        if isinstance(inner, str):
            texts.append(place)
        for key, member in inner.items() if isinstance(inner, dict) else enumerate(inner if isinstance(inner, list) else []):
            collect(member, (*place, key))

    collect(value, ())
    if not texts or () in texts:
        return
    places = data.draw(st.lists(st.sampled_from(texts), min_size=1, max_size=2, unique=True))
    patches = [ValuePatch(place, data.draw(TEXTS)) for place in places]
    text = f" {form(value)} "
    assert patch_text(text, 1, patches) == splice_text(text, 1, patches)


@pytest.mark.parametrize("raw", ['{"a": "b", "a": "c"}', '{"a": "b", "n": 1.10}', '{"a": "b", "n": 1e5}', '{"a" :"b"}', '{"a": "\\u0062"}'])
def test_what_the_encoder_writes_in_another_way_keeps_its_characters(raw: str) -> None:
    head, value, tail = raw.rpartition("c" if '"c"' in raw else "\\u0062" if "u0062" in raw else "b")
    assert patch_text(raw, 0, [ValuePatch(("a",), "x")]) == f"{head}x{tail}"
    assert value


def test_a_text_that_is_not_there_is_added_or_an_error() -> None:
    assert patch_text('{"a": "b"}', 0, [ValuePatch(("c",), "x")]) == '{"a": "b","c":"x"}'
    with pytest.raises(KeyError):
        patch_text('{"a": "b"}', 0, [ValuePatch(("a", "c"), "x")])
    with pytest.raises(KeyError):
        patch_text('["a"]', 0, [ValuePatch((3,), "x")])
