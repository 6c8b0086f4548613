from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.bisection import find_largest

SMALL = st.integers(-5, 200)


@given(SMALL, SMALL, SMALL)
def test_the_largest_that_fits_is_found(least, most, room) -> None:
    fitting = [size for size in range(least, most + 1) if size <= room]
    assert find_largest(least, most, lambda size: size, lambda made: made <= room) == (max(fitting) if fitting else None)


@given(st.integers(0, 100), st.sets(st.integers(0, 100)))
def test_what_is_returned_fits_even_where_larger_is_not_always_more(most: int, fitting) -> None:
    found = find_largest(0, most, lambda size: size, lambda made: made in fitting)
    assert found is None or found in fitting


def test_what_was_made_for_the_size_is_returned() -> None:
    assert find_largest(1, 9, lambda size: "x" * size, lambda made: len(made) <= 4) == "xxxx"
