"""How the cells of a printed table are told apart."""

import pytest

from ctxkit.core.brief.grids.layout import find_aligned_layout, find_bar, is_ruler, make_bar_layout, make_ruled_layout


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


def test_columns_are_separated_by_blanks() -> None:
    header, rows = "NAME STATE AGE", ["web-1 Running 3d", "web-2 Failed 1d", "db Running 9d"]
    layout = find_aligned_layout(header, rows)
    assert layout.names == ("NAME", "STATE", "AGE")
    assert layout.split(rows[1]) == ["web-2", "Failed", "1d"]


def test_names_of_several_words_need_two_blanks() -> None:
    header, rows = "CONTAINER ID   LAST SEEN", ["ab12           2 days ago", "cd34           an hour ago", "ef56           now"]
    layout = find_aligned_layout(header, rows)
    assert layout.names == ("CONTAINER ID", "LAST SEEN")
    assert layout.split(rows[0]) == ["ab12", "2 days ago"]


def test_prose_is_no_table() -> None:
    rows = ["It goes on for a while", "and then it ends", "after some more words of prose", "here"]
    assert find_aligned_layout("This is a sentence", rows) is None


def test_rows_with_other_numbers_of_tabs_are_not_aligned() -> None:
    rows = [f"FFQ\t{number}\t" + "0\t" * (number % 30) + "900" for number in range(60)]
    assert find_aligned_layout("SN\traw total sequences:\t900\t# without others", rows) is None
    assert find_aligned_layout("NAME\tUSED\tFREE", [f"disk{number}\t{number}\t{9 - number}" for number in range(9)])


def test_one_row_does_not_show_where_columns_are() -> None:
    assert find_aligned_layout("    tr BEFORE UPDATE ON a FOR EACH ROW EXECUTE FUNCTION f()", ["Access method: heap"]) is None
