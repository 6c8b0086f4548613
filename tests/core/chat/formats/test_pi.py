"""Sessions of pi are taken apart and put together, with a tree and without."""

import json

import pytest

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.formats import pi
from ctxkit.core.chat.model.message import RecordCall, RecordPassage, RecordResult, UsageReceipt
from ctxkit.core.chat.reading.transcript import parse_transcript

KEY = "0123456789abcdef" * 2
HEAD = {"type": "session", "version": 3, "id": "h", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"}
USAGE = {"input": 1, "output": 4, "cacheRead": 20, "cacheWrite": 300, "totalTokens": 325}
CALL = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "ls"}}


def said(role, content, **more):
    return {"type": "message", "timestamp": "t", "message": {"role": role, "content": content, **more}}


TALK = [
    {"type": "model_change", "timestamp": "t", "provider": "p", "modelId": "m"},
    said("user", "Say what is here."),
    said("assistant", [{"type": "thinking", "thinking": "hm"}, CALL], usage=USAGE, stopReason="toolUse"),
    said("toolResult", [{"type": "text", "text": "a b"}], toolCallId="c", toolName="bash", isError=True),
    said("assistant", [{"type": "text", "text": "a and b"}], usage=USAGE, stopReason="stop"),
    said("user", "Thanks."),
]


def linked(entries):
    return [{**one, "id": f"e{at}", "parentId": f"e{at - 1}" if at else None} for at, one in enumerate(entries)]


def read(lines):
    return parse_transcript("".join(f"{json.dumps(one)}\n" for one in lines).encode(), "chat")


def test_what_entries_are() -> None:
    records = read([HEAD, *linked(TALK)]).records
    assert [record.kind for record in records] == ["head", "note", *["message"] * 5]
    assert [record.role for record in records[2:]] == ["user", "assistant", "tool", "assistant", "user"]
    place = ("message", "content")
    assert records[3].calls == (RecordCall("c", "bash", {"command": "ls"}, (*place, 1, "arguments"), (*place, 1)),)
    assert (records[3].has_reasoning, records[3].receipt) == (True, UsageReceipt(321, 4))
    assert records[4].results == (RecordResult("c", "a b", place, "bash", failed=True),)
    assert records[5].passages == (RecordPassage("a and b", (*place, 0, "text")),)
    assert [record.at for record in records if record.is_user_request] == [2, 6]


@pytest.mark.parametrize("reason", ["error", "aborted"])
def test_a_response_that_failed_waits_for_nothing_and_has_no_receipt(reason: str) -> None:
    found = pi.read_content(said("assistant", [CALL], usage=USAGE, stopReason=reason))
    assert (found.receipt, [call.needs_no_result for call in found.calls]) == (None, [True])


def test_what_is_said_in_the_name_of_the_user() -> None:
    ran = {"type": "message", "message": {"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0}}
    hidden = {"type": "message", "message": {**ran["message"], "excludeFromContext": True}}
    lines = [
        *(HEAD, ran, hidden, said("hookMessage", "note", customType="hook")),
        {"type": "custom_message", "customType": "x", "content": "note", "display": False, "timestamp": "t"},
        {"type": "branch_summary", "fromId": "x", "summary": "what was tried", "timestamp": "t"},
        {"type": "label", "targetId": "x", "label": "here", "timestamp": "t"},
    ]
    transcript = read(lines)
    kinds = ["head", "message", "note", "message", "message", "summary", "note"]
    assert [record.kind for record in transcript.records] == kinds
    assert find_active_path(transcript) == (1, 3, 4, 5)
    assert not any(record.is_user_request for record in transcript.records)
    assert transcript.records[1].passages == (RecordPassage("a", ("message", "output")),)
    assert {message.role for record in transcript.records for message in record.messages} == {"user"}


def test_a_summary_is_a_compaction_that_keeps_what_follows() -> None:
    entries = linked(TALK)
    transcript = read([HEAD, *entries])
    near = entries[4]
    made = pi.make_summary("So far.", "user", KEY, None, near)
    text = apply_change(transcript, Change(frozenset({2, 3, 4}), {5: pi.patch_parent(near, pi.make_id(KEY))}, {5: made}))
    again = parse_transcript(text.encode(), "chat")
    compaction = again.records[2].value
    assert compaction == {
        "type": "compaction",
        "id": "01234567",
        "parentId": None,
        "timestamp": "t",
        "summary": "So far.",
        "firstKeptEntryId": "e4",
        "tokensBefore": 0,
    }
    assert again.records[3].value == {**near, "parentId": "01234567"}
    assert find_active_path(again) == (2, 3, 4)


def test_without_a_tree_a_summary_keeps_what_is_left() -> None:
    transcript = read([{**HEAD, "version": 1}, *TALK])
    made = pi.make_summary("So far.", "user", KEY, None, TALK[4])
    text = apply_change(transcript, Change(frozenset({2, 3, 4}), {5: pi.patch_parent(TALK[4], "x")}, {5: made}))
    again = parse_transcript(text.encode(), "chat")
    assert (again.records[2].value["firstKeptEntryIndex"], "id" in again.records[2].value) == (0, False)
    assert [record.value for record in again.records[3:]] == TALK[4:]
    assert find_active_path(again) == (2, 3, 4)


def test_what_an_earlier_compaction_left_behind_does_not_come_back() -> None:
    earlier = {"type": "compaction", "timestamp": "t", "summary": "Before.", "firstKeptEntryIndex": 4, "tokensBefore": 9}
    lines = [HEAD, *TALK[1:4], *TALK[4:], earlier, said("user", "Go on."), said("user", "And on.")]
    transcript = read(lines)
    assert find_active_path(transcript) == (6, 4, 5, 7, 8)
    made = pi.make_summary("So far.", "user", KEY, None, lines[8])
    again = parse_transcript(apply_change(transcript, Change(frozenset({4, 5, 6, 7}), {}, {8: made})).encode(), "chat")
    assert [again.records[at].words for at in find_active_path(again)] == ["So far.", "And on."]


def test_under_a_parent_a_summary_is_a_message() -> None:
    (made,) = pi.make_summary("So far.", "user", KEY, "e1", HEAD)
    assert (made["type"], made["parentId"], made["content"]) == ("custom_message", "e1", "So far.")
    assert find_active_path(read([HEAD, *linked(TALK)[:2], made])) == (2, 3)


def test_blocks_of_anthropic_in_entries_of_pi() -> None:
    call = {"type": "tool_use", "id": "c", "name": "ls", "input": {}}
    told = {"type": "tool_result", "tool_use_id": "c", "content": "a"}
    first, second = (pi.read_content(said(role, [block])) for role, block in (("assistant", call), ("user", told)))
    assert first.calls == (RecordCall("c", "ls", {}, ("message", "content", 0, "input"), ("message", "content", 0)),)
    assert [(one.id, one.text, one.place[-1]) for one in second.results] == [("c", "a", "content")]
    assert pi.read_content(pi.make_result(first.calls[0], "none")).results[0].text == "none"


def test_a_result_is_an_entry_of_its_own() -> None:
    entries = linked(TALK[:3])
    call = pi.read_content(entries[2]).calls[0]
    made = pi.attach_entry(pi.make_result(call, "none"), KEY, "e2", entries[2])
    transcript = read([HEAD, *entries, made])
    assert find_active_path(transcript) == (2, 3, 4)
    result = transcript.records[4].results[0]
    assert (result.id, result.name, result.text) == ("c", "bash", "none")
    assert pi.make_result_value(result, "x") == [{"type": "text", "text": "x"}]
    assert made["timestamp"] == "t"
    assert pi.attach_entry(pi.make_result(call, "none"), KEY, None, None)["timestamp"] == pi.TIME
    assert pi.wrap_results([]) is None
