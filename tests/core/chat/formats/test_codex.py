"""Rollouts of Codex: items inside lines, compactions that replace what came before, events that no model reads."""

import json

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import codex
from ctxkit.core.chat.model.message import UsageReceipt
from ctxkit.core.chat.reading.transcript import parse_transcript


def item(payload, time="2026-01-01T00:00:00.000Z"):
    return {"timestamp": time, "type": "response_item", "payload": payload}


def said(words, role="user"):
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}


CALL = {"type": "function_call", "call_id": "c", "name": "shell", "arguments": '{"command":["ls"]}'}
USED = {"input_tokens": 70, "cached_input_tokens": 20, "output_tokens": 25}
LINES = [
    {"timestamp": "t", "type": "session_meta", "payload": {"id": "s", "base_instructions": {"text": "Be brief."}}},
    {"timestamp": "t", "type": "turn_context", "payload": {"cwd": "/"}},
    {"timestamp": "t", "type": "event_msg", "payload": {"type": "user_message", "message": "Look."}},
    item(said("Look.")),
    item({"type": "reasoning", "summary": [], "encrypted_content": "x" * 9}),
    item(CALL),
    item({"type": "function_call_output", "call_id": "c", "output": "a.txt"}),
    {"timestamp": "t", "type": "event_msg", "payload": {"type": "token_count", "info": {"last_token_usage": USED}}},
    item({"type": "ghost_snapshot", "ghost_commit": {"id": "g"}}),
]


def read(lines):
    return parse_transcript("".join(json.dumps(line) + "\n" for line in lines).encode(), "it")


def test_lines_are_heads_notes_and_messages() -> None:
    records = read(LINES).records
    kinds = ["head", "note", "note", "message", "message", "message", "message", "note", "note"]
    assert [record.kind for record in records] == kinds
    assert [record.role for record in records] == ["system", "", "", "user", "assistant", "assistant", "tool", "", ""]
    assert records[4].has_reasoning
    assert records[7].receipt == UsageReceipt(70, 25)
    assert not records[8].messages


def test_a_result_stands_inside_the_payload() -> None:
    found = read(LINES)
    [result] = found.records[6].results
    assert (result.id, result.text, result.place, result.unit) == ("c", "a.txt", ("payload", "output"), ())
    text = apply_change(found, Change(patches={6: [ValuePatch(result.place, codex.make_result_value(result, "[cleared]"))]}))
    again = parse_transcript(text.encode(), "it")
    assert again.records[6].results[0].text == "[cleared]"
    assert text.splitlines()[:6] == found.text.splitlines()[:6]


def test_a_compaction_is_a_summary_of_what_it_replaces() -> None:
    history = [said("Look."), CALL, {"type": "function_call_output", "call_id": "c", "output": "old"}]
    line = {"timestamp": "t", "type": "compacted", "payload": {"message": "", "replacement_history": history}}
    found = read([*LINES, line, item(said("Go on."))])
    record = found.records[9]
    assert (record.kind, record.role, record.encrypted) == ("summary", "user", False)
    [result] = record.results
    assert result.unit == ("payload", "replacement_history", 2)
    assert record.calls[0].unit == ("payload", "replacement_history", 1)
    text = apply_change(found, Change(patches={9: [ValuePatch(result.place, "[cleared]")]}))
    assert parse_transcript(text.encode(), "it").records[9].results[0].text == "[cleared]"
    assert find_active_path(found) == (0, 9, 10)


def test_a_compaction_of_the_server_is_sealed_and_one_of_words_is_not() -> None:
    sealed = {"message": "", "replacement_history": [{"type": "compaction", "encrypted_content": "x"}]}
    assert codex.read_content({"type": "compacted", "payload": sealed}).encrypted
    words = codex.read_content({"type": "compacted", "payload": {"message": "So far."}})
    assert [(one.text, one.place) for one in words.passages] == [("So far.", ("payload", "message"))]


def test_a_resume_writes_the_instructions_again_and_only_the_first_are_sent() -> None:
    resumed = [LINES[0], item(said("Go on.")), {**LINES[0], "payload": {"id": "s", "base_instructions": {"text": "Be long."}}}]
    found = read([*LINES, *resumed, item(said("Done?"))])
    assert find_active_path(found) == (0, 3, 4, 5, 6, 10, 12)
    assert [record.kind for record in found.records if record.role == "system"] == ["head", "head", "head"]


def test_the_first_instructions_stay_after_a_compaction_and_a_rollback() -> None:
    compaction = {"timestamp": "t", "type": "compacted", "payload": {"message": "So far."}}
    back = {"timestamp": "t", "type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    found = read([*LINES, LINES[0], compaction, LINES[0], item(said("Wrong.")), back, LINES[0], item(said("Right."))])
    assert find_active_path(found) == (0, 10, 15)


def test_metadata_without_instructions_does_not_count_as_the_first() -> None:
    bare = {"timestamp": "t", "type": "session_meta", "payload": {"id": "s", "base_instructions": None}}
    assert find_active_path(read([bare, LINES[0], LINES[0], item(said("Look."))])) == (1, 3)


def test_what_is_taken_back_is_not_on_the_path() -> None:
    back = {"timestamp": "t", "type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    found = read([*LINES, item(said("Wrong.")), item(said("Well.", "assistant")), back, item(said("Right."))])
    assert find_active_path(found) == (0, 3, 4, 5, 6, 12)


def test_what_is_made_here_is_a_line_with_the_time_of_its_neighbour() -> None:
    [summary] = codex.make_summary("So far.", "user", "0" * 32, None, item({}, "2026-02-02T00:00:00.000Z"))
    assert summary["timestamp"] == "2026-02-02T00:00:00.000Z"
    assert codex.read_content(summary).passages[0].text == "So far."
    [call] = codex.read_content(item(CALL)).calls
    line = codex.attach_entry(codex.make_result(call, "none"), "", None, item({}, "2026-03-03T00:00:00.000Z"))
    assert line["timestamp"] == "2026-03-03T00:00:00.000Z"
    assert codex.read_content(line).results[0].id == "c"
    assert codex.make_result(call, "none")["timestamp"] == codex.TIME


def test_a_local_shell_is_answered_as_a_function() -> None:
    [call] = codex.read_content(item({"type": "local_shell_call", "call_id": "c", "action": {"type": "exec"}})).calls
    assert codex.make_result(call, "none")["payload"] == {"type": "function_call_output", "call_id": "c", "output": "none"}
    [custom] = codex.read_content(item({"type": "custom_tool_call", "call_id": "d", "name": "n", "input": "x"})).calls
    assert codex.make_result(custom, "none")["payload"]["type"] == "custom_tool_call_output"


def test_of_a_compacted_history_the_items_that_codex_keeps_for_itself_are_not_read() -> None:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}
    ghost = {"type": "ghost_snapshot", "ghost_commit": {"id": "g"}}
    value = {"type": "compacted", "payload": {"message": "", "replacement_history": [ghost, said]}}
    assert [getattr(entry, "role", "") for entry in codex.read_entries(value)] == ["", "user"]
    assert [passage.place for passage in codex.read_content(value).passages] == [
        ("payload", "replacement_history", 1, "content", 0, "text")
    ]
