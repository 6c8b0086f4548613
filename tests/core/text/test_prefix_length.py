"""The common beginning of two texts has the length that a walk over them finds."""

from itertools import takewhile

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.prefix_length import measure_common_prefix

texts = st.text(st.sampled_from("ab\n"), max_size=30)


@given(texts, texts, texts)
def test_a_walk_over_both_texts_finds_the_same_length(start: str, first: str, second: str) -> None:
    pairs = zip(start + first, start + second, strict=False)
    assert measure_common_prefix(start + first, start + second) == sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def test_equal_texts_have_all_in_common() -> None:
    assert measure_common_prefix("abc", "abc") == 3
    assert measure_common_prefix("abc", "abcd") == 3
    assert measure_common_prefix("", "a") == 0
