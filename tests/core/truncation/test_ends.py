"""The ends of a stream in bounded memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.truncation.ends import (
    ContentEnds,
    Gap,
    TruncationLimits,
    WholeContent,
    count_lines,
    find_earlier_gap,
    format_markers,
)


@given(st.lists(st.binary(max_size=20)), st.integers(1, 40))
def test_ends_are_those_of_the_whole(chunks: list[bytes], capacity: int) -> None:
    ends, data = ContentEnds(capacity), b"".join(chunks)
    for chunk in chunks:
        ends.add(chunk)
    whole = WholeContent(data)
    assert (ends.head, ends.tail) == (data[:capacity], data[-capacity:])
    assert (ends.size, ends.total_lines) == (whole.size, whole.total_lines) == (len(data), data.count(b"\n") + bool(data.rpartition(b"\n")[2]))


def test_memory_is_bounded_by_the_capacity() -> None:
    ends = ContentEnds(100)
    for _ in range(1000):
        ends.add(b"x" * 99 + b"\n")
    assert ends.size == 100_000
    assert sum(map(len, ends._chunks)) <= 300


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


def test_the_defaults_are_those_of_the_seed() -> None:
    """Seed 002: ``truncate.Options{MaxLines: 2000, MaxBytes: 50 * 1024}``."""
    assert TruncationLimits()[:2] == (2000, 50 * 1024)


@pytest.mark.parametrize(
    ("data", "excess"),
    [(b"a\nb\n", None), (b"a\nb\nc", "lines"), (b"abcdefghijk", "bytes"), (b"a b c d", "tokens"), (b"", None)],
)
def test_the_first_limit_that_is_exceeded_is_named(data: bytes, excess: str | None) -> None:
    assert TruncationLimits(2, 10, 3, lambda text: len(text.split())).find_excess(data) == excess


def test_a_line_of_a_quarter_leaves_room() -> None:
    limits = TruncationLimits(2, 40)
    assert limits.leaves_room(b"123456789\n")
    assert not limits.leaves_room(b"1234567890\n")
    assert limits.leaves_room(b"1234567890\n", share=2)
    assert not TruncationLimits(1, 4000).leaves_room(b"x\n")


def test_a_last_line_without_a_newline_is_a_line() -> None:
    assert [count_lines(data) for data in (b"", b"\n", b"a", b"a\n", b"a\nb")] == [0, 1, 1, 1, 2]
