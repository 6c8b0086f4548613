import pytest

from ctxkit.core.brief.shapes.value_ranges import ValueRange, read_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", ("", 12.0)),
        ("1,024 kB", ("bytes", 1_024_000.0)),
        ("65535 (1)", ("", 65_535.0)),
        ("30 s", ("s", 30.0)),
        ("2026-01-02", ("date", 20260102000000.0)),
        ("May 12 23:59:00 2025 GMT", ("date", 20250512235900.0)),
        ("words", None),
        ("1.2.3", None),
    ],
)
def test_numbers_and_dates_can_be_compared(text: str, number) -> None:
    assert read_number(text) == number


def test_the_ends_are_kept_with_their_lines() -> None:
    values = ValueRange()
    for line, text in enumerate(("5", "x", "3", "9"), 1):
        values.add(read_number(text), text, line, line)
    assert (values.low.text, values.high.line, values.count, values.others) == ("3", 4, 3, 1)
