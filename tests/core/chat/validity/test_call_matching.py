"""Who sends a message, and where the results of a response may be."""

import pytest

from ctxkit.core.chat.editing.editable_format import ApiRules, ResultLayout
from ctxkit.core.chat.model.message import Record, RecordCall, RecordResult
from ctxkit.core.chat.validity.call_matching import (
    PlacedCall,
    PlacedResult,
    Turn,
    find_sender_end,
    find_turns,
    list_complement,
    match_calls,
    sender_of,
)

NEXT, NAMELESS = ApiRules("next"), ApiRules("next", has_call_ids=False)


def make_call(at: int, id_: str, turn: int = 0, name: str = "") -> PlacedCall:
    return PlacedCall(at, RecordCall(id_, name), turn)


def make_result(at: int, id_: str, name: str = "") -> PlacedResult:
    return PlacedResult(at, RecordResult(id_, "out", ("c", at), name))


def test_each_result_belongs_to_the_call_of_its_id_within_the_turn() -> None:
    calls = [make_call(1, "a"), make_call(1, "b"), make_call(4, "a", turn=1)]
    results = [make_result(2, "b"), make_result(3, "a"), make_result(5, "a"), make_result(5, "c")]
    turns = [Turn(1, 1, 2, 4), Turn(4, 4, 5, 6)]
    assert match_calls(calls, results, turns, NEXT) == ({1: 0, 0: 1, 2: 2}, {})


def test_a_result_behind_the_end_of_its_turn_is_displaced() -> None:
    assert match_calls([make_call(1, "a")], [make_result(4, "a")], [Turn(1, 1, 2, 3)], NEXT) == ({}, {0: 0})


def test_without_ids_names_decide_then_the_order() -> None:
    calls = [make_call(1, "", name="f"), make_call(1, "", name="g"), make_call(1, "", name="f")]
    results = [make_result(2, "", "g"), make_result(2, "", "f"), make_result(2, "", "f")]
    assert match_calls(calls, results, [Turn(1, 1, 2, 3)], NAMELESS) == ({1: 0, 0: 1, 2: 2}, {})


def test_a_displaced_result_is_found_by_its_id_anywhere_and_by_its_name_only_behind_the_call() -> None:
    turns = [Turn(3, 3, 4, 4), Turn(5, 5, 6, 6)]
    calls, results = [make_call(3, "a"), make_call(5, "b", turn=1)], [make_result(1, "b"), make_result(9, "a")]
    assert match_calls(calls, results, turns, NEXT) == ({}, {0: 1, 1: 0})
    named = [make_call(3, "", name="f"), make_call(5, "", turn=1, name="g")]
    placed = [make_result(1, "", "f"), make_result(9, "", "g")]
    assert match_calls(named, placed, turns, NAMELESS) == ({}, {1: 1})


def test_the_numbers_that_are_left_are_in_order() -> None:
    assert list_complement(5, (3, 0)) == [1, 2, 4]


CALL, RESULT = RecordCall("a", "run"), RecordResult("a", "out", ())


def make_records(*roles: str) -> list[Record]:
    """Return a record for each role; "call" is an assistant's message with a call, "tool" one with its result."""
    return [
        Record(
            at,
            0,
            0,
            {},
            "assistant" if role == "call" else role,
            calls=(CALL,) if role == "call" else (),
            results=(RESULT,) if role == "tool" else (),
        )
        for at, role in enumerate(roles)
    ]


def test_a_run_is_what_one_sender_says_in_a_row() -> None:
    records = make_records("assistant", "user", "tool", "assistant", "system")
    assert [sender_of(record) for record in records] == ["assistant", "user", "user", "assistant", "system"]
    assert [find_sender_end(records, at) for at in range(5)] == [1, 3, 3, 4, 5]


@pytest.mark.parametrize(
    ("layout", "turn"),
    [("near", Turn(1, 1, 2, 3)), ("next", Turn(1, 1, 2, 4)), ("any", Turn(1, 1, 1, 5)), ("within", Turn(1, 1, 1, 2))],
)
def test_results_are_expected_where_the_layout_says(layout: ResultLayout, turn: Turn) -> None:
    records = make_records("user", "call", "tool", "user", "assistant")
    assert list(find_turns(records, ApiRules(layout))) == [turn]


def test_a_conversation_without_calls_has_no_turns() -> None:
    assert list(find_turns(make_records("user", "assistant"), ApiRules("near"))) == []
