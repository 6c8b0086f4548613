from array import array

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.line_index import LineIndex, pack_counts
from tests.core.text.test_lines import CONTENT, chunked


@given(CONTENT, st.lists(st.integers(0, 9), max_size=9))
def test_marks_do_not_depend_on_how_content_is_chunked(data, sizes: list[int]) -> None:
    whole, pieces = LineIndex(), LineIndex()
    whole.update(data)
    for chunk in chunked(data, sizes):
        pieces.update(chunk)
    assert (pieces.total, pieces.size, pieces.newline_counts) == (whole.total, whole.size, whole.newline_counts)


def test_counts_are_packed_as_an_array_has_them() -> None:
    counts = [0, 1, 2**40]
    assert array("Q", pack_counts(counts)).tolist() == counts
