from ctxkit.core.text.screen_rows import HEIGHT, ScreenRows, blank_divided, split_cells


def test_rows_know_the_line_that_wrote_them_last() -> None:
    rows = ScreenRows()
    rows.add_lines(["one", "two", ""])
    rows.open_row(0, writes=True)[:] = "ONE"
    assert (rows.text(), rows.lines()) == ("ONE\ntwo\n", ["", "two", "ONE"])


def test_reading_the_cells_of_a_row_writes_nothing() -> None:
    rows = ScreenRows()
    rows.add_lines(["one", "two", ""])
    rows.open_row(0)
    assert rows.lines() == ["one", "two", ""]


def test_erased_rows_stay_and_removed_ones_do_not() -> None:
    rows = ScreenRows()
    rows.add_lines(["one", "two", "three"])
    rows.erase_rows(0, 2)
    assert (rows.text(), len(rows), rows.ends_blank) == ("\n\nthree\n", 3, False)
    rows.remove_rows(1)
    assert (len(rows), rows.ends_blank) == (1, True)


def test_blanks_at_the_end_of_a_drawn_row_are_left_out() -> None:
    rows = ScreenRows()
    rows.add_lines(["done      ", "kept  "])
    rows.open_row(0)
    assert rows.text() == "done\nkept  \n"


def test_the_cursor_reaches_the_last_rows_only() -> None:
    rows = ScreenRows()
    rows.add_lines([""] * (HEIGHT + 5))
    assert rows.first_reachable == 5
    rows.open_row(5)[:] = "x"
    rows.add_row()
    assert rows.first_reachable == 6
    assert rows.text() == "\n" * 5 + "x\n"


def test_a_character_takes_the_cells_of_its_width() -> None:
    assert split_cells("ab") == ["a", "b"]
    assert split_cells("日x") == ["日", "", "x"]
    assert split_cells("e\u0301x") == ["e\u0301", "x"]


def test_a_tab_ends_at_the_next_stop() -> None:
    assert split_cells("a\tb", 4) == ["a", "\t", "", "", "b"]


def test_many_marks_take_cells_of_their_own() -> None:
    assert max(map(len, split_cells("e" + "\u0301" * 1_000))) < 20


def test_both_halves_of_a_divided_character_become_blanks() -> None:
    cells = split_cells("a日b")
    blank_divided(cells, 2)
    assert cells == ["a", " ", " ", "b"]
    blank_divided(cells, 0)
    blank_divided(cells, 4)
    assert cells == ["a", " ", " ", "b"]
