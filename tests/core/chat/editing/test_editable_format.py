"""What each format must offer to editors."""

import pytest

from ctxkit.core.chat.editing import editable_format
from ctxkit.core.chat.editing.editable_format import ApiRules, ConversationFormat, EditableFormat, find_copies
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
    assert editable_format.attach_entry(entry, "key", "parent", {"role": "user"}) is entry
    assert editable_format.patch_parent(entry, "parent") == ()
    assert editable_format.make_id("key") == ""


def test_formats_without_a_tree_use_these_methods() -> None:
    for name in ("openai", "anthropic", "gemini", "responses"):
        assert get_format(name).make_id is editable_format.make_id


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
