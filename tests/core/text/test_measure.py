import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.measure import format_size, pluralize


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
