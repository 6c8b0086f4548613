import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.data.schema import Schema, make_unplaced_entry
from ctxkit.core.brief.data.shape import DataShape
from ctxkit.core.brief.data.shape_learner import ShapeLearner
from ctxkit.core.text.json_indexer import JsonCursor, build_json_index


def describe(shape: DataShape) -> list[str]:
    return [entry.label for entry in Schema(shape).build_entries(500, make_unplaced_entry)[0]]


def learn(value, window: int) -> list[str]:
    data = json.dumps(value).encode()
    learner = ShapeLearner(lambda at, size: data[at : at + size])
    cursor = JsonCursor(lambda at, size: data[at : at + size], len(data), window=window, large=60)
    build_json_index(cursor, len(data), 0, learner, step=40)
    return describe(learner.shape)


def learn_whole(value) -> list[str]:
    shape = DataShape(False)
    shape.add([value], [0])
    return describe(shape)


@pytest.mark.parametrize(
    "value",
    [
        {f"k{at}": {"a": at, "b": ["x"] * 9} for at in range(30)},
        {f"k{at}": {"a": at, "b": ["x"] * 9} for at in range(24)},
        {**{f"k{at}": {"a": at} for at in range(40)}, "last": "a string"},
        [{"a": [1] * 40}, {"b": "x" * 90, "a": [2] * 50}, {"a": None}],
        [[[["deep", list(range(60))]]]],
    ],
)
@pytest.mark.parametrize("window", [16, 1_000])
def test_the_shape_equals_that_of_the_whole_value(value, window: int) -> None:
    assert learn(value, window) == learn_whole(value)


@given(st.lists(st.dictionaries(st.sampled_from("abcde"), st.lists(st.integers(0, 9), max_size=30)), min_size=1))
def test_the_shape_does_not_depend_on_the_window(value) -> None:
    assert learn(value, 16) == learn(value, 500) == learn_whole(value)


def test_ids_of_several_large_objects_are_data() -> None:
    value = [{f"id-{at}-{row}": {"v": [at] * 20} for at in range(40)} for row in range(3)]
    assert '[]: object with 120 keys alike ("id-0-0", "id-1-0", "id-2-0", +117 more)' in learn(value, 16)
