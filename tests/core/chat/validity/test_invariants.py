"""What must hold of every conversation."""

import pytest
from hypothesis import given, settings

from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.model.message import Record, RecordCall, RecordPassage, RecordResult
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import (
    find_blank_texts,
    find_breaches,
    find_change_breaches,
    find_element_list,
    get_value,
    is_empty_message,
    make_text_element,
    patch_call_ids,
    patch_ids,
    patch_value,
)
from tests.core.chat.talks import FORMATS, Said, plans
from tests.core.chat.validity.entries import (
    DONE,
    GO,
    HELLO,
    SYSTEM,
    answers,
    asks,
    call,
    holds,
    model,
    output,
    read,
    says,
    tells,
    uses,
)
from tests.example_counts import count_examples

FAULTS = [
    ("openai", [GO, asks("a"), GO], [("unanswered", 2, ("a",))]),
    ("openai", [GO, asks("a", "b"), tells("b"), GO], [("unanswered", 2, ("a",))]),
    ("openai", [GO, asks("a"), DONE, GO], [("unanswered", 2, ("a",))]),
    ("openai", [GO, tells("a"), DONE], [("orphan", 2, ("a",))]),
    ("openai", [GO, asks("a"), tells("a"), tells("a")], [("extra", 4, ("a",))]),
    ("openai", [GO, asks("a"), GO, tells("a")], [("displaced", 4, ("a",))]),
    ("openai", [GO, asks("a"), SYSTEM, tells("a")], [("displaced", 4, ("a",))]),
    ("openai", [GO, tells("a"), asks("a"), GO], [("displaced", 2, ("a",))]),
    ("openai", [GO, asks("a", "a"), tells("a"), tells("a")], [("repeated", 2, ("a",))]),
    ("openai", [GO, asks("a"), asks("b"), tells("a"), tells("b")], [("displaced", 4, ("a",))]),
    ("anthropic", [GO, uses("a"), GO], [("unanswered", 2, ("a",))]),
    ("anthropic", [GO, uses("a", "b"), holds("a")], [("unanswered", 2, ("b",))]),
    ("anthropic", [GO, uses("a"), holds("a", "b")], [("orphan", 3, ("b",))]),
    ("anthropic", [GO, uses("a"), holds("a", "a")], [("extra", 3, ("a",))]),
    ("anthropic", [GO, uses("a"), holds("a", before="So:")], [("behind", 3, ("a",))]),
    ("anthropic", [GO, uses("a"), holds("a"), uses("a"), holds("a")], [("repeated", 4, ("a",))]),
    ("anthropic", [GO, uses("a"), GO, DONE, holds("a")], [("displaced", 5, ("a",))]),
    ("anthropic", [GO, uses("a"), SYSTEM, holds("a")], [("displaced", 4, ("a",)), ("system", 3, ())]),
    ("anthropic", [DONE, GO, uses("a"), holds("a")], [("opening", 1, ())]),
    ("anthropic", [GO, GO, uses("a"), holds("a")], [("alternation", 2, ())]),
    ("anthropic", [GO, {"role": "assistant", "content": []}, GO, uses("a")], [("empty", 2, ())]),
    ("anthropic", [GO, uses("a", words=" "), holds("a")], [("empty", 2, ())]),
    ("responses", [says("user"), call("a"), says("user")], [("unanswered", 2, ("a",))]),
    ("responses", [says("user"), output("a"), call("b"), output("b")], [("orphan", 2, ("a",))]),
    ("responses", [says("user"), call("a"), output("a"), output("a")], [("extra", 4, ("a",))]),
    ("responses", [says("user"), output("a"), call("a"), says("user")], [("displaced", 2, ("a",))]),
    ("gemini", [HELLO, model("f", "g"), answers("f")], []),
    ("gemini", [HELLO, model("f", "f"), answers("f"), model(words="So.")], [("unanswered", 2, ())]),
    ("gemini", [HELLO, model("f"), answers("f", "f")], [("orphan", 3, ())]),
    ("gemini", [HELLO, model("f"), answers("g"), model(words="So.")], [("unanswered", 2, ()), ("orphan", 3, ())]),
    ("gemini", [model("f"), answers("f")], [("opening", 1, ())]),
]  # fmt: skip
FINE = [
    ("openai", [GO, asks("a")]),
    ("openai", [GO, asks("a", "b"), tells("b")]),
    ("openai", [GO, asks("a"), tells("a"), asks("a"), tells("a"), GO, GO, SYSTEM]),
    ("openai", [GO, asks("a", "b"), tells("b"), tells("a"), DONE]),
    ("openai", [DONE, GO]),
    ("anthropic", [GO, uses("a")]),
    ("anthropic", [GO, uses("a"), holds("a", after="And now?"), {"role": "assistant", "content": []}]),
    ("responses", [says("user"), call("a"), call("b"), output("b")]),
    ("responses", [says("user"), call("a"), says("assistant"), says("user"), output("a")]),
    ("responses", [says("developer"), says("user"), says("user")]),
    ("gemini", [HELLO, model("g", "f"), answers("f", "g"), HELLO]),
]


@pytest.mark.parametrize(("name", "entries", "wrong"), FAULTS)
def test_what_is_wrong_is_named_with_its_line_and_ids(name: str, entries, wrong) -> None:
    found = find_breaches(read(name, entries))
    assert sorted((one.rule, one.line, one.ids) for one in found) == sorted(wrong)
    assert all(one.at + 1 == one.line and one.message for one in found)
    assert [one.at for one in found] == sorted(one.at for one in found)


@pytest.mark.parametrize(("name", "entries"), FINE)
def test_nothing_is_wrong_with_what_an_api_takes_or_waits_for(name: str, entries) -> None:
    assert find_breaches(read(name, entries)) == ()


def test_a_breach_says_what_it_is_about() -> None:
    [unanswered, orphan] = find_breaches(read("openai", [GO, asks("a"), GO, tells("b")]))
    assert unanswered.message == "the call of run a has no result"
    assert orphan.message == "the result b answers no call"


def test_entries_of_one_response_are_one_where_the_session_says_so() -> None:
    plan = [Said("user", "Go."), Said("assistant", "", (("a", "run"), ("b", "run"))), Said("tool", results=(("a", "run"), ("b", "run")))]
    entries, write = FORMATS["claude-code"][0](plan), FORMATS["claude-code"][1]
    assert find_breaches(parse_transcript(write(entries), "chat")) == ()
    entries[1]["message"]["id"] = "another"
    assert {one.rule for one in find_breaches(parse_transcript(write(entries), "chat"))} == {"displaced"}


def test_only_the_path_that_is_sent_is_judged() -> None:
    transcript = read("openai", [GO, asks("a"), GO, DONE])
    assert [one.rule for one in find_breaches(transcript)] == ["unanswered"]
    assert find_breaches(transcript, (0, 2, 3)) == ()


BLOCKS = {"content": [{"type": "text", "text": " "}, {"type": "tool_result", "tool_use_id": "a", "content": "out"}]}


def record(value, *passages, results=()):
    return Record(0, 0, 0, value, "user", passages=tuple(passages), results=tuple(results))


def test_a_copy_is_changed_and_the_value_is_not() -> None:
    assert patch_value(BLOCKS, [ValuePatch(("content", 0, "text"), "new")])["content"][0]["text"] == "new"
    assert get_value(BLOCKS, ("content", 0, "text")) == " "


def test_an_id_is_renamed_wherever_its_unit_names_it() -> None:
    entry = {"id": "e1", "message": {"toolCallId": "a", "content": [{"id": "a"}]}}
    assert list(patch_ids(entry, (), "a", "a-2")) == [ValuePatch(("message", "toolCallId"), "a-2")]
    assert list(patch_ids(BLOCKS, ("content", 1), "a", "a-2")) == [ValuePatch(("content", 1, "tool_use_id"), "a-2")]
    assert list(patch_ids(entry, (), "a", "a")) == []


def test_the_id_of_a_call_is_renamed_in_its_copies_too() -> None:
    message = {"tool_calls": [{"id": "a", "args": {}}], "content": [{"id": "a", "input": {}}, {"id": "a", "input": {"b": 1}}]}
    call = RecordCall("a", "ls", {}, ("tool_calls", 0, "args"), ("tool_calls", 0), copies=(("content", 0, "input"),))
    places = [patch.place for patch in patch_call_ids(message, call, "a", "a-2")]
    assert places == [("tool_calls", 0, "id"), ("content", 0, "id")]


def test_elements_stand_where_a_result_or_words_do() -> None:
    assert find_element_list(record({}, results=[RecordResult("a", "", ("x", 3, "out"), unit=("x", 3))])) == ("x",)
    assert find_element_list(record({}, RecordPassage("hm", ("parts", 0, "text")))) == ("parts",)
    assert find_element_list(record({}, RecordPassage("hm", ("content",)))) is None


def test_text_that_says_nothing_is_found_beside_something() -> None:
    assert find_blank_texts(record(BLOCKS, RecordPassage(" ", ("content", 0, "text")))) == [("content", 0)]
    alone = {"content": [{"type": "text", "text": ""}]}
    assert find_blank_texts(record(alone, RecordPassage("", ("content", 0, "text")))) == []
    signed = {"parts": [{"text": "", "thoughtSignature": "s"}, {"text": "x"}]}
    assert find_blank_texts(record(signed, RecordPassage("", ("parts", 0, "text")))) == []


def test_a_message_is_hollow_only_when_its_content_is_known_and_empty() -> None:
    assert all(map(is_empty_message, ({"content": ""}, {"content": None}, {"content": []}, {"message": {"content": "\n"}})))
    assert is_empty_message({"content": [{"type": "text", "text": " "}]})
    assert not any(map(is_empty_message, ({}, {"content": "x"}, BLOCKS, {"words": ""}, "text", {"content": {"odd": 1}})))
    assert not is_empty_message({"parts": [{"text": "", "thoughtSignature": "s"}]})


def test_text_is_written_as_its_neighbours_are() -> None:
    assert make_text_element({"type": "tool_result"}, "x") == {"type": "text", "text": "x"}
    assert make_text_element({"functionResponse": {}}, "x") == {"text": "x"}


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
