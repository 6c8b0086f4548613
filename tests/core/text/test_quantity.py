import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.quantity import (
    OFF_VALUES,
    PositionRange,
    format_size,
    is_on,
    make_case_pattern,
    parse_duration,
    parse_range,
    parse_share,
    parse_size,
    pluralize,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("24h", 86_400),
        ("7d", 604_800),
        ("90s", 90),
        ("30m", 1800),
        ("2w", 1_209_600),
        ("5", 5),
        ("1.5h", 5400),
        ("0", 0),
        (" 2 D ", 172_800),
    ],
)
def test_an_age_is_read_in_seconds(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2GB", 2 * 1024**3),
        ("500KB", 512_000),
        ("1.5m", 1_572_864),
        ("10", 10),
        ("10b", 10),
        ("1 tb", 1024**4),
        ("0", 0),
    ],
)
def test_a_size_is_read_in_powers_of_1024(text: str, size) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "h", "-1h", "5y", "5kb", "nan", "inf", "1e999", "1h30m", "--"])
def test_what_is_no_age_raises_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        parse_duration(text)


@pytest.mark.parametrize("text", ["", "gb", "-1", "5d", "5 5", "nan", "inf", "1e999", "1e308gb", "0x10"])
def test_what_is_no_size_raises_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        parse_size(text)


@given(st.text(max_size=8))
def test_any_text_is_a_quantity_or_a_value_error(text: str) -> None:
    for read in (parse_duration, parse_size):
        try:
            assert read(text) >= 0
        except ValueError:
            continue


@pytest.mark.parametrize(("text", "share"), [("0.8", 0.8), ("80%", 0.8), (" 100% ", 1.0), ("0.5%", 0.005)])
def test_a_share_may_be_a_percentage(text, share):
    assert parse_share(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["0", "101%", "1.01", "nan", "inf", "x", "%", "-5%", ""])
def test_what_is_not_a_share_is_refused(text):
    with pytest.raises(ValueError, match="is not a share such as"):
        parse_share(text)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (847, "847 bytes"),
        (1023, "1,023 bytes"),
        (1024, "1.0 KB"),
        (24 * 1024, "24 KB"),
        (1_572_864, "1.5 MB"),
        (1024**2 - 1, "1.0 MB"),
        (1024**3, "1.0 GB"),
        (5000 * 1024**3, "5,000 GB"),
    ],
)
def test_a_size_is_read_as_people_read_it(size, words: str) -> None:
    assert format_size(size) == words


@given(st.integers(1024, 10**15))
def test_a_size_in_words_is_within_five_percent(size: int) -> None:
    number, unit = format_size(size).split()
    value = float(number.replace(",", "")) * {"KB": 1024, "MB": 1024**2, "GB": 1024**3}[unit]
    assert abs(value - size) <= 0.055 * size


def test_one_is_singular_and_thousands_are_set_apart() -> None:
    assert (pluralize(1, "line"), pluralize(0, "line"), pluralize(2000, "line")) == ("1 line", "0 lines", "2,000 lines")


VALUES = [*OFF_VALUES, "FALSE", "No", "oFF", "1", "true", "yes", "on", "2", "offf", "00", "no;", "*", "a b"]


@pytest.mark.parametrize("value", OFF_VALUES)
def test_a_value_switches_off_in_any_case(value: str) -> None:
    assert not is_on(value)
    assert not is_on(value.upper())
    assert is_on(f"{value}1")


def test_a_shell_reads_the_same_values() -> None:
    script = f'for value; do case $value in {make_case_pattern()}) echo off;; *) echo on;; esac; done'
    done = subprocess.run(["sh", "-c", script, "sh", *VALUES], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["on" if is_on(value) else "off" for value in VALUES]


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
