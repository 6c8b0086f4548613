"""Answers of other processes are taken by index; an absent one is None."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.count.amount import Amount
from ctxkit.core.count.content_tokens import ContentTokens
from ctxkit.core.count.plain_data import to_plain
from ctxkit.core.errors import MissingInputError
from ctxkit.core.text.worker_interface import WorkerDiedError
from ctxkit.edge.item_answers import ItemAnswers, read_count


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
