"""What a change must keep."""

import pytest
from hypothesis import given, settings

from ctxkit.core.chat.branches.active_path import Change, apply_change
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.change_invariants import find_change_breaches
from tests.core.chat.talks import FORMATS, plans
from tests.core.chat.validity.entries import DONE, GO, asks, call, holds, output, read, says, tells, uses
from tests.example_counts import count_examples


def changed(transcript, change):
    """Return a conversation after a change."""
    return parse_transcript(apply_change(transcript, change).encode(), "chat", transcript.format)


def without(transcript, *gone):
    """Return a conversation without some of its entries."""
    return changed(transcript, Change(frozenset(gone)))


LOOP = [GO, uses("a", thinks=True), holds("a"), uses("b"), holds("b"), uses("c", thinks=True), holds("c"), DONE]
SEALED = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}
REASON = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gBBB"}


@pytest.mark.parametrize(
    ("gone", "wrong"),
    [
        ((), []),
        ((1, 2, 3, 4, 5, 6, 7), []),
        ((1, 2, 3, 4), []),
        ((1, 2), [("loop", 2, ("a",))]),
        ((3, 4), [("loop", 4, ("b",))]),
        ((5, 6), [("loop", 6, ("c",))]),
        ((7,), [("loop", 8, ())]),
    ],
)
def test_a_loop_that_begins_with_reasoning_is_left_from_such_a_message_on_or_not_at_all(gone, wrong) -> None:
    before = read("anthropic", LOOP)
    assert [(one.rule, one.line, one.ids) for one in find_change_breaches(before, without(before, *gone))] == wrong


@pytest.mark.parametrize("name", ["anthropic", "claude-code"])
def test_a_shortened_answer_does_not_tear_its_loop(name) -> None:
    last = {"role": "assistant", "content": [{"type": "text", "text": "Done: " + "x" * 50}]}
    values = [GO, uses("a", thinks=True), holds("a"), last]
    if name == "claude-code":
        types = ("user", "assistant", "user", "assistant")
        values = [
            {"type": kind, "uuid": str(at), "parentUuid": str(at - 1) if at else None, "message": value}
            for at, (kind, value) in enumerate(zip(types, values, strict=True))
        ]
    before = read(name, values)
    [passage] = before.records[3].passages
    shorter = Change(patches={3: [ValuePatch(passage.place, "Done: x")]})
    assert find_change_breaches(before, changed(before, shorter)) == ()
    assert [breach.line for breach in find_change_breaches(before, without(before, 3))] == [4]


def test_a_shortened_answer_does_not_replace_another() -> None:
    middle = {"role": "assistant", "content": [{"type": "text", "text": "Next."}]}
    loop = [GO, uses("a", thinks=True), holds("a"), middle, uses("b"), holds("b"), {**middle, "content": [{"type": "text", "text": "End."}]}]
    before = read("anthropic", loop)
    [passage] = before.records[6].passages
    shorter = {6: [ValuePatch(passage.place, "E")]}
    [breach] = find_change_breaches(before, changed(before, Change(frozenset({3}), patches=shorter)))
    assert (breach.rule, breach.line) == ("loop", 4)


def test_a_loop_without_reasoning_may_be_cut_anywhere() -> None:
    before = read("anthropic", [GO, uses("a"), holds("a"), uses("b"), holds("b"), DONE])
    assert find_change_breaches(before, without(before, 1, 2)) == ()


def test_calls_of_one_response_stay_together() -> None:
    before = read("responses", [says("user"), call("a"), call("b"), output("a"), output("b"), call("c"), output("c")])
    assert find_change_breaches(before, without(before, 1, 2, 3, 4)) == ()
    [breach] = find_change_breaches(before, without(before, 2, 4))
    assert (breach.rule, breach.line, breach.ids) == ("together", 2, ("b",))


def test_ids_that_several_responses_use_do_not_mislead() -> None:
    before = read("openai", [GO, asks("0", "1"), tells("0"), tells("1"), GO, asks("0"), tells("0"), DONE])
    assert find_change_breaches(before, without(before, 1, 2, 3)) == ()


def test_what_only_the_provider_can_read_stays_as_it_is() -> None:
    before = read("responses", [says("user"), SEALED, says("user"), REASON, call("a"), output("a"), says("assistant")])
    assert find_change_breaches(before, without(before, 0, 2)) == ()
    assert find_change_breaches(before, without(before, 3, 4, 5, 6)) == ()
    [breach] = find_change_breaches(before, without(before, 1))
    assert (breach.rule, breach.line) == ("sealed", 2)
    other = read("responses", [{**SEALED, "encrypted_content": "gXXX"}, *(record.value for record in before.records[2:])])
    assert [one.rule for one in find_change_breaches(before, other)] == ["sealed"]


def test_what_only_the_provider_can_read_keeps_its_order() -> None:
    second = {**SEALED, "id": "cmp_2"}
    before = read("responses", [says("user"), SEALED, second, says("assistant")])
    after = read("responses", [says("user"), second, SEALED, says("assistant")])
    assert [(one.rule, one.line) for one in find_change_breaches(before, after)] == [("sealed", 3)]


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("name", FORMATS)
@given(plan=plans)
@settings(max_examples=count_examples(20), deadline=None)
def test_what_was_not_changed_has_kept_everything(name, plan) -> None:
    transcript = parse_transcript(FORMATS[name][1](FORMATS[name][0](plan)), "chat", get_format(name))
    assert find_change_breaches(transcript, transcript) == ()
