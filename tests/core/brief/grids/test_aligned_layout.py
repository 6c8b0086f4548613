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
