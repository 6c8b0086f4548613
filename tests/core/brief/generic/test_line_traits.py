import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.line_traits import LineTraits
from ctxkit.core.text.lines import lines_from_bytes


def measure(rows, number):
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    return LineTraits(forms, range(1, len(rows) + 1), find_headings(forms, DEEPEST)).measure(number)


def test_distances_are_from_the_first_and_the_last_line() -> None:
    traits = measure(["a", "b", "c", "d"], 2)
    assert traits["head distance"] == pytest.approx(math.log2(3))
    assert traits["tail distance"] == pytest.approx(2.0)


def test_blank_lines_and_rulers_around_a_line_are_traits() -> None:
    rows = ["first", "", "title", "-----", "text", "last"]
    title, text = measure(rows, 3), measure(rows, 5)
    assert (title["after blank"], title["before blank"], title["before ruler"]) == (1.0, 0.0, 1.0)
    assert (text["after blank"], text["after ruler"]) == (0.0, 1.0)
    assert measure(rows, 4)["ruler"] == 1.0


def test_indentation_is_compared_with_the_lines_around_it_past_blank_lines() -> None:
    rows = ["a:", "", "    b", "  c", "d"]
    assert measure(rows, 1)["opens"] == 1.0
    inner = measure(rows, 3)
    assert (inner["deeper"], inner["shallower"], inner["margin"]) == (1.0, 0.0, 0.0)
    assert inner["depth"] == pytest.approx(math.log2(5))
    assert inner["after title"] == 1.0
    assert measure(rows, 4)["shallower"] == 1.0


def test_forms_are_counted_over_the_whole_text() -> None:
    rows = ["row 1", "row 2", "row 3", "* else"]
    first, middle, odd = (measure(rows, number) for number in (1, 2, 4))
    assert first["form count"] == pytest.approx(2.0)
    assert (first["first of form"], middle["first of form"], middle["single form"]) == (1.0, 0.0, 0.0)
    assert (odd["single form"], odd["single shape"], odd["shape share"]) == (1.0, 1.0, 0.25)
    assert measure(rows, 3)["last of form"] == 1.0


def test_words_are_rare_by_the_number_of_lines_that_have_them() -> None:
    rows = ["the row", "the row", "the pear"]
    traits = measure(rows, 3)
    assert traits["unique words"] == 1.0
    assert traits["unique word share"] == 0.5
    assert traits["rarest word"] == 1.0
    assert traits["word rarity"] == pytest.approx(math.log2(3) / 20)


def test_trouble_is_a_trait_by_its_severity() -> None:
    rows = ["begin", "error: no such file", "  in main", "warning: old", "warning: older"]
    assert measure(rows, 2)["error"] == 1.0
    assert measure(rows, 3)["after trouble"] == 1.0
    assert measure(rows, 4)["lines of trouble"] == pytest.approx(math.log2(3))
    assert "error" not in measure(rows, 1)


def test_the_lines_of_a_block_around_a_line_are_counted() -> None:
    rows = ["a", "", "b", "c", "d", "", *["e"] * 30]
    assert measure(rows, 4)["block before"] == measure(rows, 4)["block after"] == 1.0
    assert measure(rows, 5)["block after"] == 0.0
    assert measure(rows, 5)["block before"] == pytest.approx(math.log2(3))
    assert measure(rows, 7)["block after"] == pytest.approx(math.log2(21))  # at most 20 are counted
    assert measure(rows, 36)["block before"] == pytest.approx(math.log2(21))


def test_the_last_lines_are_a_trait() -> None:
    rows = [f"row {number}" for number in range(20)]
    assert [measure(rows, number)["last lines"] for number in (1, 15, 16, 20)] == [0.0, 0.0, 1.0, 1.0]


def test_lines_begin_and_end_runs_of_their_shape() -> None:
    rows = ["- a", "- b", "- c", "* other", "- d"]
    flags = ("first of run", "last of run", "single in run")
    marks = [tuple(measure(rows, number)[flag] for flag in flags) for number in range(1, 6)]
    assert marks == [(1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)]


def test_the_header_of_a_table_and_the_row_below_it_are_traits() -> None:
    rows = ["name   size   time", "a.c    120    0.5", "b.c    130    0.7", "the end of it"]
    flags = [(measure(rows, number)["header"], measure(rows, number)["after header"]) for number in range(1, 5)]
    assert flags == [(1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.0, 0.0)]


@given(st.lists(st.text(alphabet="ab1 :=-\t\x1b[m", max_size=12), min_size=1, max_size=12))
def test_each_line_that_is_not_blank_can_be_measured(rows: list[str]) -> None:
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    numbers = [number for number in range(1, forms.total + 1) if forms.form_of(number)]
    traits = LineTraits(forms, numbers, find_headings(forms, DEEPEST))
    for number in numbers:
        assert all(math.isfinite(value) for value in traits.measure(number).values())
