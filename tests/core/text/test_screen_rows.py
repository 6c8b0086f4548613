from ctxkit.core.text.screen_rows import HEIGHT, ScreenRows


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
