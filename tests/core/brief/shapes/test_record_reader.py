from ctxkit.core.brief.shapes.record_layout import RecordLayout
from ctxkit.core.brief.shapes.record_reader import RecordReader, find_equal_pairs

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
