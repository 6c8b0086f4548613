from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.numbered_lines import split_lines


@given(st.binary(max_size=60), st.integers(1, 9))
def test_lines_are_those_of_the_content_however_it_is_cut(data: bytes, size: int) -> None:
    rows = dict(split_lines(data[at : at + size] for at in range(0, len(data), size)))
    *lines, rest = data.split(b"\n")
    expected = [*(line + b"\n" for line in lines), rest]
    assert rows == {number: line for number, line in enumerate(expected, 1) if line.strip()}
