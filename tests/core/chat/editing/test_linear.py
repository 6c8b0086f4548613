"""Entries of a list have no ids and no parents."""

from ctxkit.core.chat.editing import linear
from ctxkit.core.chat.reading.format_registry import get_format


def test_an_entry_stays_as_it_is() -> None:
    entry = {"role": "user", "content": "a"}
    assert linear.attach_entry(entry, "key", "parent", {"role": "user"}) is entry
    assert linear.patch_parent(entry, "parent") == ()
    assert linear.make_id("key") == ""


def test_formats_without_a_tree_use_these_methods() -> None:
    for name in ("openai", "anthropic", "gemini", "responses"):
        assert get_format(name).make_id is linear.make_id
