import pytest

from ctxkit.core.brief.shapes.record_layout import RecordLayout
from ctxkit.core.brief.shapes.record_reader import RecordReader, ValueRange, find_equal_pairs, read_number

LINES = "title\nA: 1\nB: 1\nA: 2\nB: 2\nA: 3\nB: 3\nA: 4\nB: 5\n".splitlines()


def read(names=(), pairs=()):
    reader = RecordReader(RecordLayout("0A:", 0, frozenset(("0A:", "0B:"))), names, pairs)
    reader.add_lines(enumerate(LINES, 1))
    reader.finish_record()
    return reader


def test_records_have_their_lines_and_values() -> None:
    reader = read(("0B:",))
    assert list(reader.starts) == [2, 4, 6, 8]
    assert reader.names == [("1",), ("2",), ("3",), ("5",)]
    assert reader.keys["0B:"].values["5"].lines == [9]
    assert reader.keys["0A:"].range.high.line == 8


def test_pairs_that_agree_are_compared() -> None:
    pairs = find_equal_pairs(list(read().keys.values()))
    assert pairs == [("0A:", "0B:")]
    (pair,) = read(pairs=pairs).pairs
    assert (pair.same, pair.other) == (3, 1)
    assert pair.differences == [(9, 3, "4", "5")]


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
