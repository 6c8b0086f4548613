"""Gemini: calls without ids, results in the next content, and sessions that keep a result in its call."""

import json

import pytest

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import gemini
from ctxkit.core.chat.formats.gemini import read_gemini_parts, read_part_call, read_part_result
from ctxkit.core.chat.model.message import MessagePart, RecordCall, UsageReceipt
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.pairing import pair_calls


def call(name, **more):
    return {"functionCall": {"name": name, "args": {"a": 1}}, **more}


def result(name, response, **more):
    return {"functionResponse": {"name": name, "response": response, **more}}


CONTENTS = [
    {"role": "user", "parts": [{"text": "Look."}]},
    {"role": "model", "parts": [{"text": "hm", "thought": True}, call("ls", thoughtSignature="s"), call("ls"), call("cat")]},
    {"role": "user", "parts": [result("ls", {"output": "a"}), result("ls", {"error": "no"}), result("cat", {"b": 1, "c": 2})]},
    {"role": "model", "parts": [{"text": "Done.", "thoughtSignature": "s"}, {"text": "Bye."}]},
]


def read(value):
    return parse_transcript(json.dumps(value, indent=2).encode(), "it")


DONE = {"id": "1", "name": "ls", "args": {}, "status": "error", "resultDisplay": "a", "result": [result("ls", {"output": "a b"})]}
SESSION = {
    "sessionId": "s",
    "projectHash": "p",
    "messages": [
        {"id": "m1", "timestamp": "t", "type": "user", "content": [{"text": "Look."}]},
        {
            "id": "m2", "timestamp": "t", "type": "gemini", "content": "So.", "toolCalls": [DONE],
            "tokens": {"input": 100, "output": 10, "thoughts": 5, "cached": 50, "total": 115},
        },
        {"id": "m3", "timestamp": "t", "type": "info", "content": "Cancelled."},
    ],
}


@pytest.mark.parametrize("value", [CONTENTS, {"contents": CONTENTS, "systemInstruction": {"parts": [{"text": "Be brief."}]}}])
def test_contents_are_the_entries_of_a_request(value) -> None:
    found = read(value)
    assert found.format is gemini
    assert [record.role for record in found.records] == ["user", "assistant", "user", "assistant"]
    assert [entry.parts[0].text for entry in found.head[1:]] == (["Be brief."] if isinstance(value, dict) else [])


def test_results_belong_to_the_calls_of_their_name_in_order() -> None:
    found = pair_calls(read(CONTENTS).records, gemini.RULES)
    assert [(asked.call.name, told.result.text) for asked, told in found.paired] == [
        ("ls", "a"),
        ("ls", "no"),
        ("cat", '{"b":1,"c":2}'),
    ]


def test_a_result_is_its_only_words_or_all_of_it() -> None:
    results = gemini.read_content(CONTENTS[2]).results
    assert [one.place[-1] for one in results] == ["output", "error", "response"]
    assert [one.failed for one in results] == [False, True, False]
    assert [gemini.make_result_value(one, "x") for one in results] == ["x", "x", {"output": "x"}]
    assert not gemini.read_content({"parts": [result("ls", {"output": "a"}, parts=[{"inlineData": {}}])]}).results[0].plain


def test_what_a_signature_vouches_for_may_not_be_shortened() -> None:
    assert [one.text for one in gemini.read_content(CONTENTS[3]).passages] == ["Bye."]
    assert gemini.read_content(CONTENTS[1]).has_reasoning
    assert not gemini.read_content(CONTENTS[0]).has_reasoning


def test_cleared_results_are_read_as_such() -> None:
    found = read(CONTENTS)
    patches = [ValuePatch(one.place, gemini.make_result_value(one, "[cleared]")) for one in found.records[2].results]
    again = parse_transcript(apply_change(found, Change(patches={2: patches})).encode(), "it")
    assert [one.text for one in again.records[2].results] == ["[cleared]"] * 3


def test_answers_are_carried_by_a_content_of_the_user() -> None:
    made = gemini.wrap_results([gemini.make_result(RecordCall("", "ls"), "none"), gemini.make_result(RecordCall("7", "cat"), "none")])
    assert [(one.id, one.name, one.text) for one in gemini.read_content(made).results] == [("", "ls", "none"), ("7", "cat", "none")]


def test_a_summary_is_what_its_neighbours_are() -> None:
    [content] = gemini.make_summary("So far.", "system", "0" * 32, None, CONTENTS[0])
    assert content == {"role": "user", "parts": [{"text": "So far."}]}
    found = read(SESSION)
    new = gemini.make_summary("So far.", "user", "0" * 32, None, SESSION["messages"][0])
    again = parse_transcript(apply_change(found, Change(inserted={0: new})).encode(), "it")
    assert (again.records[0].words, again.records[0].is_user_request) == ("So far.", True)


SPOKEN = SESSION["messages"]
LOG = [
    {"sessionId": "s", "projectHash": "p", "startTime": "t", "lastUpdated": "t"},
    SPOKEN[0],
    {**SPOKEN[1], "toolCalls": []},
    SPOKEN[1],
    {"$set": {"lastUpdated": "t"}},
    {"id": "m4", "timestamp": "t", "type": "user", "content": "Wrong."},
    {"id": "m5", "timestamp": "t", "type": "gemini", "content": "Well."},
    {"$rewindTo": "m4"},
    {"id": "m6", "timestamp": "t", "type": "user", "content": "Right."},
]


def log(lines):
    return parse_transcript("".join(json.dumps(line) + "\n" for line in lines).encode(), "it")


def test_a_list_of_the_lines_of_a_log_is_the_log() -> None:
    listed, lines = read(LOG), log(LOG)
    assert (listed.format, listed.syntax) == (gemini, "document")
    assert [record.entries for record in listed.records] == [record.entries for record in lines.records]
    assert find_active_path(listed) == find_active_path(lines) == (1, 3, 8)


def test_a_list_of_sessions_or_of_other_values_is_no_log() -> None:
    assert gemini.is_log([LOG[0]])
    assert gemini.is_log([None, SPOKEN[1]])
    assert not gemini.is_log([SESSION])
    assert not gemini.is_log([LOG[0], SESSION])
    assert not gemini.is_log([SPOKEN[0], SPOKEN[2], 7])


def test_a_session_keeps_the_result_in_its_call() -> None:
    found = read(SESSION)
    user, model, note = found.records
    assert (user.role, model.role, note.kind) == ("user", "assistant", "note")
    assert model.calls[0].needs_no_result
    [one] = model.results
    assert (one.id, one.text, one.failed, one.unit) == ("1", "a b", True, ("toolCalls", 0))
    assert one.copies == (("toolCalls", 0, "resultDisplay"),)
    assert model.receipt == UsageReceipt(100, 15)
    assert not pair_calls(found.records, gemini.RULES).missing


def test_a_cleared_result_of_a_session_is_read_as_such() -> None:
    found = read(SESSION)
    [one] = found.records[1].results
    patches = [ValuePatch(place, gemini.make_result_value(one, "[cleared]")) for place in (one.place, *one.copies)]
    again = parse_transcript(apply_change(found, Change(patches={1: patches})).encode(), "it")
    assert again.records[1].results[0].text == "[cleared]"
    assert again.records[1].value["toolCalls"][0]["resultDisplay"] == "[cleared]"


def test_a_log_writes_messages_again_and_takes_some_back() -> None:
    found = log(LOG)
    assert found.format is gemini
    kinds = ["head", "message", "message", "message", "note", "message", "message", "note", "message"]
    assert [record.kind for record in found.records] == kinds
    assert find_active_path(found) == (1, 3, 8)


def test_a_message_that_is_written_again_later_keeps_its_place() -> None:
    assert find_active_path(log([*LOG, SPOKEN[0]])) == (9, 3, 8)


def test_what_is_taken_back_from_nowhere_is_everything() -> None:
    assert find_active_path(log([*LOG, {"$rewindTo": "absent"}, LOG[1]])) == (10,)


def test_an_update_may_put_other_messages_in_the_place_of_all() -> None:
    found = log([*LOG, {"$set": {"messages": SPOKEN}}])
    assert find_active_path(found) == (9,)
    record = found.records[9]
    assert (record.kind, record.results[0].unit) == ("summary", ("$set", "messages", 1, "toolCalls", 0))
    [one] = record.results
    patches = [ValuePatch(place, gemini.make_result_value(one, "[cleared]")) for place in (one.place, *one.copies)]
    again = parse_transcript(apply_change(found, Change(patches={9: patches})).encode(), "it")
    assert again.records[9].results[0].text == "[cleared]"


def fork(kind, **members):
    """Return a session of a fork whose model's messages have the type ``kind``."""
    return {**SESSION, "messages": [SPOKEN[0], {"id": "m2", "timestamp": "t", "type": kind, "content": "So.", **members}]}


def test_the_model_of_qwen_code_speaks() -> None:
    found = read(fork("qwen", toolCalls=[DONE], thoughts=[], tokens={"input": 9, "output": 1}, model="coder-model"))
    assert found.format is gemini
    assert find_active_path(found) == (0, 1)
    record = found.records[1]
    assert (record.role, record.words, record.calls[0].name, record.results[0].text) == ("assistant", "So.", "ls", "a b")
    assert record.receipt == UsageReceipt(9, 1)
    assert not record.is_unknown


def test_a_line_of_a_qwen_log_is_a_line_of_a_session() -> None:
    assert log(fork("qwen")["messages"]).format is gemini


def test_the_model_of_an_unknown_fork_is_told_by_its_members() -> None:
    record = read(fork("otherfork", tokens={"input": 9, "output": 1})).records[1]
    assert (record.role, record.passages[0].text, record.is_unknown) == ("assistant", "So.", False)


def test_a_message_of_an_unknown_type_is_sent_and_may_not_change() -> None:
    found = read(fork("memo"))
    assert find_active_path(found) == (0, 1)
    record = found.records[1]
    assert (record.kind, record.is_unknown, record.encrypted, record.passages) == ("message", True, True, ())
    inside = log([*LOG, {"$set": {"messages": fork("memo")["messages"]}}]).records[-1]
    assert (inside.kind, inside.is_unknown, inside.encrypted) == ("summary", True, True)


@pytest.mark.parametrize("kind", ["info", "error", "warning"])
def test_a_notice_of_the_program_is_not_sent(kind) -> None:
    assert read(fork(kind)).records[1].kind == "note"


def test_other_lines_are_of_no_session() -> None:
    with pytest.raises(ValueError, match="not a content"):
        list(gemini.read_entries({"a": 1}))


CALL = {"name": "ls", "args": {"path": "."}, "id": "7"}


@pytest.mark.parametrize(
    ("part", "read"),
    [
        ({"text": "So."}, MessagePart("text", "So.")),
        ({"text": "Hm.", "thought": True}, MessagePart("thinking", "Hm.")),
        ({"functionCall": CALL}, MessagePart("call", '{"path":"."}', "ls")),
        ({"function_call": CALL}, MessagePart("call", '{"path":"."}', "ls")),
        ({"functionResponse": {"name": "ls", "response": {"output": "a"}}}, MessagePart("result", '{"output":"a"}', "ls")),
        ({"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}}, MessagePart("other", encrypted_size=4, media="audio")),
        ({"file_data": {"mime_type": "image/png", "file_uri": "x"}}, MessagePart("image")),
        ({"executableCode": {"code": "1"}}, MessagePart("other", '{"executableCode":{"code":"1"}}')),
    ],
)
def test_a_part_is_read_as_what_it_is(part, read) -> None:
    assert list(read_gemini_parts({"parts": [part, {"thoughtSignature": "s"}, "no object"]})) == [read]


@pytest.mark.parametrize("key", ["functionCall", "function_call"])
def test_the_place_of_a_call_leads_to_its_arguments(key: str) -> None:
    part = {key: CALL}
    (call,) = read_part_call(part, ("parts", 0))
    assert (call.id, call.name, call.arguments, call.unit) == ("7", "ls", {"path": "."}, ("parts", 0))
    assert call.place == ("parts", 0, key, "args")
    assert list(read_part_call({"text": "no call"}, ())) == []


@pytest.mark.parametrize(
    ("response", "text", "place", "failed"),
    [
        ({"output": "a"}, "a", ("response", "output"), False),
        ({"error": "no"}, "no", ("response", "error"), True),
        ({"a": "1", "b": 2}, '{"a":"1","b":2}', ("response",), False),
        ({"list": [1]}, '{"list":[1]}', ("response",), False),
    ],
)
def test_the_result_is_the_only_text_or_the_whole_response(response, text: str, place, failed: bool) -> None:
    (result,) = read_part_result({"functionResponse": {"name": "ls", "response": response}}, ())
    assert (result.text, result.place[1:], result.failed, result.name) == (text, place, failed, "ls")
