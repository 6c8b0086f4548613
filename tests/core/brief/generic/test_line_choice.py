"""Cutting long lines."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic import line_choice
from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.line_choice import (
    PLACE_TOKENS,
    LineChoice,
    TokenBudget,
    cut_line,
    describe_order,
    find_ordered_forms,
    list_candidates,
)
from ctxkit.core.brief.outline import MARK_LENGTH
from ctxkit.core.text.lines import lines_from_bytes


def chosen(rows, room):
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    return LineChoice(forms, TokenBudget(lambda text: len(text) // 3 + 1, room), find_headings(forms, DEEPEST)).order


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
    order = LineChoice(forms, TokenBudget(lambda text: len(text) // 3 + 1, 1_000), (), {1, 4, 8}).order
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


FATAL = (
    'fatal: [db1]: FAILED! => {"changed": true, "cmd": ["cat", "/etc/app/db1.conf"], "delta": "0:00:00.032602", '
    '"end": "2026-11-25 20:19:32.079669", "msg": "non-zero return code", "rc": 1, "start": "2026-11-25", '
    '"stderr": "cat: /etc/app/db1.conf: No such file or directory", "stdout": "", "stdout_lines": [], "more": "none of it"}'
)
EVENT = f'  Warning  FailedMount  38s (x14)  kubelet{"":40}MountVolume failed for volume "tls" : secret "web-tls-2027q1" not found'


def test_what_was_not_found_stands_before_the_reason() -> None:
    assert cut_line(EVENT, 60).endswith('web-tls-2027q1" not found')


def rejoin(cut: str, text: str) -> str:
    """Put back what the marks of a cut stand for."""
    whole = ""
    for part in re.split(r"( \[\+\d+ chars\] ?)", cut):
        mark = re.fullmatch(r" \[\+(\d+) chars\] ?", part)
        whole += text[len(whole) : len(whole) + int(mark[1])] if mark else part
    return whole


def test_a_short_line_stays() -> None:
    assert cut_line("a" * (80 + MARK_LENGTH), 80) == "a" * (80 + MARK_LENGTH)


def test_a_long_line_ends_in_the_number_of_characters_left_out() -> None:
    assert cut_line("word " * 100, 80) == f"{'word ' * 16}".rstrip() + " [+420 chars]"


def test_an_indentation_that_takes_half_of_the_width_is_left_out() -> None:
    assert cut_line(" " * 50 + "x" * 90, 80) == "x" * 90


def test_the_reason_of_a_failure_is_quoted_from_the_middle() -> None:
    cut = cut_line(FATAL, 120)
    assert cut.startswith("fatal: [db1]: FAILED! => {")
    assert "] cat: /etc/app/db1.conf: No such file or directory" in cut
    assert len(cut) < 120 + 3 * MARK_LENGTH
    assert rejoin(cut, FATAL) == FATAL


def test_a_line_without_trouble_is_cut_at_its_end_only() -> None:
    text = 'ok: {"changed": true, ' + "word " * 40 + '"stderr": "No such file"}'
    assert cut_line(text, 100).count("chars]") == 1


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=40), st.integers(60, 400), st.data())
def test_marks_count_what_they_stand_for(word: str, width: int, data: st.DataObject) -> None:
    words = st.sampled_from([word or "x", "not found", "error:", '"cannot open"', "{", "12"])
    text = "error: " + " ".join(data.draw(st.lists(words, min_size=1, max_size=80)))
    cut = cut_line(text, width)
    assert len(cut) <= width + 3 * MARK_LENGTH
    assert rejoin(cut, text) == text


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
    monkeypatch.setattr(line_choice, "BLOCK_LINES", 500)
    rows = [f"{number:05} x" for number in range(total)]
    assert order_of(rows) == f", column 1 rises from 00000 to {total - 1:05} by 1 each"
    assert order_of([*rows, f"{total + 7:05} x"]) == f", column 1 rises from 00000 to {total + 7:05}"
    assert order_of([*rows, "00003 x"]) == ""
    assert order_of([f"{row}{row[-2:]} y" for row in sorted(map(chr, range(256, 256 + total)))]) == ", sorted"
