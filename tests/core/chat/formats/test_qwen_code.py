"""Qwen Code: Gemini's contents on lines that form a tree."""

import json

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import qwen_code
from ctxkit.core.chat.model.message import RecordCall, UsageReceipt
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches

LISTED = "a.txt is there, and more. " * 20
SESSION = {"sessionId": "s", "timestamp": "t", "cwd": "/", "version": "1"}


def line(uuid, parent, type_, *parts, **more):
    role = "model" if type_ == "assistant" else "user"
    message = {"message": {"role": role, "parts": list(parts)}} if parts else {}
    return {"uuid": uuid, "parentUuid": parent, **SESSION, "type": type_, **message, **more}


CALL = {"functionCall": {"id": "c", "name": "ls", "args": {"path": "."}}}
TOLD = {"functionResponse": {"id": "c", "name": "ls", "response": {"output": LISTED}}}
USED = {"promptTokenCount": 90, "candidatesTokenCount": 5, "thoughtsTokenCount": 2, "cachedContentTokenCount": 80}
TALK = [
    line("a", None, "user", {"text": "Look."}),
    line("b", "a", "assistant", {"text": "hm", "thought": True}, {"text": "I look."}, CALL, usageMetadata=USED),
    line("n", "b", "system", subtype="ui_telemetry", systemPayload={"uiEvent": {}}),
    line("c", "n", "tool_result", TOLD, toolCallResult={"callId": "c", "resultDisplay": LISTED}),
    line("d", "c", "assistant", {"text": "One file."}),
]


def read(*lines):
    return parse_transcript("\n".join(map(json.dumps, lines)).encode(), "it")


def test_lines_hold_what_was_said_called_and_returned() -> None:
    found = read(*TALK)
    assert (found.format, find_active_path(found), find_breaches(found)) == (qwen_code, (0, 1, 3, 4), ())
    assert [record.role for record in found.records] == ["user", "assistant", "", "user", "assistant"]
    said, told = found.records[1], found.records[3]
    assert said.calls[0][:4] == RecordCall("c", "ls", {"path": "."}, ("message", "parts", 2, "functionCall", "args"))[:4]
    assert (said.has_reasoning, said.receipt) == (True, UsageReceipt(90, 7))
    assert told.results[0].place == ("message", "parts", 0, "functionResponse", "response", "output")
    assert told.results[0].copies == (("toolCallResult", "resultDisplay"),)
    assert [part.kind for part in said.messages[0].parts] == ["thinking", "text", "call"]


def test_a_session_goes_on_from_its_last_line() -> None:
    again = line("e", "a", "assistant", {"text": "No."})
    rewind = line("r", "d", "system", subtype="rewind", systemPayload={"truncatedCount": 1})
    assert find_active_path(read(*TALK, again)) == (0, 5)
    assert find_active_path(read(*TALK, again, rewind)) == (0, 1, 3, 4)


def test_a_compression_stands_for_all_before() -> None:
    history = [{"role": "user", "parts": [{"text": "So far."}]}, {"role": "model", "parts": [{"text": "I see."}]}]
    payload = {"info": {}, "compressedHistory": history}
    compressed = line("z", "d", "system", subtype="chat_compression", systemPayload=payload)
    found = read(*TALK, compressed, line("f", "z", "user", {"text": "On."}))
    assert find_active_path(found) == (5, 6)
    record = found.records[5]
    assert (record.kind, record.automatic, record.link.id, record.link.parent) == ("summary", True, "z", "d")
    assert [message.parts[0].text for message in record.messages] == ["So far.", "I see."]
    assert record.passages[1].place == ("systemPayload", "compressedHistory", 1, "parts", 0, "text")
    assert find_active_path(read(*TALK, compressed)) == (5,)
    assert find_active_path(read(*TALK, {**compressed, "systemPayload": {**payload, "compressedHistory": history[:1]}})) == (5,)


def test_what_the_program_says_and_what_nobody_reads() -> None:
    assert qwen_code.read_content(line("x", "d", "user", {"text": "done"}, subtype="notification")).automatic
    assert qwen_code.read_content(line("x", "d", "user", {"text": "hi"}, subtype="realtime_message")).kind == "note"


def test_what_is_written_hangs_in_the_tree() -> None:
    key = "0123456789abcdef" * 2
    [made] = qwen_code.make_summary("So far.", "user", key, "a", TALK[1])
    assert made == line(qwen_code.make_id(key), "a", "user", {"text": "So far."})
    answer = qwen_code.wrap_results([qwen_code.make_result(RecordCall("c", "ls"), "none")])
    told = qwen_code.read_content(qwen_code.attach_entry(answer, key, "b", TALK[1])).results[0]
    assert (told.id, told.text) == ("c", "none")


def test_a_result_is_patched_with_its_copy() -> None:
    found = read(*TALK)
    [result] = found.records[3].results
    patches = [ValuePatch(result.place, qwen_code.make_result_value(result, "gone")), *(ValuePatch(copy, "gone") for copy in result.copies)]
    text = apply_change(found, Change(patches={3: patches}))
    assert text == found.text.replace(LISTED, "gone")
