import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.line_choice import PLACE_TOKENS, LineChoice
from ctxkit.core.text.lines import lines_from_bytes


def chosen(rows, room):
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    return LineChoice(forms, lambda text: len(text) // 3 + 1, room, find_headings(forms, DEEPEST)).order


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
    rows = [f"  size of part {number * number}" for number in range(120)]
    assert sorted(number for number, _ in chosen(rows, 10_000)) == list(range(1, 121))


def test_lines_that_are_quoted_already_are_not_chosen() -> None:
    rows = [f"name-{letter} is here" for letter in "abcdefgh"]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    order = LineChoice(forms, lambda text: len(text) // 3 + 1, 1_000, (), {1, 4, 8}).order
    assert sorted(number for number, _ in order) == [2, 3, 5, 6, 7]


@pytest.mark.slow
def test_the_room_is_used_and_exceeded_by_one_line_at_most() -> None:
    rows = [f"name-{number % 7} of {number}" for number in range(4_000)]
    for room in (20, 100, 1_000):
        texts = [text for _, text in chosen(rows, room)]
        used = sum(len(text) // 3 + 1 + PLACE_TOKENS + 5 for text in texts)
        assert used >= room - 20
        assert sum(len(text) // 3 + 1 for text in texts[:-1]) < room


def test_of_numbers_in_order_the_first_is_chosen() -> None:
    rows = ["begin", *map(str, range(1_000, 1_100)), "end"]
    assert sorted(number for number, _ in chosen(rows, 500)) == [1, 2, 102]
    assert chosen(rows[1:-1], 500) == [(1, "1000")]


def test_of_equal_lines_those_beside_a_chosen_line_cost_less() -> None:
    rows = [f"  copy item {letter}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"] * 8
    rows[100] = "error: cannot open data.db"
    numbers = [number for number, _ in chosen(rows, 60)]
    assert numbers.index(101) < 3
    others = set(numbers) - {1, 101, 208}
    assert len(others) > 2
    assert all({number - 1, number + 1} & set(numbers) for number in others)


def test_the_order_is_the_same_each_time() -> None:
    rows = [f"name-{letter} {letter * 3}" for letter in "abcdefghijklmnop"] * 20
    assert chosen(rows, 300) == chosen(rows, 300)
