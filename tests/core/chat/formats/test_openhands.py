"""Events of OpenHands: what is observed answers the action that caused it."""

import json

import pytest

from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import openhands
from ctxkit.core.chat.model.message import ChatMessage, MessagePart, RecordCall, UsageReceipt
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.pairing import pair_calls

CALL = {"id": "t1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
METADATA = {
    "function_name": "bash", "tool_call_id": "t1",
    "model_response": {
        "choices": [{"message": {"content": "I look.", "tool_calls": [CALL]}}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 9},
    },
}
EVENTS = [
    {"id": 0, "source": "agent", "action": "system", "message": "Be brief.", "args": {"content": "Be brief.", "tools": []}},
    {"id": 1, "source": "user", "action": "message", "message": "Look.", "args": {"content": "Look."}},
    {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": METADATA},
    {
        "id": 3, "source": "agent", "observation": "run", "cause": 2, "content": "a", "tool_call_metadata": METADATA,
        "extras": {"metadata": {"exit_code": 1}},
    },
    {"id": 4, "source": "agent", "action": "run", "args": {"command": "id", "thought": "Who?"}},
    {"id": 5, "source": "agent", "observation": "run", "cause": 4, "content": ""},
    {"id": 6, "source": "environment", "observation": "agent_state_changed", "content": ""},
    {"id": 7, "source": "user", "action": "recall", "args": {"query": "x"}},
    {"id": 8, "source": "environment", "observation": "recall", "cause": 7, "content": "remember"},
    {"id": 9, "source": "agent", "action": "finish", "args": {"thought": "Done."}},
]


def read(value):
    return parse_transcript(json.dumps(value, indent=1).encode(), "it")


@pytest.mark.parametrize("value", [EVENTS, {"history": EVENTS, "metrics": {}}])
def test_events_are_entries(value) -> None:
    found = read(value)
    assert found.format is openhands
    roles = ["system", "user", "assistant", "tool", "assistant", "tool", "", "", "user", "assistant"]
    assert [record.role for record in found.records] == roles
    assert [record.kind for record in found.records].count("note") == 2
    assert found.records[2].receipt == UsageReceipt(90, 9)


def test_a_call_is_known_by_its_id_else_by_the_number_of_its_event() -> None:
    records = read(EVENTS).records
    assert [(call.id, call.name, call.needs_no_result) for record in records for call in record.calls] == [
        ("t1", "bash", False),
        ("4", "run", False),
        ("9", "finish", True),
    ]
    assert records[2].calls[0].arguments == {"command": "ls"}
    assert [(one.id, one.text, one.failed) for record in records for one in record.results] == [
        ("t1", "a", True),
        ("4", "", False),
    ]
    found = pair_calls(records, openhands.RULES)
    assert len(found.paired) == 2
    assert not found.missing + found.orphans


def test_the_arguments_stand_where_the_place_says() -> None:
    place = openhands.read_content(EVENTS[2]).calls[0].place
    held = EVENTS[2]
    for step in place:
        held = held[step]  # type: ignore[assignment]
    assert held == CALL["function"]["arguments"]


def test_a_cleared_observation_is_read_as_such() -> None:
    found = read(EVENTS)
    [one] = found.records[3].results
    again = parse_transcript(apply_change(found, Change(patches={3: [ValuePatch(one.place, "[cleared]")]})).encode(), "it")
    assert again.records[3].results[0].text == "[cleared]"
    assert again.records[3].messages == (ChatMessage("tool", (MessagePart("result", "[cleared]"),), "run"),)


@pytest.mark.parametrize("call", [RecordCall("t1", "bash"), RecordCall("4", "run")])
def test_an_answer_is_an_observation_of_its_call(call) -> None:
    value = openhands.make_result(call, "none")
    assert openhands.is_format_of(value)
    assert [(one.id, one.text, one.failed) for one in openhands.read_content(value).results] == [(call.id, "none", True)]


@pytest.mark.parametrize("role", ["user", "system"])
def test_a_summary_is_an_event(role: str) -> None:
    [event] = openhands.make_summary("So far.", role, "0" * 32, None, EVENTS[1])
    assert openhands.is_format_of(event)
    assert openhands.read_content(event).role == role
    assert [entry.parts[0].text for entry in openhands.read_entries(event)] == ["So far."]


def test_a_condensation_is_a_summary_where_it_has_one() -> None:
    event = {"source": "agent", "action": "condensation", "args": {"summary": "So far.", "forgotten_event_ids": [1]}}
    assert openhands.read_content(event).kind == "summary"
    assert list(openhands.read_entries(event)) == [ChatMessage("user", (MessagePart("text", "So far."),))]
    assert openhands.read_content({**event, "args": {"summary": None}}).kind == "note"


def test_several_histories_are_no_conversation() -> None:
    with pytest.raises(ValueError, match="several"):
        openhands.find_entry_list([{"history": EVENTS}, {"history": EVENTS}])


SDK = [
    {"kind": "SystemPromptEvent", "source": "agent", "system_prompt": {"type": "text", "text": "Be brief."}, "tools": []},
    {"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "full_state", "value": {}},
    {"kind": "MessageEvent", "source": "user", "timestamp": "t", "llm_message": {"role": "user", "content": [{"type": "text", "text": "Look."}]}},
    {
        "kind": "ActionEvent", "source": "agent", "thought": [{"type": "text", "text": "I look."}], "tool_name": "terminal", "tool_call_id": "c",
        "thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}],
        "action": {"kind": "TerminalAction", "command": "ls"}, "tool_call": {"id": "c", "name": "terminal", "arguments": '{"command": "ls"}'},
    },
    {
        "kind": "ObservationEvent", "source": "environment", "tool_name": "terminal", "tool_call_id": "c", "action_id": "e",
        "observation": {"kind": "TerminalObservation", "content": [{"type": "text", "text": "a.txt"}], "is_error": False, "exit_code": 2},
    },
    {"kind": "ActionEvent", "source": "agent", "tool_name": "read", "tool_call_id": "d", "action": {"path": "a"}},
    {"kind": "AgentErrorEvent", "source": "agent", "tool_name": "read", "tool_call_id": "d", "error": "no such file"},
    {"kind": "Condensation", "source": "environment", "summary": "So far.", "forgotten_event_ids": ["1"]},
    {"kind": "CondensationRequest", "source": "environment"},
]  # fmt: skip


@pytest.mark.parametrize("value", [SDK, {"events": SDK}])
def test_events_of_the_sdk_say_their_kind(value) -> None:
    found = read(value)
    assert found.format is openhands
    assert [record.role for record in found.records] == ["system", "", "user", "assistant", "tool", "assistant", "tool", "user", ""]
    assert [found.records[at].kind for at in (0, 1, 8)] == ["message", "note", "note"]
    assert found.records[7].kind == "summary"
    assert [found.records[at].has_reasoning for at in (3, 5)] == [True, False]
    pairs = pair_calls(found.records, openhands.RULES).paired
    assert [(asked.call.name, asked.call.arguments, told.result.text, told.result.failed) for asked, told in pairs] == [
        ("terminal", {"command": "ls"}, "a.txt", True),
        ("read", {"path": "a"}, "no such file", True),
    ]
    assert [part.kind for part in found.records[3].messages[0].parts] == ["thinking", "text", "call"]


def test_lines_of_the_sdk_are_read_too() -> None:
    found = parse_transcript("".join(json.dumps(event) + "\n" for event in SDK).encode(), "it")
    assert (found.format, found.syntax) == (openhands, "lines")


def test_what_is_made_for_the_sdk_is_an_event_of_it() -> None:
    found = read(SDK)
    for at in (4, 6):
        [one] = found.records[at].results
        text = apply_change(found, Change(patches={at: [ValuePatch(one.place, openhands.make_result_value(one, "[cleared]"))]}))
        assert parse_transcript(text.encode(), "it").records[at].results[0].text == "[cleared]"
    [call] = found.records[3].calls
    [told] = openhands.read_content(openhands.make_result(call, "none")).results
    assert (told.id, told.text) == ("c", "none")
    [event] = openhands.make_summary("So far.", "user", "0" * 40, None, SDK[2])
    assert (event["timestamp"], openhands.read_content(event).role) == ("t", "user")
    assert [entry.parts[0].text for entry in openhands.read_entries(event)] == ["So far."]


def test_several_blocks_of_an_observation_are_replaced_together() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image", "image_urls": []}]
    [one] = openhands.read_content({**SDK[4], "observation": {"content": blocks}}).results
    assert (one.plain, openhands.make_result_value(one, "x")) == (False, [{"type": "text", "text": "x"}])
