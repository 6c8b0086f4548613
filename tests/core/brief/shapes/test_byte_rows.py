import pytest

from ctxkit.core.brief.shapes.byte_rows import ByteReader, join_regions, match_row


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("00000010: 4142 43  ABC", ("00000010", b"ABC")),
        ("00000010  41 42 43                                          |ABC|", ("00000010", b"ABC")),
        ("0000016 41 42 43  >ABC<", ("0000016", b"ABC")),
        ("00000010: 414 42  ABC", None),
        ("some text", None),
    ],
)
def test_rows_give_offset_and_bytes(line, row):
    assert match_row(line) == row


def test_a_text_may_run_over_rows():
    rows = ["00000000: 0041 6c61 6e20  .Alan ", "00000006: 5475 7269 6e67  Turing", "0000000c: 0000 0000  ...."]
    reader = ByteReader().add_lines(enumerate(rows, 1))
    assert [(text.start, text.end, text.text) for text in reader.texts] == [(1, 2, "Alan Turing")]


def test_only_long_runs_of_one_byte_are_regions():
    rows = ["00000000: 0000  .."] * 2 + ["00000000: 0102  .."] + ["00000000: 0000  .."] * 5
    regions = join_regions(ByteReader().add_lines(enumerate(rows, 1)).regions)
    assert [(region.start, region.end, region.value) for region in regions] == [(1, 3, -1), (4, 8, 0)]
