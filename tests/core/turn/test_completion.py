"""Before it is sent, each call has a result, and each result a call."""

import json
from typing import Any

import pytest

from ctxkit.core.chat.editing.editable_format import EditableFormat
from ctxkit.core.chat.formats import anthropic, gemini, openai, responses
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.chat.validity.pairing import pair_calls
from ctxkit.core.turn.completion import complete_conversation

USER = {"role": "user", "content": "hi"}
CALL = {"id": "a", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
OPEN: dict[str, tuple[EditableFormat, list[dict[str, Any]]]] = {
    "openai": (openai, [USER, {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "b"}]}]),
    "anthropic": (
        anthropic,
        [USER, {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "bash", "input": {}}]}],
    ),
    "gemini": (
        gemini,
        [
            {"role": "user", "parts": [{"text": "hi"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "bash", "args": {}}}]},
        ],
    ),
    "responses": (responses, [USER, {"type": "function_call", "call_id": "a", "name": "bash", "arguments": "{}"}]),
}


@pytest.mark.parametrize("name", OPEN)
def test_a_call_that_waits_gets_a_placeholder(name: str) -> None:
    format_, values = OPEN[name]
    data = b"".join(json.dumps(value).encode() + b"\n" for value in values)
    completed, actions = complete_conversation(parse_transcript(data, "x", format_))
    assert actions
    assert completed.text.startswith(data.decode())
    assert not find_breaches(completed)
    assert not pair_calls(completed.records, format_.RULES).waiting


def test_a_result_without_a_call_is_left_out_and_the_rest_keeps_its_bytes() -> None:
    lines = [
        '{"role":"user",  "content":"hi"}',
        '{"role":"tool","tool_call_id":"z","content":"x"}',
        '{"role":"user","content":"b"}',
    ]
    completed, actions = complete_conversation(parse_transcript("\n".join(lines).encode(), "x", openai))
    assert len(actions) == 1
    assert completed.text == f"{lines[0]}\n{lines[2]}"


def test_a_complete_conversation_stays_the_same_object() -> None:
    transcript = parse_transcript(json.dumps(USER).encode(), "x", openai)
    assert complete_conversation(transcript) == (transcript, ())


def test_neighbors_of_one_role_are_joined_where_roles_must_alternate() -> None:
    """A result and what the user says after it are one message of Anthropic."""
    call = {"type": "tool_use", "id": "a", "name": "bash", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "x"}
    values = [
        USER,
        {"role": "user", "content": "and"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        {"role": "user", "content": "well?"},
    ]
    data = b"".join(json.dumps(value).encode() + b"\n" for value in values)
    completed, actions = complete_conversation(parse_transcript(data, "x", anthropic))
    assert actions == ()
    assert not find_breaches(completed)
    texts = [{"type": "text", "text": text} for text in ("hi", "and", "well?")]
    assert [record.value["content"] for record in completed.records] == [texts[:2], [call], [result, texts[2]]]
    plain = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
    data = b"".join(json.dumps(value).encode() + b"\n" for value in plain)
    assert len(complete_conversation(parse_transcript(data, "x", openai))[0].records) == 2
