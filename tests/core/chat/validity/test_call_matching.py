from ctxkit.core.chat.editing.editable_format import ApiRules
from ctxkit.core.chat.model.record import RecordCall, RecordResult
from ctxkit.core.chat.validity.call_matching import PlacedCall, PlacedResult, list_complement, match_calls
from ctxkit.core.chat.validity.turns import Turn

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
