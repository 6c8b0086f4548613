import pytest

from ctxkit.core.brief.data.scalars import parse_scalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("true", True), ("False", False), ("yes", "yes"), ("12", 12), ("-3", -3),
        ("1.5", 1.5), ("1e3", 1000.0), ("0", 0), ("012", "012"), ("1.2.3", "1.2.3"), ("+", "+"), ("9" * 30, "9" * 30),
        ("12a", "12a"), ("2026-01-02", "2026-01-02"),
    ],
)  # fmt: skip
def test_plain_words_have_types(text: str, value) -> None:
    assert parse_scalar(text) == value
    assert type(parse_scalar(text)) is type(value)
