from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.line_choice import LineChoice
from ctxkit.core.text.lines import lines_from_bytes


def chosen(rows, room):
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    return LineChoice(forms, lambda text: len(text) // 3 + 1, room).order


def test_head_end_the_error_and_the_rare_line_come_first() -> None:
    rows = [f"  compiled module number {number}" for number in range(2_000)]
    rows[0], rows[-1] = "begin of it all", "the end"
    rows[777], rows[1234] = "error: no such thing", "* (something else)"
    numbers = {number for number, _ in chosen(rows, 100)}
    assert {1, 2000, 778, 1235} <= numbers


def test_lines_of_one_form_wait_until_the_others_are_chosen() -> None:
    rows = [f"row {number}" for number in range(100)] + [f"name-{letter} is here" for letter in "abcdefgh"]
    numbers = [number for number, _ in chosen(rows, 150)]
    assert set(range(101, 109)) <= set(numbers)


@given(st.lists(st.sampled_from(["a 1", "b 2", "", "error: x", "  y"]), max_size=40))
def test_each_line_is_chosen_once_and_each_text_if_they_fit(rows: list[str]) -> None:
    order = chosen(rows, 10_000)
    numbers = [number for number, _ in order]
    assert len(set(numbers)) == len(numbers)
    assert {text for _, text in order} == {row for row in rows if row.strip()}


def test_a_text_that_comes_back_again_and_again_is_not_repeated() -> None:
    assert len(chosen(["the same line"] * 500, 10_000)) < 10


def test_a_line_is_not_cut_inside_its_indentation() -> None:
    rows = ["begin", *(f"{' ' * 90}deep {number}" for number in range(3)), " " * 220 + "x" * 600, "end"]
    texts = dict(chosen(rows, 10_000))
    assert texts[5].startswith("x" * 100)
    assert all(texts[number].strip() == rows[number - 1].strip() for number in (2, 3, 4))


def test_tabs_stay_in_quoted_lines() -> None:
    assert [text for _, text in chosen(["a:\tb\x1b[0m", "", "\tc\t"], 100)] == ["a:\tb", "\tc"]


def test_all_lines_are_chosen_if_they_fit() -> None:
    rows = [f"  size of part {number}" for number in range(120)]
    assert sorted(number for number, _ in chosen(rows, 10_000)) == list(range(1, 121))
