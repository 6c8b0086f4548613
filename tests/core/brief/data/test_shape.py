import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.data.columns import NumberColumn, StringColumn
from ctxkit.core.brief.data.schema import Schema, make_unplaced_entry
from ctxkit.core.brief.data.shape import MAX_DEPTH, MAX_KEYS, DataShape, ShapeLearner
from ctxkit.core.text.json_indexer import JsonCursor, build_json_index


def shape_of(values, rows=None):
    shape = DataShape(True)
    shape.add(values, rows or range(1, len(values) + 1))
    return shape


def test_values_are_counted_by_type_with_the_row_of_the_first() -> None:
    shape = shape_of([1, 2, "x", None, 2.5])
    counts = {name: (column.count, column.first) for name, column in shape.columns.items()}
    assert counts == {"number": (3, 1), "string": (1, 3), "null": (1, 4)}


def test_true_is_a_boolean_and_never_a_number() -> None:
    assert set(shape_of([True, 1]).columns) == {"boolean", "number"}


def test_a_key_knows_how_many_rows_have_it_and_the_first_that_lacks_it() -> None:
    key = shape_of([{"a": 1, "b": 1}, {"b": 2}, {"a": 3, "b": 3}]).keys["a"]
    assert (key.count, key.first, key.first_lacking) == (2, 1, 2)


def test_a_key_first_seen_in_a_later_batch_is_lacking_from_the_first_row() -> None:
    shape = shape_of([{"a": 1}, {"a": 2}])
    shape.add([{"a": 3, "b": 1}], [3])
    assert (shape.keys["b"].first, shape.keys["b"].first_lacking) == (3, 1)


def test_a_key_not_seen_in_a_later_batch_is_lacking_from_there() -> None:
    shape = shape_of([{"a": 1}, {"a": 2}])
    shape.add([{"b": 1}], [3])
    assert shape.keys["a"].first_lacking == 3


def test_elements_of_arrays_in_rows_keep_the_row() -> None:
    items = shape_of([{"t": [1]}, {"t": []}, {"t": [2, "x"]}]).keys["t"].items
    assert (items.count, items.columns["string"].first) == (3, 3)


def test_above_the_outermost_array_its_elements_are_the_rows() -> None:
    shape = DataShape(False)
    shape.add([{"items": [{"id": 5}, {"id": "six"}]}], [0])
    key = shape.keys["items"].items.keys["id"]
    assert key.has_rows
    assert key.columns["string"].first == 1


def test_many_like_values_of_one_object_are_taken_as_a_table() -> None:
    shape = DataShape(False)
    shape.add([{f"package{i}": {"version": "1"} for i in range(30)}], [0])
    assert not shape.keys
    assert len(shape.data_keys) == 30
    assert shape.others.keys["version"].count == 30


def test_many_unlike_values_of_one_object_are_its_fields() -> None:
    shape = DataShape(False)
    shape.add([{f"field{i}": i if i % 2 else "x" for i in range(30)}], [0])
    assert len(shape.keys) == 30


def test_keys_past_the_limit_are_folded_and_counted() -> None:
    shape = DataShape(False)
    shape.add([{f"k{i}": i if i % 2 else "x" for i in range(MAX_KEYS + 10)}], [0])
    assert (len(shape.keys), len(shape.data_keys), shape.others.count) == (MAX_KEYS, 10, 10)


def test_levels_past_the_limit_are_not_entered() -> None:
    value: object = 1
    for _ in range(MAX_DEPTH * 2):
        value = [value]
    shape = shape_of([value])
    depth = 0
    while shape.items:
        shape, depth = shape.items, depth + 1
    assert depth == MAX_DEPTH
    assert shape.has_deeper


def test_batches_add_up_to_the_same_as_one() -> None:
    rows = [{"a": i, "b": "x" * (i % 7)} for i in range(100)]
    whole, parts = shape_of(rows), DataShape(True)
    for start in range(0, 100, 9):
        parts.add(rows[start : start + 9], range(start + 1, min(start + 9, 100) + 1))
    for key in "ab":
        assert whole.keys[key].columns.keys() == parts.keys[key].columns.keys()
    one, other = whole.keys["a"].columns["number"], parts.keys["a"].columns["number"]
    assert isinstance(one, NumberColumn)
    assert (one.lowest, one.highest) == (other.lowest, other.highest)  # type: ignore[attr-defined]


def test_numbers_know_their_ends_and_rows() -> None:
    numbers = NumberColumn(1)
    numbers.add([5, 1, 9, 9], [1, 2, 3, 4])
    assert numbers.lowest[0] == (1, 2)
    assert numbers.highest[0] == (9, 3)


def test_what_is_not_finite_is_counted_and_left_out_of_the_range() -> None:
    numbers = NumberColumn(1)
    numbers.add([float("nan"), 1.0, float("inf")], [1, 2, 3])
    assert (numbers.not_finite, numbers.count, numbers.highest[0][0]) == ((2, 1), 3, 1.0)


def test_a_column_of_many_different_values_is_no_enumeration() -> None:
    strings = StringColumn(1)
    strings.add([str(i) for i in range(1_000)], range(1_000))
    assert strings.seen is None


def test_a_column_with_a_long_string_is_no_enumeration() -> None:
    strings = StringColumn(1)
    strings.add(["a", "b" * 81], [1, 2])
    assert strings.seen is None


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
