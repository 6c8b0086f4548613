from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.candidates import list_candidates
from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.text.lines import lines_from_bytes


def candidates(rows, most):
    return list_candidates(LineForms(lines_from_bytes("\n".join(rows).encode())), most)


def test_all_lines_of_a_short_text_that_are_not_blank_are_candidates() -> None:
    assert candidates(["a", "", "b", "  ", "c"], 5) == [1, 3, 5]


def test_ends_trouble_rare_forms_and_a_sample_of_a_long_text_are_candidates() -> None:
    rows = [f"module number {number}" for number in range(2_000)]
    rows[776], rows[1233] = "error: no such thing", "* (something else)"
    numbers = candidates(rows, 100)
    assert {*range(1, 11), *range(1_991, 2_001), 777, 1_234} <= set(numbers)
    assert 60 < len(numbers) <= 100
    assert max(after - before for before, after in pairwise(numbers)) < 60


def test_the_first_of_many_errors_are_candidates() -> None:
    rows = ["begin"] * 100 + ["error: it broke"] * 500 + ["end"] * 100
    assert set(range(101, 121)) <= set(candidates(rows, 100))


@given(st.lists(st.sampled_from(["a", "b 1", "", "error: x", "  y", "=="]), max_size=60), st.integers(10, 60))
def test_candidates_are_lines_in_order_that_are_not_blank(rows: list[str], most: int) -> None:
    numbers = candidates(rows, most)
    assert numbers == sorted(set(numbers))
    assert len(numbers) <= most
    assert all(rows[number - 1].strip() for number in numbers)
