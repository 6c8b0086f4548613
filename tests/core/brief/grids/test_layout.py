"""How the cells of a printed table are told apart."""

import pytest

from ctxkit.core.brief.grids.layout import find_bar, is_ruler, make_bar_layout, make_ruled_layout


@pytest.mark.parametrize(
    ("line", "expected"),
    [("-----  ---", True), ("+----+---+", True), ("├────┼───┤", True), ("| --- | :-: |", True), ("a -- b", False), ("", False), ("-", False)],
)
def test_a_ruler_is_made_of_dashes(line: str, expected: bool) -> None:
    assert is_ruler(line) is expected


def test_bars_close_a_row_or_only_separate_its_cells() -> None:
    assert make_bar_layout("| a | b |").split("| 1 |  |") == ["1", ""]
    assert make_bar_layout(" a | b ").names == ("a", "b")
    assert make_bar_layout("│ a │ b │").split("│ 1 ┃ 2 │") == ["1", "2"]
    assert (find_bar("a │ b"), find_bar("a b")) == ("│", "")


def test_columns_are_as_wide_as_the_dashes_below_their_names() -> None:
    layout = make_ruled_layout("Name  Size of it", "----  ----------")
    assert layout.names == ("Name", "Size of it")
    assert layout.split("abc   12") == ["abc", "12"]
