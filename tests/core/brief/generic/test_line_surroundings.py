import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.line_surroundings import REACH, LineSurroundings
from ctxkit.core.text.lines import lines_from_bytes


def measure(rows, number):
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    return measure_line(LineSurroundings(forms, find_headings(forms, DEEPEST)), forms, number)


def measure_line(surroundings, forms, number):
    near = forms.list_before(number, REACH), forms.list_after(number, REACH)
    parts = surroundings.list_parts(number, forms.form_of(number), *near)
    return {name: value for part in parts for name, value in part.items()}


def test_headings_are_traits_with_their_number_and_their_class() -> None:
    rows = [row for name in ("one", "two", "three") for row in (f"== {name}", "first row", "second row")]
    traits = measure(rows, 4)
    assert (traits["heading"], traits["strong heading"]) == (1.0, 1.0)
    assert traits["heading count"] == pytest.approx(2.0)
    assert "heading" not in measure(rows, 5)
    files = [row for name in ("one", "two", "three") for row in (f"{name}:", "row", "row")]
    assert (measure(files, 4)["heading"], measure(files, 4)["strong heading"]) == (1.0, 0.0)


def test_runs_of_one_shape_beside_a_line_are_counted_past_blank_lines() -> None:
    rows = ["- a", "- b", "", "- c", "* other", "x = 1", "x = 2"]
    traits = measure(rows, 5)
    assert traits["run above"] == pytest.approx(2.0)
    assert traits["run below"] == pytest.approx(math.log2(3))
    long = ["begin it", *(f"- {letter}" for letter in "abcdefgh"), *(f"x = {number}" for number in range(90))]
    assert measure(long, 50)["run above"] == measure(long, 50)["run below"] == pytest.approx(math.log2(REACH + 1))


def test_a_line_before_a_long_run_differs_from_the_line_above_it() -> None:
    rows = ["begin it", *(f"- {letter}" for letter in "abcdefgh")]
    assert [measure(rows, number)["before long run"] for number in (1, 2, 3, 9)] == [1.0, 1.0, 0.0, 0.0]


def test_shapes_below_a_line_are_compared_with_those_above_it() -> None:
    rows = ["- a", "- b", "* other", "x = 1", "x = 2", "* more", "- c"]
    assert (measure(rows, 3)["shape change"], measure(rows, 3)["new shapes"]) == (1 - 1 / 3, 0.0)
    rows = ["- a", "- b", "(c)", "x = 1", "x = 2"]
    assert (measure(rows, 3)["shape change"], measure(rows, 3)["new shapes"]) == (1.0, 1.0)
    assert "shape change" not in measure(rows, 1)


def test_an_odd_line_stands_between_equal_ones() -> None:
    rows = ["- a", "- b", "(c)", "- d", "x = 1"]
    assert [measure(rows, number)["odd between"] for number in (2, 3, 4)] == [0.0, 1.0, 0.0]


@given(st.lists(st.text(alphabet="ab1 :=-\t\x1b[m", max_size=12), min_size=1, max_size=40))
def test_each_line_that_is_not_blank_can_be_measured(rows: list[str]) -> None:
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    surroundings = LineSurroundings(forms, find_headings(forms, DEEPEST))
    for number in range(1, forms.total + 1):
        if forms.form_of(number):
            assert all(math.isfinite(value) for value in measure_line(surroundings, forms, number).values())
