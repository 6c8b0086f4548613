"""A value has the shape that is written as it looks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.json_shape import ABSENT, ANY, SAMPLE_ELEMENTS, Prefix, has_shape

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
