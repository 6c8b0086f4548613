from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.samples import iter_windows, read_spread_lines
from tests.core.brief.kinds.test_table import document


def test_a_small_document_is_read_completely() -> None:
    assert read_spread_lines(document("a\r\nb\n\nc")) == ["a", "b", "", "c"]


def test_a_large_document_is_read_at_its_head_its_middle_and_its_end() -> None:
    text = "".join(f"line {number}\n" for number in range(100_000))
    windows = list(iter_windows(document(text)))
    assert windows[0][0] == "line 0"
    assert windows[-1][-1] == "line 99999"
    assert len(windows) == 9


@given(st.text("ab\n", max_size=300), st.integers(1, 2_000))
def test_only_complete_lines_are_read(text: str, times: int) -> None:
    whole = text * times
    lines = set(whole.split("\n"))
    assert all(line in lines for line in read_spread_lines(document(whole)))
