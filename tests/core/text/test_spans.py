import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.spans import PositionRange, parse_range


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("120:180", PositionRange(120, 180)),
        ("120:", PositionRange(120, None)),
        (":180", PositionRange(None, 180)),
        ("120", PositionRange(120, 120)),
        ("-20:", PositionRange(-20, None)),
        ("7:7", PositionRange(7, 7)),
    ],
)
def test_a_range_is_read_as_users_write_it(text: str, span) -> None:
    assert parse_range(text) == span


@pytest.mark.parametrize(
    "text", ["", ":", "0", "0:5", ":0", "5:4", "-5", "-5:9", "-5:-1", ":-1", "1:-1", "a", "1:b", "1:2:3", "1-2", "1.5"]
)
def test_what_is_no_range_raises_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        parse_range(text)


@given(st.text(alphabet="0123456789:-+ ax_", max_size=8))
def test_any_text_is_a_range_or_a_value_error(text: str) -> None:
    try:
        span = parse_range(text)
    except ValueError:
        return
    assert span != PositionRange(None, None)
    assert 0 not in (span.start, span.end)


@given(st.integers(1, 50), st.integers(0, 50), st.integers(0, 60))
def test_a_range_selects_what_a_slice_selects(start: int, more: int, total: int) -> None:
    numbers = list(range(1, total + 1))
    first, last = PositionRange(start, start + more).resolve(total)
    assert [n for n in numbers if first <= n <= last] == numbers[start - 1 : start + more]


@given(st.integers(1, 50), st.integers(0, 60))
def test_a_negative_start_selects_the_last_ones(count: int, total: int) -> None:
    numbers = list(range(1, total + 1))
    first, last = PositionRange(-count, None).resolve(total)
    assert [n for n in numbers if first <= n <= last] == numbers[-count:]


def test_open_ends_reach_to_the_ends() -> None:
    assert PositionRange(None, 5).resolve(9) == (1, 5)
    assert PositionRange(5, None).resolve(9) == (5, 9)
    assert PositionRange(None, 50).resolve(9) == (1, 9)


def test_a_start_beyond_the_end_is_left_for_the_caller_to_judge() -> None:
    assert PositionRange(10, 12).resolve(9) == (10, 9)
