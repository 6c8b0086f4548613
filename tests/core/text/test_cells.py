from ctxkit.core.text.cells import blank_divided, split_cells


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
