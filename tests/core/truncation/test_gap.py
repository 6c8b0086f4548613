"""The line that names a gap, written and read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.truncation.gap import Gap, find_earlier_gap, format_markers

HINT = Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "/cache/3f", "log")


def test_the_longest_line_comes_first() -> None:
    assert [line.decode() for line in format_markers(Gap("lines", 1, 3000, 5000), HINT)] == [
        "[lines 1-3,000 of 5,000 are not shown. To read a part: ctxkit cache get 3f9a2c81d0b4 --lines 1:120 "
        "(or: sed -n '1,120p' /cache/3f)]\n",
        "[lines 1-3,000 of 5,000 are not shown. To read a part: ctxkit cache get 3f9a2c81d0b4 --lines 1:120]\n",
        "[lines 1-3,000 of 5,000 are not shown]\n",
    ]


def test_content_that_is_not_stored_says_so() -> None:
    assert next(format_markers(Gap("lines", 2, 3, 4), None)) == b"[lines 2-3 of 4 are not shown and not stored]\n"


def test_text_in_another_encoding_is_read_by_its_own_bytes() -> None:
    line = next(format_markers(Gap("bytes", 1, 90, 100, source_size=200), HINT)).decode()
    assert line.startswith("[bytes 1-90 of 100 of the text as UTF-8 are not shown. ")
    assert line.endswith("--bytes 1:200]\n")


@given(st.integers(0, 20), st.integers(1, 10**9), st.integers(0, 20), st.sampled_from([HINT, None]))
def test_a_line_that_was_written_is_recognized(before: int, size: int, after: int, hint: Hint | None) -> None:
    gap = Gap("lines", before + 1, before + size, before + size + after)
    for marker in format_markers(gap, hint):
        earlier = find_earlier_gap(b"x\n" * before + marker + b"y\n" * after, before + 1 + after)
        assert earlier is not None
        assert (earlier.gap, earlier.line, earlier.size) == (gap, before + 1, len(marker) - 1)
        assert earlier.ref == ("3f9a2c81d0b4" if b"3f9a2c81d0b4" in marker else "")


@pytest.mark.parametrize("lines", [1, 3, 4])
def test_a_line_that_does_not_agree_with_the_lines_around_it_is_content(lines: int) -> None:
    marker = next(format_markers(Gap("lines", 1, 8, 10), HINT))
    assert find_earlier_gap(marker + b"y\n" * lines, lines + 1) is None
    assert find_earlier_gap(marker + b"y\n" * 2, 3) is not None
