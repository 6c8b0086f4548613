"""Whole lines within limits, from either end or both."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.truncation.truncate import (
    LEAST_BYTES,
    LEAST_TOKENS,
    ContentEnds,
    Gap,
    Mode,
    Truncated,
    TruncationLimits,
    WholeContent,
    count_lines,
    find_earlier_gap,
    format_markers,
    truncate_ends,
)

HINT = Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "/cache/3f", "log")
TEXTS = st.text("ab \n\nÄ€🙂", max_size=300).map(str.encode)
LIMITS = st.builds(
    TruncationLimits,
    st.integers(1, 30),
    st.integers(LEAST_BYTES, 400),
    st.one_of(st.none(), st.integers(LEAST_TOKENS, 100)),
    st.just(lambda text: len(text.encode())),
)
MODES: tuple[Mode, ...] = get_args(Mode)
MODE = st.sampled_from(MODES)


def truncate(data: bytes, limits: TruncationLimits, mode: Mode = "tail", hint: Hint | None = None) -> Truncated | None:
    return truncate_ends(WholeContent(data), limits, mode, hint) if limits.find_excess(data) else None


def numbers(count: int) -> bytes:
    return b"".join(b"%d\n" % number for number in range(1, count + 1))


def test_the_last_lines_stay_by_default() -> None:
    """Seed 002: "func Tail(content string, opts Options) Result"."""
    truncated = truncate(numbers(9), TruncationLimits(4))
    assert truncated is not None
    assert truncated.content == b"[lines 1-6 of 9 are not shown and not stored]\n7\n8\n9\n"
    assert truncated.truncated_by == "lines"


def test_the_first_lines_stay_with_head() -> None:
    """Seed 002: "func Head(content string, opts Options) Result"."""
    truncated = truncate(numbers(9), TruncationLimits(4), "head")
    assert truncated is not None
    assert truncated.content == b"1\n2\n3\n[lines 4-9 of 9 are not shown and not stored]\n"


def test_both_ends_stay_with_middle() -> None:
    truncated = truncate(numbers(9), TruncationLimits(5), "middle")
    assert truncated is not None
    assert truncated.content == b"1\n2\n[lines 3-7 of 9 are not shown and not stored]\n8\n9\n"


def test_a_long_line_at_one_end_leaves_its_room_to_the_other() -> None:
    truncated = truncate(b"x" * 900 + b"\n" + numbers(200), TruncationLimits(2000, 400), "middle")
    assert truncated is not None
    assert truncated.parts.first == b""
    assert len(truncated.parts.last) > 300


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (TruncationLimits(50), "lines"),
        (TruncationLimits(500, 600), "bytes"),
        (TruncationLimits(500, 60_000, 60, lambda text: len(text.split())), "tokens"),
    ],
)
def test_the_limit_that_stopped_it_is_named(limits: TruncationLimits, reason: str) -> None:
    for mode in MODES:
        truncated = truncate(numbers(1000), limits, mode)
        assert truncated is not None
        assert truncated.truncated_by == reason


@pytest.mark.parametrize("mode", MODES)
def test_one_huge_line_is_never_an_empty_result(mode: Mode) -> None:
    truncated = truncate("€".encode() * 100_000, TruncationLimits(), mode, HINT)
    assert truncated is not None
    shown = truncated.parts
    assert 45_000 < len(shown.first) + len(shown.last) < len(truncated.content) <= 51_200
    assert shown.first.decode() + shown.last.decode()
    gap = truncated.gap
    assert (gap.unit, gap.start, gap.end) == ("bytes", len(shown.first) + 1, 300_000 - len(shown.last))


@given(TEXTS, LIMITS, MODE, st.sampled_from([HINT, None]))
def test_no_limit_is_exceeded_and_nothing_is_split(
    data: bytes, limits: TruncationLimits, mode: Mode, hint: Hint | None
) -> None:
    truncated = truncate(data, limits, mode, hint)
    if truncated is None:
        assert limits.find_excess(data) is None
        return
    assert limits.find_excess(truncated.content) is None
    assert truncate(truncated.content, limits, mode, hint) is None
    first, last, is_partial = truncated.parts
    assert (first or last).decode()
    assert last.decode() is not None
    assert data.startswith(first)
    assert data.endswith(last)
    rest = data[len(first) : len(data) - len(last)]
    if is_partial:
        assert truncated.gap == ("bytes", len(first) + 1, len(data) - len(last), len(data), 0)
    else:
        assert not first or first.endswith(b"\n")
        assert not last or rest.endswith(b"\n")
        gap = truncated.gap
        assert (gap.end - gap.start + 1, gap.total) == (count_lines(rest), count_lines(data))


@given(st.integers(20, 3000), st.integers(5, 40), st.integers(5, 40))
def test_a_smaller_limit_gives_what_it_gives_of_the_whole(count: int, some: int, more: int) -> None:
    """Bytes are no limit here, so one more line always fits or not for the same reason."""
    whole = truncate(numbers(count), TruncationLimits(min(some, more)), "tail")
    assert whole is None or whole.gap.end == count - min(some, more) + 1


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
