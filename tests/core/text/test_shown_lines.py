from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.lines import lines_from_bytes
from ctxkit.core.text.shown_lines import blank_lines, skip_lines

CHUNKS = st.lists(st.text(alphabet="ab\n", max_size=6).map(str.encode), max_size=6)


@given(CHUNKS, st.integers(0, 8))
def test_the_first_lines_are_left_out(chunks: list[bytes], count: int) -> None:
    data = b"".join(chunks)
    assert b"".join(skip_lines(chunks, count)) == b"".join(data.splitlines(keepends=True)[count:])


@given(CHUNKS, st.integers(0, 8))
def test_the_first_lines_are_blank_and_the_others_stay_where_they_are(chunks: list[bytes], count: int) -> None:
    data = b"".join(chunks)
    lines = lines_from_bytes(data)
    blank = blank_lines(lines, min(count, lines.total))
    assert (blank.total, blank.size) == (lines.total, lines.size)
    for number, text in blank.enumerate_lines():
        assert text == (lines.at(number) if number > count else " " * len(lines.at(number)))
    for offset in range(len(data)):
        assert blank.read(offset, 3) == blank.read(0, len(data))[offset : offset + 3]
