import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.line_traits import (
    REACH,
    READ_WIDTH,
    LineSurroundings,
    LineTraits,
    list_words,
    measure_text,
)
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


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("3 passed", "success"),
        ("the build failed", "failure"),
        ("finished in 3 s", "result"),
        ("not here", "negation"),
        ("this is deprecated", "advice"),
        ("found 12 files", "items"),
        ("used 40 %", "percent"),
        ("took 40 ms", "unit"),
        ("  name = value", "equals value"),
        ("see src/a.py", "path"),
        ("at a.py:12", "place"),
        ("https://example.org", "url"),
        ("commit 3f9a2c8", "hash"),
        ("on 2024-05-06", "date"),
        ("cannot load 'x.so'", "quotation"),
        ("a -> b", "arrow"),
        ("an HTTP header", "capitals"),
        ("[info] begin", "tag"),
        ("  def f(x)", "code"),
        ("a  b  c", "columns"),
        ("Files:", "ends in colon"),
        ("int main() {", "ends in brace"),
    ],
)
def test_a_trait_is_present_in_a_line_that_has_it_and_absent_elsewhere(text: str, name: str) -> None:
    assert measure_text(text)[name] == 1.0
    assert name not in measure_text("plain words")


def test_shares_of_characters_are_counted_over_the_text_without_its_indentation() -> None:
    traits = measure_text("   ab 12!C")
    assert traits["digit share"] == pytest.approx(2 / 7)
    assert traits["capital share"] == pytest.approx(1 / 3)
    assert traits["mark share"] == pytest.approx(1 / 7)
    assert traits["length"] == pytest.approx(1.0)
    assert traits["begins with small letter"] == 1.0
    assert traits["word count"] == 1.0


def test_a_line_with_a_very_wide_indentation_has_the_traits_of_its_text() -> None:
    assert measure_text(" " * 300 + "error: 12")["failure"] == 1.0


def test_words_inside_words_do_not_count() -> None:
    assert "failure" not in measure_text("failedness of errorless things")
    assert list_words("The end, THE end2") == {"the", "end"}


@given(st.text(min_size=1).filter(str.strip))
def test_every_trait_is_a_finite_number(text: str) -> None:
    assert all(math.isfinite(value) for value in measure_text(text.strip()).values())


@pytest.mark.parametrize("unit", ["a", "1,", ".", "a/", "[", "'", "a ", "0x", "f0", "= ", "\u2022 ", "::"])
def test_a_line_is_measured_in_time_that_its_length_does_not_change(unit: str) -> None:
    assert measure_text(unit * READ_WIDTH) == measure_text((unit * READ_WIDTH)[:READ_WIDTH] + "tail" * 1_000_000)
    began = time.process_time()
    for _ in range(50):
        measure_text(unit * READ_WIDTH)
    assert time.process_time() - began < 1


def measure_line_surroundings(rows, number):
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    return measure_line(LineSurroundings(forms, find_headings(forms, DEEPEST)), forms, number)


def measure_line(surroundings, forms, number):
    near = forms.list_before(number, REACH), forms.list_after(number, REACH)
    parts = surroundings.list_parts(number, forms.form_of(number), *near)
    return {name: value for part in parts for name, value in part.items()}


def test_headings_are_traits_with_their_number_and_their_class() -> None:
    rows = [row for name in ("one", "two", "three") for row in (f"== {name}", "first row", "second row")]
    traits = measure_line_surroundings(rows, 4)
    assert (traits["heading"], traits["strong heading"]) == (1.0, 1.0)
    assert traits["heading count"] == pytest.approx(2.0)
    assert "heading" not in measure_line_surroundings(rows, 5)
    files = [row for name in ("one", "two", "three") for row in (f"{name}:", "row", "row")]
    assert (measure_line_surroundings(files, 4)["heading"], measure_line_surroundings(files, 4)["strong heading"]) == (1.0, 0.0)


def test_runs_of_one_shape_beside_a_line_are_counted_past_blank_lines() -> None:
    rows = ["- a", "- b", "", "- c", "* other", "x = 1", "x = 2"]
    traits = measure_line_surroundings(rows, 5)
    assert traits["run above"] == pytest.approx(2.0)
    assert traits["run below"] == pytest.approx(math.log2(3))
    long = ["begin it", *(f"- {letter}" for letter in "abcdefgh"), *(f"x = {number}" for number in range(90))]
    assert measure_line_surroundings(long, 50)["run above"] == measure_line_surroundings(long, 50)["run below"] == pytest.approx(math.log2(REACH + 1))


def test_a_line_before_a_long_run_differs_from_the_line_above_it() -> None:
    rows = ["begin it", *(f"- {letter}" for letter in "abcdefgh")]
    assert [measure_line_surroundings(rows, number)["before long run"] for number in (1, 2, 3, 9)] == [1.0, 1.0, 0.0, 0.0]


def test_shapes_below_a_line_are_compared_with_those_above_it() -> None:
    rows = ["- a", "- b", "* other", "x = 1", "x = 2", "* more", "- c"]
    assert (measure_line_surroundings(rows, 3)["shape change"], measure_line_surroundings(rows, 3)["new shapes"]) == (1 - 1 / 3, 0.0)
    rows = ["- a", "- b", "(c)", "x = 1", "x = 2"]
    assert (measure_line_surroundings(rows, 3)["shape change"], measure_line_surroundings(rows, 3)["new shapes"]) == (1.0, 1.0)
    assert "shape change" not in measure_line_surroundings(rows, 1)


def test_an_odd_line_stands_between_equal_ones() -> None:
    rows = ["- a", "- b", "(c)", "- d", "x = 1"]
    assert [measure_line_surroundings(rows, number)["odd between"] for number in (2, 3, 4)] == [0.0, 1.0, 0.0]


@given(st.lists(st.text(alphabet="ab1 :=-\t\x1b[m", max_size=12), min_size=1, max_size=40))
def test_each_line_that_is_not_blank_can_be_measured_of_line_surroundings(rows: list[str]) -> None:
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    surroundings = LineSurroundings(forms, find_headings(forms, DEEPEST))
    for number in range(1, forms.total + 1):
        if forms.form_of(number):
            assert all(math.isfinite(value) for value in measure_line(surroundings, forms, number).values())
