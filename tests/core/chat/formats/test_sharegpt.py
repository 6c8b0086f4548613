"""ShareGPT: what is said has a speaker and a value, and no ids."""

import json

import pytest

from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import sharegpt
from ctxkit.core.chat.model.message import RecordCall
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.pairing import pair_calls
from ctxkit.core.errors import UsageError

SAID = [
    {"from": "human", "value": "How warm is it?"},
    {"from": "function_call", "value": '{"name": "weather", "arguments": {"city": "Ulm"}}'},
    {"from": "observation", "value": '{"celsius": 27}'},
    {"from": "gpt", "value": "27 degrees."},
]
TAGGED = [
    {"from": "human", "value": "How warm is it?"},
    {"from": "gpt", "value": 'So.\n<tool_call>{"name": "a", "arguments": {}}</tool_call><tool_call>{"name": "b"}</tool_call>'},
    {"from": "tool", "value": '<tool_response>{"name": "a", "content": 1}</tool_response><tool_response>2</tool_response>'},
]


def read(value):
    return parse_transcript(json.dumps(value, indent=1).encode(), "it")


@pytest.mark.parametrize("value", [SAID, {"conversations": SAID, "system": "Be brief."}, [{"conversations": SAID}]])
def test_one_conversation_is_found_wherever_it_stands(value) -> None:
    found = read(value)
    assert found.format is sharegpt
    assert [record.role for record in found.records] == ["user", "assistant", "tool", "assistant"]
    assert [one.parts[0].text for one in found.head[1:]] == (["Be brief."] if isinstance(value, dict) else [])


def test_several_conversations_are_refused() -> None:
    with pytest.raises(UsageError, match="several conversations"):
        read([{"conversations": SAID}, {"conversations": SAID}])


@pytest.mark.parametrize("said", [SAID, TAGGED])
def test_calls_and_results_belong_together_by_order(said) -> None:
    found = pair_calls(read(said).records, sharegpt.RULES)
    assert len(found.paired) == sum(len(record.calls) for record in found.messages) > 0
    assert not found.missing + found.orphans


def test_a_call_is_read_from_its_json() -> None:
    [call] = sharegpt.read_content(SAID[1]).calls
    assert (call.name, call.arguments) == ("weather", {"city": "Ulm"})
    assert [(call.name, call.arguments) for call in sharegpt.read_content(TAGGED[1]).calls] == [("a", {}), ("b", "")]


@pytest.mark.parametrize("said", [SAID, TAGGED])
def test_a_cleared_result_is_read_as_such(said) -> None:
    found = read(said)
    first, *rest = found.records[2].results
    assert first.text == said[2]["value"]
    assert not any(one.text for one in rest)
    again = parse_transcript(apply_change(found, Change(patches={2: [ValuePatch(first.place, "[cleared]")]})).encode(), "it")
    assert again.records[2].results[0].text == "[cleared]"


def test_what_is_made_here_is_said_by_someone() -> None:
    [summary] = sharegpt.make_summary("So far.", "system", "0" * 32, None, SAID[0])
    assert summary == {"from": "system", "value": "So far."}
    assert sharegpt.read_content(sharegpt.make_result(RecordCall("", "weather"), "none")).results[0].text == "none"


def test_what_was_said_may_stand_on_a_line_of_its_own() -> None:
    found = parse_transcript("\n".join(map(json.dumps, SAID)).encode(), "chat")
    assert (found.format.NAME, found.syntax, len(found.records)) == ("sharegpt", "lines", 4)
    assert parse_transcript(json.dumps(SAID[0]).encode(), "chat").format.NAME == "sharegpt"
