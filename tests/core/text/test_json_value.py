"""Values that are too large to hold say how large they are."""

import json

from ctxkit.core.text.json_value import LargeArray, LargeObject, LargeString


def test_a_large_string_has_the_length_of_the_whole_and_the_text_of_its_beginning() -> None:
    text = LargeString.make("abc", 5_000_000)
    assert (len(text), text == "abc", text[:2], f"{text}") == (5_000_000, True, "ab", "abc")
    assert isinstance(text, str)


def test_a_large_object_and_a_large_array_have_the_number_of_all_members() -> None:
    members, elements = LargeObject(a=1, b=2), LargeArray([1, 2, 3])
    assert (len(members), len(elements)) == (0, 0)
    members.length, elements.length = 70_000, 90_000
    assert (len(members), len(elements)) == (70_000, 90_000)
    assert (list(members), list(elements)) == (["a", "b"], [1, 2, 3])
    assert (members["b"], elements[2]) == (2, 3)


def test_sizes_belong_to_the_value_and_not_to_its_type() -> None:
    first, second = LargeObject(a=1), LargeObject(b=2)
    first.length = 9
    assert len(second) == 0
    assert json.dumps(LargeString.make("x", 9)) == '"x"'
