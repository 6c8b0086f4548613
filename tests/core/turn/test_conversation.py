"""The conversation of a turn: lines of one API, joined without parsing them again."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.editing import EditableFormat
from ctxkit.core.chat.formats import anthropic, gemini, openai, responses
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.chat.validity.pairing import pair_calls
from ctxkit.core.errors import MalformedInputError, UsageError
from ctxkit.core.turn.conversation import (
    check_history_format,
    complete_conversation,
    detect_provider,
    join_transcripts,
    parse_lines,
)

USER = {"role": "user", "content": "hi"}
BLOCKS = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}
PARTS = {"role": "user", "parts": [{"text": "hi"}]}
ITEM = {"type": "function_call_output", "call_id": "a", "output": "x"}


def encode(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def test_a_list_becomes_lines() -> None:
    transcript = parse_lines(json.dumps([USER, USER], indent=1).encode(), "stdin", openai)
    assert transcript.syntax == "lines"
    assert [json.loads(line) for line in transcript.text.splitlines()] == [USER, USER]


@pytest.mark.parametrize(
    ("format_", "value", "problem"),
    [
        (openai, {"role": "robot", "content": "x"}, "line 2: unknown role: robot"),
        (anthropic, {"role": "tool", "tool_call_id": "a", "content": "x"}, "line 2: unknown role: tool"),
        (anthropic, {"role": "system", "content": "x"}, "line 2: unknown role: system"),
    ],
)
def test_a_role_that_the_api_does_not_know_is_an_error(format_, value, problem: str) -> None:
    with pytest.raises(MalformedInputError, match=problem):
        parse_lines(encode(USER, value), "stdin", format_)


def test_items_need_no_role() -> None:
    assert len(parse_lines(encode(USER, ITEM), "stdin", responses).records) == 2


@given(st.lists(st.text(min_size=1), max_size=4), st.lists(st.text(min_size=1), max_size=4))
def test_joining_equals_parsing_the_whole(first: list[str], second: list[str]) -> None:
    messages = [encode(*({"role": "user", "content": text} for text in texts)) for texts in (first, second)]
    parsed = [parse_lines(data, "x", openai) if data else None for data in messages]
    joined = join_transcripts(*parsed)
    whole = parse_transcript(b"".join(messages), "x", openai) if any(messages) else None
    assert (joined is None) == (whole is None)
    if joined is not None and whole is not None and len(whole.records) > 1:
        assert joined.text == whole.text
        assert joined.records == whole.records


def test_a_history_of_another_api_is_an_error() -> None:
    with pytest.raises(UsageError, match="in the form of anthropic"):
        check_history_format(parse_lines(encode(BLOCKS), "x", openai), "s")
    check_history_format(parse_lines(encode(USER), "x", anthropic), "s")


def test_the_provider_is_that_of_the_first_content_that_tells() -> None:
    assert detect_provider(b"", encode(USER)) == "openai"
    assert detect_provider(b"", encode(USER, BLOCKS)) == "anthropic"
    assert detect_provider(encode(PARTS), encode(USER)) == "gemini"
    assert detect_provider(b"", encode(ITEM)) == "responses"
    assert detect_provider(b"not JSON") == "openai"
    assert gemini.NAME == "gemini"


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
