"""Values are found in the text of JSON, and written as JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.editing.json_patches import dump_json, find_span

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
