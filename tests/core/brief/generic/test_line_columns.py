import math
from itertools import cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.line_columns import LineColumns
from ctxkit.core.text.lines import lines_from_bytes


def compare(rows):
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    numbers = [number for number in range(1, forms.total + 1) if forms.form_of(number)]
    columns = LineColumns(forms, numbers)
    return [columns.measure(number) for number in numbers]


def test_a_value_that_differs_from_those_of_most_lines_is_rare() -> None:
    rows = [f"{name} hook: Passed" for name in ("ruff", "mypy", "black", "gcc", "tidy", "lint", "spell")]
    rows[2] = "black hook: Failed"
    traits = compare(rows)
    assert traits[2]["rare cell"] == pytest.approx(math.log2(7) / 4)
    assert traits[2]["rare cells"] == pytest.approx(math.log2(1 + 2))  # the third cell is the last one as well
    assert traits[0] == traits[1] == {}


def test_a_column_of_few_values_has_rare_ones_although_none_is_in_half_of_the_lines() -> None:
    rows = [f"of {word}" for word in islice(cycle(["red", "blue", "green"]), 40)]
    rows[20], rows[21] = "of grey", "of grey"
    traits = compare(rows)
    assert traits[20]["rare cell"] == traits[21]["rare cell"] == pytest.approx(math.log2(20) / 4)
    assert "rare cell" not in traits[0]


def test_names_that_all_differ_are_not_rare() -> None:
    assert compare([f"name-{letter} of it" for letter in "abcdefgh"]) == [{}] * 8


def test_the_largest_number_of_a_column_is_marked() -> None:
    traits = compare([f"file {name} has {size} lines" for name, size in zip("abcde", (7, 40, 9.5, 40, 3), strict=True)])
    assert [("largest number" in each) for each in traits] == [False, True, False, True, False]


def test_numbers_beside_words_and_frequent_maxima_are_not_marked() -> None:
    assert not any("largest number" in each for each in compare([f"x: {cell}" for cell in ("1", "two", "3", "four", "5")]))
    assert not any("largest number" in each for each in compare([f"x: {size}" for size in (9, 9, 9, 1, 2)]))


def test_lines_of_rare_shapes_are_not_compared() -> None:
    assert compare(["a: 1", "b - 2", "c + 3"]) == [{}, {}, {}]


def test_escapes_are_no_cells() -> None:
    rows = [f"\x1b[3{number % 8}mitem {number % 2}\x1b[0m ok" for number in range(8)]
    rows[3] = "\x1b[31mitem 1\x1b[0m bad"
    assert "rare cell" in compare(rows)[3]
    assert "rare cell" not in compare(rows)[4]


@given(st.lists(st.text(alphabet="ab19 .:\x1b[m", max_size=14), max_size=14))
def test_traits_are_finite_and_positive(rows: list[str]) -> None:
    for traits in compare(rows):
        assert all(0 < value < 15 for value in traits.values())
