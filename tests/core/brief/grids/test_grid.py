"""Rows are found by line, and ranges cover the table."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.grids import grid
from ctxkit.core.brief.grids.grid import RANGE_LINES, Grid, RowIndex

heights = st.lists(st.integers(1, 60), min_size=1, max_size=80)


def index_of(sizes):
    index, lines, line = RowIndex(), [], 2
    for size in sizes:
        lines.append(line)
        line += size
    index.add_rows([[f"r{at}"] for at in lines], lines)
    return index, lines, line - 1


@given(heights)
def test_ranges_follow_one_another_up_to_the_end(sizes) -> None:
    index, _lines, end = index_of(sizes)
    ranges = index.list_ranges(end)
    assert ranges[0].start == 2
    assert ranges[-1].end == end
    assert all(later.start == earlier.end + 1 for earlier, later in itertools.pairwise(ranges))
    assert all(part.end - part.start < RANGE_LINES for part in ranges)


@given(heights, st.integers(1, 5_000))
def test_the_cells_of_a_line_are_those_of_its_row(sizes, line: int) -> None:
    index, lines, _ = index_of(sizes)
    row = max((start for start in lines if start <= line), default=lines[0])
    assert index.find_cells(line) == [f"r{row}"]


@given(heights, st.integers(0, 80))
def test_ranges_after_some_rows_begin_with_the_next_row(sizes, number: int) -> None:
    index, lines, end = index_of(sizes)
    ranges = index.drop_rows(number).list_ranges(end)
    assert [part.start for part in ranges[:1]] == lines[number : number + 1]
    assert index.lines == lines


def test_of_a_long_table_every_nth_row_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "MAX_INDEX_ROWS", 8)
    index = RowIndex()
    for start in range(0, 100, 10):
        index.add_rows([[str(at)] for at in range(start, start + 10)], list(range(start, start + 10)))
    assert len(index.lines) <= 8
    strides = {later - earlier for earlier, later in zip(index.lines, index.lines[1:], strict=False)}
    assert len(strides) == 1
    assert [row[0] for row in index.cells] == [str(line) for line in index.lines]


def test_a_table_begins_without_rows() -> None:
    assert [field.name for field in Grid(["a", "b"]).fields] == ["a", "b"]
    assert RowIndex().find_cells(5) == ("",)
