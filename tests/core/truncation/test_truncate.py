"""Whole lines within limits, from either end or both."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.truncation.ends import LEAST_BYTES, LEAST_TOKENS, TruncationLimits, WholeContent, count_lines
from ctxkit.core.truncation.truncate import Mode, Truncated, truncate_ends

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
