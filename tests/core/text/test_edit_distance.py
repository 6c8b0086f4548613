import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.edit_distance import is_within_edits

WORDS = st.text("ab", max_size=6)


@pytest.mark.parametrize(
    ("first", "second", "edits"),
    [("redact", "redact", 0), ("redcat", "redact", 2), ("redac", "redact", 1), ("strikt", "strict", 1), ("each", "check", 4), ("", "abc", 3)],
)  # fmt: skip
def test_letters_that_differ_are_counted(first: str, second: str, edits: int) -> None:
    assert is_within_edits(first, second, edits)
    assert not is_within_edits(first, second, edits - 1)


@given(WORDS, WORDS, st.sampled_from("ab"))
def test_a_letter_more_is_an_edit_more_at_most(first: str, second: str, letter: str) -> None:
    edits = next(number for number in range(13) if is_within_edits(first, second, number))
    assert is_within_edits(second, first, edits)
    assert is_within_edits(first + letter, second, edits + 1)
