import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.quantity import parse_duration, parse_share, parse_size


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
