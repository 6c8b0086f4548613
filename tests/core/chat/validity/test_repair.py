"""What is broken is made whole, and nothing else is touched."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.branches import apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.model.message import RecordCall, RecordResult
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity import repair
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.chat.validity.pairing import PlacedResult, sender_of
from ctxkit.core.chat.validity.repair import NO_CALL, NO_RESULT, NO_WORDS, DueResult, RepairPlan, repair_conversation
from tests.core.chat.talks import FORMATS, Said, mutilated, plans
from tests.core.chat.validity.repaired_rules import REPAIRED_RULES
from tests.example_counts import count_examples

every_format = pytest.mark.parametrize("name", FORMATS)


def read(name, entries):
    return parse_transcript(FORMATS[name][1](entries), "chat", get_format(name))


def mended(transcript):
    """Return a conversation after its repair, and what was done."""
    found = repair_conversation(transcript)
    text = apply_change(transcript, found.change)
    return parse_transcript(transcript.encode(text), "chat", transcript.format), found


@pytest.mark.quick_cases(4)
@every_format
@given(plan=plans)
@settings(max_examples=count_examples(25), deadline=None)
def test_what_is_whole_is_left_alone(name, plan) -> None:
    before = read(name, FORMATS[name][0](plan))
    assert not find_breaches(before)
    after, found = mended(before)
    assert (after.text, found.actions) == (before.text, ())


@pytest.mark.quick_cases(2)
@every_format
@given(data=st.data())
@settings(max_examples=count_examples(40), deadline=None)
def test_whatever_is_broken_is_made_whole(name, data: st.DataObject) -> None:
    before = read(name, data.draw(mutilated(name)))
    after, found = mended(before)
    if all(record.results for record in before.records if record.kind == "message"):
        return
    assert [breach for breach in find_breaches(after) if breach.rule in (*REPAIRED_RULES, "empty")] == []
    assert {breach.rule for breach in find_breaches(after)} <= {breach.rule for breach in find_breaches(before)}
    assert repair_conversation(after).actions == ()
    touched = found.change.dropped | found.change.patches.keys()
    kept = [before.get_raw(record) for record in before.records if record.at not in touched]
    now = iter([after.get_raw(record) for record in after.records])
    assert all(raw in now for raw in kept)
    assert bool(found.actions) == (after.text != before.text)


def lines(*entries):
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


def told(name, *entries):
    after, found = mended(parse_transcript(lines(*entries), "chat", get_format(name)))
    return [record.value for record in after.records], found.actions


GO, DONE = {"role": "user", "content": "Go."}, {"role": "assistant", "content": "Done."}
ASK = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "run", "arguments": "{}"}}]}
TELL = {"role": "tool", "tool_call_id": "a", "content": "out"}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "run", "input": {}}]}
BLOCK = {"type": "tool_result", "tool_use_id": "a", "content": "out"}
NONE = {"type": "tool_result", "tool_use_id": "a", "content": NO_RESULT}


def test_a_missing_result_says_that_none_was_recorded() -> None:
    missing = {"role": "tool", "tool_call_id": "a", "content": NO_RESULT}
    assert told("openai", GO, ASK, GO) == ([GO, ASK, missing, GO], (f"line 2: the call run a had no result: inserted `{NO_RESULT}`",))


def test_the_first_of_two_results_stays() -> None:
    made, done = told("openai", GO, ASK, TELL, {**TELL, "content": "other"}, DONE)
    assert (made, done) == ([GO, ASK, TELL, DONE], ("line 4: removed the second result of a",))


def test_a_result_without_a_call_is_taken_out() -> None:
    assert told("openai", GO, TELL, DONE) == ([GO, DONE], ("line 2: removed the result of a, which answers no call",))


def test_a_result_that_stands_too_late_is_put_beside_its_call_word_for_word() -> None:
    late = {**TELL, "content": [{"type": "text", "text": "out"}], "note": 1}
    assert told("openai", GO, ASK, GO, late) == ([GO, ASK, late, GO], ("line 4: moved the result of the call run a to its call",))


def test_where_roles_alternate_results_stand_before_the_words_of_the_next_message() -> None:
    made, _ = told("anthropic", GO, USE, {"role": "user", "content": "Stop."})
    assert made == [GO, USE, {"role": "user", "content": [NONE, {"type": "text", "text": "Stop."}]}]
    picture = {"type": "image", "source": {"type": "url", "url": "u"}}
    made, _ = told("anthropic", GO, USE, {"role": "user", "content": [{"type": "text", "text": "See"}, picture]})
    assert made[2]["content"] == [NONE, {"type": "text", "text": "See"}, picture]


def test_results_are_put_before_the_words_of_their_message() -> None:
    made, done = told("anthropic", GO, USE, {"role": "user", "content": [{"type": "text", "text": "So:"}, BLOCK]})
    assert made[2]["content"] == [BLOCK, {"type": "text", "text": "So:"}]
    assert done == ("line 3: moved the result of the call run a to its call",)


def test_a_message_that_must_stay_says_what_it_lacks() -> None:
    made, _ = told("anthropic", GO, DONE, {"role": "user", "content": [BLOCK]}, DONE)
    assert made[2] == {"role": "user", "content": [{"type": "text", "text": NO_CALL}]}


def test_the_second_call_of_an_id_gets_another_and_its_result_with_it() -> None:
    made, done = told("anthropic", GO, USE, {"role": "user", "content": [BLOCK]}, USE, {"role": "user", "content": [BLOCK]})
    assert made[3]["content"][0]["id"] == made[4]["content"][0]["tool_use_id"] == "a-2"
    assert made[:3] == [GO, USE, {"role": "user", "content": [BLOCK]}]
    assert done == ("line 4: renamed the second call a to a-2",)


def test_text_that_says_nothing_is_taken_out() -> None:
    blank = {"role": "assistant", "content": [{"type": "text", "text": ""}, *USE["content"]]}
    made, _ = told("anthropic", GO, blank, {"role": "user", "content": [BLOCK]})
    assert made[1] == USE


def test_what_is_inserted_into_a_tree_hangs_on_it() -> None:
    plan = [Said("user", "Go."), Said("assistant", "", (("a", "run"),)), Said("user", "Stop."), Said("assistant", "Done.")]
    for name, own, parent in (("pi", "id", "parentId"), ("claude-code", "uuid", "parentUuid")):
        before = read(name, FORMATS[name][0](plan))
        after, found = mended(before)
        entries = [record.value for record in after.records if parent in record.value]
        assert [entry[parent] for entry in entries[1:]] == [entry[own] for entry in entries[:-1]]
        assert len(entries) == 5
        assert mended(before)[0].text == after.text
        assert found.actions


def test_of_nothing_but_results_nothing_is_made() -> None:
    assert told("openai", TELL, TELL) == ([TELL, TELL], ())


def test_a_line_that_was_written_twice_is_taken_out_twice() -> None:
    entries = FORMATS["claude-code"][0]([Said("user", "Go."), Said("tool", results=(("a", "run"),)), Said("user", "On.")])
    after, _ = mended(read("claude-code", [*entries, entries[1], entries[2]]))
    assert not find_breaches(after)
    assert b"tool_result" not in after.text.encode()


def test_an_empty_message_that_must_stay_is_said_to_be_filled_not_taken_out() -> None:
    said = [("user", ""), ("assistant", "Yes?"), ("user", "Go on."), ("assistant", "Done.")]
    data = json.dumps({"messages": [{"role": role, "content": text} for role, text in said]}).encode()
    after, found = mended(parse_transcript(data, "chat", get_format("anthropic")))
    assert found.actions == (f"line 1: inserted `{NO_WORDS}` for empty content",)
    assert [record.words for record in after.records] == [NO_WORDS, "Yes?", "Go on.", "Done."]


def test_events_with_the_same_number_are_not_called_renamed() -> None:
    event = {"id": 20, "source": "agent", "action": "run", "args": {}}
    data = json.dumps({"history": [{"source": "user", "action": "message", "args": {}}, event, event]}).encode()
    repair = repair_conversation(parse_transcript(data, "chat"))
    assert not any("renamed" in action for action in repair.actions)


def test_the_senders_around_a_removed_message_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    number, asked = 400, []
    part = {"functionResponse": {"name": "run", "response": {"output": "ok"}}}
    transcript = read("gemini", [{"role": "user", "parts": [{"text": "go"}]}, *[{"role": "user", "parts": [part]}] * number])
    monkeypatch.setattr(repair, "sender_of", lambda record: asked.append(record) or sender_of(record))
    assert len(repair_conversation(transcript).change.dropped) == number
    assert len(asked) < 5 * number


PLAN = [Said("user", "Go."), Said("assistant", "", (("a", "run"),)), Said("user", "Stop.")]
CALL = RecordCall("a", "run")


def begun(name):
    """Return a conversation, and what is to be done to it: nothing yet."""
    transcript = parse_transcript(FORMATS[name][1](FORMATS[name][0](PLAN)), "chat", get_format(name))
    spoken = [record for record in transcript.records if record.kind == "message"]
    return transcript, spoken, RepairPlan(transcript, [record.at for record in spoken], spoken)


def test_nothing_is_done_until_something_is() -> None:
    transcript, _, mending = begun("pi")
    assert (apply_change(transcript, mending.build_repair().change), mending.build_repair().actions) == (transcript.text, ())


def test_deeds_are_told_in_the_order_of_the_file_with_their_lines() -> None:
    _, _, mending = begun("pi")
    mending.note_action(2, "the second")
    mending.note_action(0, "the first")
    assert mending.build_repair().actions == ("line 2: the first", "line 4: the second")


def test_messages_are_numbered_as_they_are_spoken() -> None:
    _, spoken, mending = begun("pi")
    mending.add_patches(0, [ValuePatch(("message", "role"), "system")])
    mending.add_patches(1, [])
    mending.dropped.add(2)
    change = mending.build_repair().change
    assert set(change.patches) == {spoken[0].at}
    assert change.dropped == {spoken[2].at}


def test_what_is_inserted_hangs_in_a_chain_and_has_the_same_ids_each_time() -> None:
    made = []
    for _ in range(2):
        transcript, _, mending = begun("pi")
        answers = [transcript.format.make_result(CALL, words) for words in ("one", "two")]
        mending.insert_results(1, [DueResult(CALL, answer) for answer in answers])
        made.append(apply_change(transcript, mending.build_repair().change))
    assert made[0] == made[1]
    linked = [json.loads(line) for line in made[0].splitlines()[1:]]
    assert [entry["parentId"] for entry in linked] == [None, *(entry["id"] for entry in linked[:-1])]
    assert len({entry["id"] for entry in linked}) == 5


def test_what_was_an_entry_before_stays_the_one_it_was() -> None:
    transcript, spoken, mending = begun("pi")
    told = PlacedResult(2, RecordResult("a", "out", ("content",)))
    mending.dropped.add(2)
    mending.insert_results(0, [DueResult(CALL, spoken[2].value, told)])
    entries = [json.loads(line) for line in apply_change(transcript, mending.build_repair().change).splitlines()[1:]]
    assert [(entry["id"], entry["parentId"]) for entry in entries] == [("e1", None), ("e3", "e1"), ("e2", "e3")]
