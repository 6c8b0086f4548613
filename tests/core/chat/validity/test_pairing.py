"""Which result belongs to which call."""

from time import process_time

import pytest

from ctxkit.core.chat.editing import ApiRules, ResultLayout
from ctxkit.core.chat.model.message import Record, RecordCall, RecordResult
from ctxkit.core.chat.validity.pairing import (
    PlacedCall,
    PlacedResult,
    Turn,
    find_cut_points,
    find_sender_end,
    find_turns,
    list_complement,
    match_calls,
    pair_calls,
    sender_of,
)
from tests.core.chat.talks import Said
from tests.core.compact.sizes import read, written

NEAR, NEXT, ANY, WITHIN = (ApiRules(layout) for layout in ("near", "next", "any", "within"))
NAMELESS = ApiRules("next", has_call_ids=False)


def talk(*records):
    """Return records: calls are given as texts that begin with "?", results as those with "!", each ID or ID:NAME."""
    made = []
    for at, (role, *said) in enumerate(records):
        calls = tuple(RecordCall(*named(one), unit=("c", number)) for number, one in enumerate(said) if one[0] == "?")
        results = tuple(result(one, number) for number, one in enumerate(said) if one[0] == "!")
        made.append(Record(at, 0, 0, {}, role, calls=calls, results=results))
    return made


def named(text):
    id_, _, name = text[1:].partition(":")
    return id_, name


def result(text, number):
    id_, name = named(text)
    return RecordResult(id_, "out", ("c", number, "out"), name, unit=("c", number))


def ids(pairs):
    return [(asked.call.id or asked.call.name, told.at) for asked, told in pairs]


def test_the_first_of_two_results_is_that_of_the_call() -> None:
    found = pair_calls(talk(("user",), ("assistant", "?a"), ("tool", "!a"), ("tool", "!a")), NEAR)
    assert ids(found.paired) == [("a", 2)]
    assert [one.at for one in found.extra] == [3]


def test_an_id_that_is_used_again_belongs_to_the_calls_around_it() -> None:
    turns = [("user",), ("assistant", "?0"), ("tool", "!0"), ("assistant", "?0"), ("tool", "!0")]
    for rules in (NEAR, ANY):
        assert ids(pair_calls(talk(*turns), rules).paired) == [("0", 2), ("0", 4)]
        assert not pair_calls(talk(*turns), rules).repeated
    assert [one.at for one in pair_calls(talk(*turns), NEXT).repeated] == [3]


def test_a_result_anywhere_is_that_of_the_last_open_call_of_its_id() -> None:
    found = pair_calls(talk(("assistant", "?0"), ("user",), ("assistant", "?0"), ("user",), ("tool", "!0")), ANY)
    assert [(asked.at, told.at) for asked, told in found.paired] == [(2, 4)]
    assert [one.at for one in found.missing] == [0]


def test_without_ids_the_name_counts_then_the_order() -> None:
    found = pair_calls(talk(("user",), ("assistant", "?:f", "?:g", "?:f"), ("user", "!:g", "!:f", "!:f")), NAMELESS)
    assert [(asked.call.name, asked.call.unit[-1], told.result.unit[-1]) for asked, told in found.paired] == [
        ("f", 0, 1), ("g", 1, 0), ("f", 2, 2)
    ]  # fmt: skip


def test_where_one_side_has_no_id_they_belong_together_only_where_ids_are_not_kept() -> None:
    turns = talk(("user",), ("assistant", "?a:f"), ("user", "!:f"))
    assert ids(pair_calls(turns, NAMELESS).paired) == [("a", 2)]
    assert not pair_calls(turns, NEXT).paired


def test_a_result_may_stand_in_the_entry_of_its_call() -> None:
    found = pair_calls(talk(("user",), ("assistant", "?a", "!a"), ("assistant", "?b"), ("user",)), WITHIN)
    assert ids(found.paired) == [("a", 1)]
    assert [one.call.id for one in found.missing] == ["b"]


def test_a_call_that_needs_no_answer_is_no_concern_nor_is_its_result() -> None:
    records = talk(("user",), ("assistant", "?a", "!a"), ("user",))
    records[1] = records[1]._replace(calls=(records[1].calls[0]._replace(needs_no_result=True),))
    found = pair_calls(records, NEAR)
    assert (found.paired, found.missing, found.orphans, found.turns) == ((), (), (), ())


def test_a_call_waits_as_long_as_nothing_but_results_follow() -> None:
    for rules in (NEAR, NEXT, ANY):
        found = pair_calls(talk(("user",), ("assistant", "?a", "?b"), ("user", "!a")), rules)
        assert [one.call.id for one in found.waiting] == ["b"]
    closing = NEXT._replace(roles_alternate=True)
    assert [one.call.id for one in pair_calls(talk(("assistant", "?a", "?b"), ("user", "!a")), closing).missing] == ["b"]


def test_notes_between_messages_do_not_count() -> None:
    records = talk(("user",), ("assistant", "?a"), ("", ), ("tool", "!a"))
    records[2] = records[2]._replace(kind="note")
    assert len(pair_calls(records, NEAR).paired) == 1


@pytest.mark.slow
def test_many_calls_take_no_time() -> None:
    turns = [turn for at in range(5000) for turn in (("assistant", f"?{at}"), ("tool", f"!{at}"))]
    for rules in (NEAR, ANY):
        assert len(pair_calls(talk(*turns), rules).paired) == 5000


@pytest.mark.slow
def test_results_of_other_names_take_linear_time() -> None:
    began = process_time()
    pairing = pair_calls(talk(("user",), ("assistant", *["?:a"] * 10_000), ("tool", *["!:b"] * 10_000)), NAMELESS)
    assert not pairing.paired
    assert process_time() - began < 5  # in squared time 30 s


def test_parallel_calls_without_ids_get_their_results_in_order() -> None:
    names = [f":{name}" for name in ("a", "b", "a")]
    pairing = pair_calls(talk(("user",), ("assistant", *(f"?{name}" for name in names * 200)), ("tool", *(f"!{name}" for name in names * 200))), NAMELESS)
    assert [asked.number for asked, _ in pairing.paired] == [told.result.unit[1] for _, told in pairing.paired]
    assert len(pairing.paired) == 600


def test_the_same_entries_are_paired_once() -> None:
    records = [Record(at, 0, 1, {"content": "x"}, "user") for at in range(2)]
    rules = ApiRules("near")
    assert pair_calls(list(records), rules) is pair_calls(list(records), rules)
    assert pair_calls(records, rules) is not pair_calls(records[:1], rules)
    assert pair_calls(records, rules) is not pair_calls([record._replace() for record in records], rules)


NEXT_RULES, NAMELESS_RULES = ApiRules("next"), ApiRules("next", has_call_ids=False)


def make_call(at: int, id_: str, turn: int = 0, name: str = "") -> PlacedCall:
    return PlacedCall(at, RecordCall(id_, name), turn)


def make_result(at: int, id_: str, name: str = "") -> PlacedResult:
    return PlacedResult(at, RecordResult(id_, "out", ("c", at), name))


def test_each_result_belongs_to_the_call_of_its_id_within_the_turn() -> None:
    calls = [make_call(1, "a"), make_call(1, "b"), make_call(4, "a", turn=1)]
    results = [make_result(2, "b"), make_result(3, "a"), make_result(5, "a"), make_result(5, "c")]
    turns = [Turn(1, 1, 2, 4), Turn(4, 4, 5, 6)]
    assert match_calls(calls, results, turns, NEXT_RULES) == ({1: 0, 0: 1, 2: 2}, {})


def test_a_result_behind_the_end_of_its_turn_is_displaced() -> None:
    assert match_calls([make_call(1, "a")], [make_result(4, "a")], [Turn(1, 1, 2, 3)], NEXT_RULES) == ({}, {0: 0})


def test_without_ids_names_decide_then_the_order() -> None:
    calls = [make_call(1, "", name="f"), make_call(1, "", name="g"), make_call(1, "", name="f")]
    results = [make_result(2, "", "g"), make_result(2, "", "f"), make_result(2, "", "f")]
    assert match_calls(calls, results, [Turn(1, 1, 2, 3)], NAMELESS_RULES) == ({1: 0, 0: 1, 2: 2}, {})


def test_a_displaced_result_is_found_by_its_id_anywhere_and_by_its_name_only_behind_the_call() -> None:
    turns = [Turn(3, 3, 4, 4), Turn(5, 5, 6, 6)]
    calls, results = [make_call(3, "a"), make_call(5, "b", turn=1)], [make_result(1, "b"), make_result(9, "a")]
    assert match_calls(calls, results, turns, NEXT_RULES) == ({}, {0: 1, 1: 0})
    named = [make_call(3, "", name="f"), make_call(5, "", turn=1, name="g")]
    placed = [make_result(1, "", "f"), make_result(9, "", "g")]
    assert match_calls(named, placed, turns, NAMELESS_RULES) == ({}, {1: 1})


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


def of(name, plan):
    transcript = read(written(name, plan), name)
    return transcript.records, transcript.format.RULES


PLAN = [
    *(Said("user", "Go."), Said("assistant", "", (("a", "run"), ("b", "read"))), Said("tool", results=(("a", "run"), ("b", "read")))),
    *(Said("assistant", "Done."), Said("user", "More."), Said("assistant", "", (("c", "run"),))),
]


def test_calls_stay_with_their_results_and_an_open_call_with_the_end() -> None:
    path, rules = of("openai", PLAN)
    assert find_cut_points(path, rules) == ["free", "free", "closed", "closed", "free", "free", "free", "closed"]


def test_calls_of_one_response_stay_together_where_each_is_an_entry() -> None:
    path, rules = of("responses", PLAN)
    assert find_cut_points(path, rules)[1:6] == ["free", "closed", "closed", "closed", "free"]


def thinking(*blocks):
    return {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, *blocks]}


def test_a_loop_that_begins_with_reasoning_may_be_cut_where_its_rest_does_so_too() -> None:
    import json

    call = [{"type": "tool_use", "id": f"t{n}", "name": "run", "input": {}} for n in range(3)]
    told = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": "x"}]} for n in range(3)]
    rows = [
        *({"role": "user", "content": "Go."}, thinking(call[0]), told[0]),
        *({"role": "assistant", "content": [call[1]]}, told[1], thinking(call[2]), told[2]),
        *({"role": "assistant", "content": "Done."}, {"role": "user", "content": "Thanks."}),
    ]
    transcript = read(json.dumps(rows).encode(), "anthropic")
    found = find_cut_points(transcript.records, transcript.format.RULES)
    assert found == ["free", "free", "closed", "closed", "closed", "loop", "closed", "closed", "free", "free"]
