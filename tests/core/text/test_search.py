"""The common beginning of two texts has the length that a walk over them finds."""

import re
from itertools import takewhile

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.search import find_largest, iterate_matches, measure_common_prefix

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


texts = st.text(st.sampled_from("ab\n"), max_size=30)


@given(texts, texts, texts)
def test_a_walk_over_both_texts_finds_the_same_length(start: str, first: str, second: str) -> None:
    pairs = zip(start + first, start + second, strict=False)
    assert measure_common_prefix(start + first, start + second) == sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def test_equal_texts_have_all_in_common() -> None:
    assert measure_common_prefix("abc", "abc") == 3
    assert measure_common_prefix("abc", "abcd") == 3
    assert measure_common_prefix("", "a") == 0


@given(st.text("abcdxy ", max_size=200), st.integers(1, 40))
def test_matches_are_the_same_in_pieces_of_any_size(text: str, piece: int) -> None:
    data = text.encode()
    pattern = re.compile(rb"a[bc]{0,3}d(?=[^d])|\bx{1,4}(?=y)")
    matches = iterate_matches(pattern, lambda at, size: data[at : at + size], len(data), 8, piece=piece)
    spans = [(base + match.start(), base + match.end()) for base, match in matches]
    assert spans == [match.span() for match in pattern.finditer(data)]
