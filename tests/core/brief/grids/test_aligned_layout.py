from ctxkit.core.brief.grids.aligned_layout import find_aligned_layout


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
