from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.events.map_ranges import MAX_SPANS, find_map_ranges, overlaps

MAP = """\
# log (3,020 lines, about 90,181 tokens, log): a map, not the content

- Lines 1-3020: 2026-01-01 10:00:00 to 2026-01-01 10:49:59
- Lines 101-900: 5x, such as
  - 101: Traceback (most recent call last):
    - Lines 102-103: indented, continues the line above
- 104: ValueError: bad thing 99
- 105: outlines 5 of it
- 3 more of this form at lines 808, 1512-1513, 2216

To read a part: ctxkit cache get 2299ccef1c9044a8 --lines 96:116
"""


def test_lines_that_a_map_quotes_and_names_are_found() -> None:
    ranges = find_map_ranges(MAP, 3_020)
    assert ranges.quoted == ((101, 101), (104, 105))
    assert ranges.named == ((96, 900), (1512, 1513), (2216, 2216))


def test_ranges_overlap_if_they_share_a_line() -> None:
    assert overlaps((3, 5), [(1, 1), (5, 9)])
    assert not overlaps((3, 5), [(1, 2), (6, 9)])
    assert not overlaps((3, 5), [])


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300))), st.integers(1, 250))
def test_ranges_are_in_order_and_inside_the_source(pairs: list[tuple[int, int]], total: int) -> None:
    text = "".join(f"- {a}: x\nLines {a}-{b}\n" for a, b in pairs)
    for spans in find_map_ranges(text, total):
        assert len(spans) <= MAX_SPANS
        assert list(spans) == sorted(spans)
        assert all(1 <= start <= end <= total for start, end in spans)
        assert all(before[1] + 1 < after[0] for before, after in pairwise(spans))
