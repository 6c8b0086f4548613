import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxkit.core.brief.data import columns
from ctxkit.core.brief.data.columns import (
    EXTREMES,
    MAX_DISTINCT,
    MAX_ENUM_LENGTH,
    MAX_REPEATS,
    Column,
    DuplicateTracker,
    NumberColumn,
    StringColumn,
    ValueColumn,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
batches = st.lists(st.lists(st.integers(-20, 20), min_size=1, max_size=8), min_size=1, max_size=8)


def filled(column, *groups):
    """Add each group of values; the rows go on from one group to the next, from 1."""
    row = 1
    for group in groups:
        column.add(group, range(row, row + len(group)))
        row += len(group)
    return column


def test_a_column_counts_and_knows_where_it_began() -> None:
    column = filled(Column(7), [None, None], [None])
    assert (column.count, column.first) == (3, 7)


def test_every_value_has_its_count_and_the_row_of_the_first() -> None:
    assert filled(ValueColumn(1), ["a", "b", "a"], ["b", "c"]).seen == {"a": [2, 1], "b": [2, 2], "c": [1, 5]}


def test_past_so_many_different_values_they_are_no_enumeration_but_are_still_counted() -> None:
    column = filled(ValueColumn(1), range(MAX_DISTINCT))
    assert len(column.seen) == MAX_DISTINCT
    column.add([MAX_DISTINCT, 0], [201, 202])
    assert column.seen is None
    column.add([1], [203])
    assert (column.seen, column.count) == (None, MAX_DISTINCT + 3)


def test_numbers_know_both_ends_with_the_earliest_rows() -> None:
    column = filled(NumberColumn(1), [5, 1, 9], [9, 1, 3, 2, 8, 7])
    assert column.lowest == [(1, 2), (1, 5), (2, 7), (3, 6), (5, 1), (7, 9)]
    assert column.highest == [(9, 3), (9, 4), (8, 8), (7, 9), (5, 1), (3, 6)]
    assert column.is_integer


@given(batches)
def test_the_ends_do_not_depend_on_how_the_values_come(groups) -> None:
    flat = [value for group in groups for value in group]
    pairs = list(zip(flat, range(1, len(flat) + 1), strict=True))
    column = filled(NumberColumn(1), *groups)
    assert column.lowest == sorted(pairs, key=lambda pair: pair[0])[:EXTREMES]
    assert column.highest == sorted(pairs, key=lambda pair: -pair[0])[:EXTREMES]
    assert column.count == len(flat)


def test_what_is_not_finite_is_counted_and_nothing_else() -> None:
    column = filled(NumberColumn(1), [1.5, math.inf, math.nan], [-math.inf], [2.5])
    assert (column.count, column.not_finite, column.is_integer) == (5, (3, 2), False)
    assert column.lowest == [(1.5, 1), (2.5, 5)]
    assert column.seen == {1.5: [1, 1], 2.5: [1, 5]}


def test_one_fraction_makes_a_column_one_of_fractions() -> None:
    assert not filled(NumberColumn(1), [1, 2], [3.0]).is_integer


def test_integers_too_large_for_a_float_are_numbers_too() -> None:
    column = filled(NumberColumn(1), [10**400, 1], [0.5])
    assert column.highest[0] == (10**400, 1)
    assert column.lowest[0] == (0.5, 3)


@pytest.mark.parametrize(
    ("values", "quarters"),
    [([7], (7, 7, 7)), ([4, 1, 3, 2], (2, 3, 4)), (list(range(100)), (25, 50, 75))],
)
def test_the_quarters_of_few_numbers_are_those_numbers(values, quarters) -> None:
    assert filled(NumberColumn(1), values).compute_quartiles() == quarters


@given(st.lists(finite, min_size=1, max_size=50))
@example([0.0, -0.0])
def test_the_quarters_are_in_order_and_between_the_ends(values) -> None:
    column = filled(NumberColumn(1), values)
    low, middle, high = column.compute_quartiles()
    assert column.lowest[0][0] <= low <= middle <= high <= column.highest[0][0]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=60))
def test_of_many_numbers_an_even_sample_is_kept_however_they_come(sizes: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "SAMPLE", 64)
        column, total = NumberColumn(0), sum(sizes)
        start = 0
        for size in sizes:
            column.add(range(start, start + size), range(start, start + size))
            start += size
    for part, found in zip((0.25, 0.5, 0.75), column.compute_quartiles(), strict=True):
        assert abs(found - part * total) <= total / 12 + 1


def test_strings_know_their_lengths_their_order_and_an_example() -> None:
    column = filled(StringColumn(1), ["", "pear"], ["fig", "apple"])
    assert (column.low, column.high, column.example) == ("", "pear", "pear")
    assert (column.lengths.lowest[0], column.lengths.highest[0]) == ((0, 1), (5, 4))
    assert column.seen == {"": [1, 1], "pear": [1, 2], "fig": [1, 3], "apple": [1, 4]}


def test_text_is_no_enumeration() -> None:
    assert filled(StringColumn(1), ["x" * MAX_ENUM_LENGTH]).seen == {"x" * MAX_ENUM_LENGTH: [1, 1]}
    column = filled(StringColumn(1), ["a", "x" * (MAX_ENUM_LENGTH + 1)], ["b"])
    assert (column.seen, column.count) == (None, 3)


def odd(values, name="id", batch=7):
    made = DuplicateTracker()
    for at in range(0, len(values), batch):
        part = values[at : at + batch]
        made.add(part, range(at, at + len(part)))
    return list(made.find_duplicate_ids(name, min(values), max(values)))


def test_an_id_that_comes_again_is_found_with_both_rows() -> None:
    assert odd([*range(50), 7, *range(50, 60)]) == [(7, 7, 50)]
    assert odd([f"row-{at}" for at in range(40)] + ["row-3"]) == [("row-3", 3, 40)]


def test_values_of_an_enumeration_are_no_ids() -> None:
    assert odd([1] * 60) == []
    assert odd([at % 20 for at in range(60)]) == []
    assert odd([*range(50), 1, 2, 3, 4]) == []


def test_sparse_numbers_words_and_dates_are_ids_only_by_name() -> None:
    sparse = [at * 1_000 for at in range(40)] + [3_000]
    assert (odd(sparse, "size"), odd(sparse, "user_id")) == ([], [(3_000, 3, 40)])
    assert odd([f"two words {at}" for at in range(40)] + ["two words 1"], "title") == []
    assert odd([f"2026-01-{at:02}" for at in range(10, 31)] + ["2026-01-11"], "day") == []


def test_values_that_come_again_in_the_same_row_make_an_enumeration() -> None:
    made = DuplicateTracker()
    made.add(["Passed"] * 19, [0] * 19)
    made.add(["Passed", "Failed"], [1, 1])
    assert list(made.find_duplicate_ids("outcome", "Failed", "Passed")) == []


def test_without_a_name_that_says_so_nearly_all_values_differ() -> None:
    rows = [*(f"row-{at}" for at in range(30)), "row-1", "row-2"]
    assert (odd(rows, "label"), len(odd(rows, "id"))) == ([], 2)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(1, 60))
def test_batches_make_no_difference_to_what_is_found(values: list[int], batch: int) -> None:
    found = odd(values, batch=batch)
    assert len(found) <= MAX_REPEATS
    for value, first, row in found:
        assert values[first] == values[row] == value
        assert first == values.index(value) < row
