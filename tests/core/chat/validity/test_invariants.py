"""What must hold of every conversation, and what a change must keep."""

import json

import pytest
from hypothesis import given, settings

from ctxkit.core.chat.branches.rewrite import Change, apply_change
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches, find_change_breaches
from tests.core.chat.talks import FORMATS, Said, plans

GO, DONE = {"role": "user", "content": "Go."}, {"role": "assistant", "content": "Done."}
SYSTEM = {"role": "system", "content": "Be brief."}


def asks(*ids):
    calls = [{"id": id_, "type": "function", "function": {"name": "run", "arguments": "{}"}} for id_ in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tells(id_):
    return {"role": "tool", "tool_call_id": id_, "content": "out"}


def uses(*ids, words="", thinks=False):
    thought = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}] if thinks else []
    said = [{"type": "text", "text": words}] if words else []
    calls = [{"type": "tool_use", "id": id_, "name": "run", "input": {}} for id_ in ids]
    return {"role": "assistant", "content": [*thought, *said, *calls]}


def holds(*ids, before="", after=""):
    results = [{"type": "tool_result", "tool_use_id": id_, "content": "out"} for id_ in ids]
    first, last = ([{"type": "text", "text": words}] if words else [] for words in (before, after))
    return {"role": "user", "content": [*first, *results, *last]}


def call(id_):
    return {"type": "function_call", "call_id": id_, "name": "run", "arguments": "{}"}


def output(id_):
    return {"type": "function_call_output", "call_id": id_, "output": "out"}


def says(role, words="Go."):
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}


def model(*names, words=""):
    said = [{"text": words}] if words else []
    return {"role": "model", "parts": [*said, *({"functionCall": {"name": name, "args": {}}} for name in names)]}


def answers(*names):
    return {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {}}} for name in names]}


HELLO = {"role": "user", "parts": [{"text": "Go."}]}


def read(name, entries):
    return parse_transcript(b"".join(json.dumps(entry).encode() + b"\n" for entry in entries), "chat", get_format(name))


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


def without(transcript, *gone):
    """Return a conversation without some of its entries."""
    text = apply_change(transcript, Change(frozenset(gone)))
    return parse_transcript(text.encode(), "chat", transcript.format)


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


@pytest.mark.parametrize("name", FORMATS)
@given(plan=plans)
@settings(max_examples=20, deadline=None)
def test_what_was_not_changed_has_kept_everything(name, plan) -> None:
    transcript = parse_transcript(FORMATS[name][1](FORMATS[name][0](plan)), "chat", get_format(name))
    assert find_change_breaches(transcript, transcript) == ()
