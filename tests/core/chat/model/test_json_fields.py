"""A member of the wrong type counts as absent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.json_fields import (
    ABSENT,
    ANY,
    SAMPLE_ELEMENTS,
    Prefix,
    dump_value,
    get_first_text,
    get_number,
    get_object,
    get_objects,
    get_text,
    has_shape,
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)


def test_a_member_of_the_right_type_is_returned() -> None:
    value = {"text": "a", "object": {"b": 1}, "list": [{"c": 1}, 2, {"d": 1}], "number": 7}
    assert get_text(value, "text") == "a"
    assert get_object(value, "object") == {"b": 1}
    assert get_objects(value, "list") == get_objects(value["list"]) == [{"c": 1}, {"d": 1}]
    assert get_number(value, "number") == 7


@given(json_values)
def test_any_other_value_has_an_empty_member(value) -> None:
    assert isinstance(get_text(value, "a"), str)
    assert isinstance(get_object(value, "a"), dict)
    assert all(isinstance(item, dict) for item in get_objects(value, "a"))
    assert get_number(value, "a") >= 0


@pytest.mark.parametrize("value", [True, -3, 1.5, "7", None])
def test_what_is_no_positive_integer_is_no_number(value) -> None:
    assert get_number({"n": value}, "n") == 0


def test_text_is_dumped_as_it_is_and_the_rest_as_compact_json() -> None:
    assert dump_value("a b") == "a b"
    assert dump_value(None) == ""
    assert dump_value({"é": [1, 2.5]}) == '{"é":[1,2.5]}'


def test_the_first_text_that_is_not_empty() -> None:
    assert get_first_text({"a": "", "b": 7, "c": "x", "d": "y"}, ("a", "b", "c", "d")) == "x"
    assert get_first_text({"a": ""}, ("a", "b")) == ""


SHAPES = [
    ({"a": ANY}, [{"a": None}, {"a": 1, "b": 2}], [{}, {"b": 1}, [], None, "a"]),
    ({"a": ABSENT, "b": ANY}, [{"b": 1}], [{"a": None, "b": 1}, {}]),
    ({"a": str}, [{"a": ""}], [{"a": 1}, {"a": None}, {}]),
    ({"a": int}, [{"a": 0}], [{"a": True}, {"a": 1.5}, {"a": "1"}]),
    ({"a": bool}, [{"a": False}], [{"a": 0}]),
    ({"a": 1}, [{"a": 1}], [{"a": True}, {"a": 1.0}, {"a": 2}]),
    ({"a": "x"}, [{"a": "x"}], [{"a": "xy"}, {"a": ["x"]}]),
    ({"a": Prefix("x_")}, [{"a": "x_"}, {"a": "x_y"}], [{"a": "x"}, {"a": ["x_"]}, {"a": 7}]),
    ({"a": ("x", "y", 3)}, [{"a": "x"}, {"a": "y"}, {"a": 3}], [{"a": "z"}, {"a": ["x"]}]),
    ({"a": [{"b": str}]}, [{"a": [1, {"b": ""}]}], [{"a": []}, {"a": {"b": ""}}, {"a": [{"b": 1}]}]),
    ([str], [["x"], [1, "x"]], [[], "x", [1]]),
]


@pytest.mark.parametrize(("shape", "values", "others"), SHAPES)
def test_values_have_the_shape_or_not(shape, values, others) -> None:
    assert all(has_shape(value, shape) for value in values)
    assert not any(has_shape(value, shape) for value in others)


@given(st.integers(0, 2 * SAMPLE_ELEMENTS))
def test_only_the_first_elements_of_a_list_count(at: int) -> None:
    assert has_shape([None] * at + ["x"], [str]) == (at < SAMPLE_ELEMENTS)
