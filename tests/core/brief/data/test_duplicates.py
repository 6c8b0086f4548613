from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.data.duplicates import MAX_REPEATS, DuplicateTracker


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
