import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic import line_order
from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.line_order import describe_order, find_ordered_forms
from ctxkit.core.text.lines import lines_from_bytes


def order_of(rows):
    return describe_order(lines_from_bytes("\n".join(rows).encode()), 1, len(rows))


@pytest.mark.parametrize(
    ("rows", "order"),
    [
        ([str(number) for number in range(1, 21)], ", rises from 1 to 20 by 1 each"),
        ([f"blob {number * number} x" for number in range(20, 0, -1)], ", column 2 falls from 400 to 1"),
        ([f"{letter}{other}" for letter in "abcd" for other in "abcd"], ", sorted"),
        (
            [f"file_{number} is ok (2)" for number in range(90, 120)],
            ", its only varying number rises from 90 to 119 by 1 each",
        ),
        ([f"{letter}{other}" for letter in "dacb" for other in "abcd"], ""),
        (["same 1"] * 30, ""),
        ([str(number) for number in range(5)], ""),
        ([str(number % 7) for number in range(60)], ""),
    ],
)
def test_an_order_is_stated_if_all_lines_keep_it(rows: list[str], order: str) -> None:
    assert order_of(rows) == order


@given(st.lists(st.integers(-50, 50), min_size=12, max_size=40))
def test_numbers_that_rise_or_fall_are_told_from_others(numbers: list[int]) -> None:
    order = order_of([f"n {number}" for number in numbers])
    rises, falls = numbers == sorted(numbers), numbers == sorted(numbers, reverse=True)
    assert "rises" not in order or rises
    assert "falls" not in order or falls
    assert "sorted" not in order or [f"n {number}" for number in numbers] == sorted(f"n {n}" for n in numbers)


def find(rows):
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    return [forms.texts[form] for form in find_ordered_forms(forms)]


def test_lines_of_a_number_are_ordered_if_all_their_runs_are() -> None:
    rising = [str(number) for number in range(1, 61)]
    assert find(["begin", *rising, "middle", *rising]) == ["0"]
    assert find(["begin", *rising, "5", "4"]) == []
    assert find(["begin", *rising[:20]]) == []


def test_lines_are_ordered_if_only_one_number_changes_by_the_same_step() -> None:
    rising = [f"compiling module {number} of 900" for number in range(1, 181, 3)]
    assert find(["begin", *rising, "middle", *rising]) == ["compiling module 0 of 0"]
    for other in ("compiling module 182 of 900", "compiling module 181 of 901"):
        assert find([*rising, other]) == []
    assert find([*rising, "middle", *rising[:3]]) == []
    assert find([*rising, "middle", *rising[:1]]) == ["compiling module 0 of 0"]


@pytest.mark.parametrize("total", [999, 1_000, 1_001, 2_500])
def test_an_order_is_measured_over_all_blocks_of_lines(total: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_order, "BLOCK_LINES", 500)
    rows = [f"{number:05} x" for number in range(total)]
    assert order_of(rows) == f", column 1 rises from 00000 to {total - 1:05} by 1 each"
    assert order_of([*rows, f"{total + 7:05} x"]) == f", column 1 rises from 00000 to {total + 7:05}"
    assert order_of([*rows, "00003 x"]) == ""
    assert order_of([f"{row}{row[-2:]} y" for row in sorted(map(chr, range(256, 256 + total)))]) == ", sorted"
