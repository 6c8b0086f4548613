from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.model.message import Record, RecordCall, RecordResult
from ctxkit.core.summary.call_results import find_answers


def record(at, calls=(), results=()):
    return Record(
        at, 0, 1, {},
        calls=tuple(RecordCall(id_, name) for id_, name in calls),
        results=tuple(RecordResult(id_, text, (), name) for id_, name, text in results),
    )  # fmt: skip


def texts(records):
    return [answer[2].text if answer else None for _, _, answer in find_answers(records)]


def test_calls_with_one_id_get_one_result_after_the_other() -> None:
    calls = record(0, [("c", "run"), ("c", "run")])
    assert texts([calls, record(1, results=[("c", "", "one")]), record(2, results=[("c", "", "two")])]) == ["one", "two"]


def test_a_result_before_its_call_is_used_if_no_other_is_left() -> None:
    before = [record(0, results=[("c", "", "early"), ("c", "", "earlier than the call")])]
    assert texts([*before, record(1, [("c", "run")])]) == ["earlier than the call"]
    assert texts([*before, record(1, [("c", "run")]), record(2, results=[("c", "", "late")])]) == ["late"]


def test_without_an_id_the_name_decides_and_the_order() -> None:
    calls = record(0, [("", "a"), ("", "b"), ("", "b")])
    results = record(1, results=[("", "b", "of b"), ("", "", "of either"), ("", "a", "of a")])
    assert texts([calls, results]) == ["of either", "of b", None]
    assert texts([results._replace(at=0), calls._replace(at=1)]) == [None, None, None]


def test_an_id_that_no_call_has_is_ignored() -> None:
    calls = [record(0, [("", "glob")]), record(2, [("", "glob")])]
    results = [record(1, results=[("glob_17_0", "glob", "one")]), record(3, results=[("glob_18_0", "glob", "two")])]
    assert texts([calls[0], results[0], calls[1], results[1]]) == ["one", "two"]


IDS = st.sampled_from(["", "x", "y"])
NAMES = st.sampled_from(["", "a", "b"])
CALLS = st.lists(st.tuples(IDS, NAMES), max_size=3)


@given(st.lists(st.tuples(CALLS, CALLS), max_size=6))
def test_no_result_is_used_twice_and_all_calls_are_named(rows) -> None:
    records = [
        record(at, calls, [(id_, name, f"{at} {number}") for number, (id_, name) in enumerate(results)])
        for at, (calls, results) in enumerate(rows)
    ]
    answers = [text for text in texts(records) if text]
    assert len(answers) == len(set(answers))
    assert [(at, call) for at, call, _ in find_answers(records)] == [(item.at, call) for item in records for call in item.calls]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "result"), [(("c", "run"), ("c", "", "ok")), (("", "a"), ("", "b", "ok")), (("", "a"), ("", "a", "ok"))]
)
def test_many_results_of_one_id_or_name_before_many_calls_take_linear_time(call, result) -> None:
    records = [*(record(at, results=[result]) for at in range(20_000)), *(record(at, [call]) for at in range(20_000))]
    began = process_time()
    assert len(list(find_answers(records))) == 20_000
    assert process_time() - began < 3  # in squared time 20 s
