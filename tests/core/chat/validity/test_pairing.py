"""Which result belongs to which call."""

from time import process_time

import pytest

from ctxkit.core.chat.editing.editable_format import ApiRules
from ctxkit.core.chat.model.message import Record, RecordCall, RecordResult
from ctxkit.core.chat.validity.pairing import pair_calls

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
