"""OpenCode: what is known of a message stands beside its parts, and a result in the part of its call."""

import json

import pytest

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import opencode
from ctxkit.core.chat.model.message import ChatMessage, RecordCall, RecordResult, UsageReceipt
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches

MODEL = {"agent": "build", "model": {"providerID": "p", "modelID": "m"}}


def asked(id_, *parts, **more):
    return {"info": {"id": id_, "sessionID": "s", "role": "user", "time": {"created": 9}, **MODEL, **more}, "parts": list(parts)}


def said(id_, *parts, **more):
    return {"info": {"id": id_, "sessionID": "s", "role": "assistant", **more}, "parts": list(parts)}


def words(text, **more):
    return {"type": "text", "text": text, **more}


def tool(id_, **state):
    return {"type": "tool", "callID": id_, "tool": "bash", "state": {"input": {"command": "ls"}, **state}}


DONE = tool("c", status="completed", output="a.txt", time={"start": 1, "end": 2})
USED = {"input": 5, "output": 2, "reasoning": 1, "cache": {"read": 100, "write": 10}}
TALK = [
    asked("m1", words("Look."), {"type": "file", "mime": "text/plain", "url": "file:///a"}),
    said("m2", {"type": "step-start"}, {"type": "reasoning", "text": "hm"}, words("I look."), DONE, tokens=USED),
    said("m3", {"type": "step-start"}, words("One file.")),
]


def read(value):
    return parse_transcript(json.dumps(value, indent=1).encode(), "it")


@pytest.mark.parametrize("value", [TALK, {"info": {"id": "s"}, "messages": TALK}])
def test_messages_are_the_entries_of_an_export(value) -> None:
    found = read(value)
    assert (found.format, found.syntax, find_active_path(found), find_breaches(found)) == (opencode, "document", (0, 1, 2), ())
    parts = [(part.kind, part.text) for record in found.records for message in record.messages for part in message.parts]
    assert parts == [
        ("text", "Look."), ("thinking", "hm"), ("text", "I look."), ("call", '{"command":"ls"}'), ("result", "a.txt"),
        ("text", "One file."),
    ]  # fmt: skip


def test_a_call_and_its_result_stand_in_one_part() -> None:
    found = opencode.read_content(TALK[1])
    assert found.calls == (RecordCall("c", "bash", {"command": "ls"}, ("parts", 3, "state", "input"), ("parts", 3), True),)
    assert found.results == (RecordResult("c", "a.txt", ("parts", 3, "state", "output"), "bash", unit=("parts", 3)),)
    assert (found.has_reasoning, found.receipt) == (True, UsageReceipt(115, 3))
    assert [passage.place for passage in found.passages] == [("parts", 2, "text")]


@pytest.mark.parametrize(("state", "read_as", "kept"), [
    ({"status": "error", "error": "no"}, "no", [True]),
    ({"status": "running"}, opencode.INTERRUPTED, []),
    ({"status": "completed", "output": "long", "time": {"compacted": 7}}, opencode.CLEARED, []),
])  # fmt: skip
def test_what_is_sent_for_a_result_is_what_is_read(state, read_as, kept) -> None:
    value = said("m", tool("c", **state))
    told = next(entry for entry in opencode.read_entries(value) if isinstance(entry, ChatMessage) and entry.role == "tool")
    assert told.parts[0].text == read_as
    assert [result.failed for result in opencode.read_content(value).results] == kept


@pytest.mark.parametrize(("value", "is_sent"), [
    (said("m", words("x"), error={"name": "APIError"}), False),
    (said("m", words("x"), error={"name": "MessageAbortedError"}), True),
    (said("m", {"type": "step-start"}, error={"name": "MessageAbortedError"}), False),
    (said("m"), False),
])  # fmt: skip
def test_what_failed_is_not_sent_unless_the_user_stopped_it(value, is_sent: bool) -> None:
    assert bool(find_active_path(read([TALK[0], value]))[1:]) is is_sent
    assert (opencode.read_content(value).kind == "note") is not is_sent


def test_a_compaction_keeps_what_follows_it_or_what_it_names() -> None:
    asks = asked("m4", {"type": "compaction", "auto": True})
    summary = said("m5", words("So far."), summary=True, finish="stop")
    assert find_active_path(read([*TALK, asks, summary, asked("m6", words("On."))])) == (3, 4, 5)
    asks["parts"][0]["tail_start_id"] = "m3"
    assert find_active_path(read([*TALK, asks, summary])) == (3, 2, 4)
    assert opencode.read_content(summary).kind == "summary"


def test_what_the_program_adds_is_not_the_users_word() -> None:
    assert opencode.read_content(asked("m", words("x", synthetic=True))).automatic
    assert not opencode.read_content(asked("m", words("x"), words("y", synthetic=True))).automatic
    assert opencode.read_content(asked("m", words("x", ignored=True))).passages == ()


def test_a_summary_is_a_message_of_the_same_session_model_and_agent() -> None:
    [made] = opencode.make_summary("So far.", "user", "0123456789abcdef" * 2, None, TALK[0])
    assert made["info"] == {**TALK[0]["info"], "id": opencode.make_id("0123456789abcdef" * 2), "time": {"created": 8}}
    assert opencode.is_format_of(made)
    assert made["info"]["id"] < "msg_9"


def test_a_result_is_patched_where_it_stands_and_all_else_stays() -> None:
    found = read(TALK)
    [result] = found.records[1].results
    text = apply_change(found, Change(patches={1: [ValuePatch(result.place, opencode.make_result_value(result, "gone"))]}))
    assert text == found.text.replace('"a.txt"', '"gone"')


def test_an_answer_is_a_part_with_its_call() -> None:
    made = opencode.wrap_results([opencode.make_result(RecordCall("c", "bash", {"a": 1}), "none")])
    assert [result.text for result in opencode.read_content(made).results] == ["none"]
