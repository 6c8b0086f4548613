import re

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.matches import iterate_matches


@given(st.text("abcdxy ", max_size=200), st.integers(1, 40))
def test_matches_are_the_same_in_pieces_of_any_size(text: str, piece: int) -> None:
    data = text.encode()
    pattern = re.compile(rb"a[bc]{0,3}d(?=[^d])|\bx{1,4}(?=y)")
    matches = iterate_matches(pattern, lambda at, size: data[at : at + size], len(data), 8, piece=piece)
    spans = [(base + match.start(), base + match.end()) for base, match in matches]
    assert spans == [match.span() for match in pattern.finditer(data)]
