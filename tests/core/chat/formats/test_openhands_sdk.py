"""Events of the OpenHands SDK: each has a kind, and calls have ids."""

import json

import pytest

from ctxkit.core.chat.branches.active_path import Change, apply_change
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.formats import openhands
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.pairing import pair_calls


def read(value):
    return parse_transcript(json.dumps(value, indent=1).encode(), "it")


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
