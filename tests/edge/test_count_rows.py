"""Rows of counts, and the names in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.count.amount import Amount
from ctxkit.core.count.content import ContentTokens, to_plain
from ctxkit.core.errors import MissingInputError
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.edge.count_rows import (
    ItemAnswers,
    decode_name,
    encode_line,
    format_range,
    format_table,
    read_count,
    sum_results,
    title_of,
)


def test_a_title_is_one_line() -> None:
    assert title_of("-") == title_of("") == "stdin"
    assert title_of("a\nb") == "a\\nb"


def test_a_name_that_is_no_text_is_shown_all_the_same() -> None:
    assert encode_line({"name": decode_name("\udcff")}) == '{"name":"\ufffd"}\n'.encode()


def test_an_exact_number_has_one_end() -> None:
    assert format_range(Amount(7, 8, 9)) == "7 to 9 tokens"
    assert format_range(Amount(1, 1, 1)) == "1 token"


def test_a_sum_is_exact_if_all_its_parts_are() -> None:
    exact = ContentTokens("a", Amount(5, 5, 5), "exact", 20, 2, format="text", messages=1)
    estimate = ContentTokens("b", Amount(1, 2, 3), "estimate", 9, 1, format="openai", messages=4)
    assert sum_results([exact, exact]) == ContentTokens("total", Amount(10, 10, 10), "exact", 40, 4, format="text", messages=2)
    assert sum_results([exact, estimate]) == ContentTokens("total", Amount(6, 7, 8), "estimate", 29, 3, format="mixed", messages=5)


def test_numbers_stand_right_and_words_left() -> None:
    rows = [(5, "exact", "a b"), (120, "estimate", "c")]
    assert list(format_table(rows)) == ["  5 exact    a b\n", "120 estimate c\n"]
    assert list(format_table([(7,)])) == ["7\n"]
    assert list(format_table([])) == []


@given(present=st.sets(st.integers(0, 30)))
def test_each_answer_is_taken_for_its_item(present: set[int]) -> None:
    answers = ItemAnswers((index, f"answer {index}") for index in sorted(present))
    assert [answers.take(index) for index in range(31)] == [f"answer {index}" if index in present else None for index in range(31)]


def test_a_count_is_read() -> None:
    count = ContentTokens("a.txt", Amount(1, 2, 3), "exact", 4, 5)
    assert read_count(to_plain(count)) == count


def test_an_error_is_raised() -> None:
    with pytest.raises(MissingInputError, match="no such file"):
        read_count(MissingInputError("no such file"))


def test_garbage_is_an_error() -> None:
    with pytest.raises(WorkerDiedError, match="sent no count"):
        read_count("garbage")
