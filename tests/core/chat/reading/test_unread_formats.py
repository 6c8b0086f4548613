"""Conversations that are named, and not read."""

import json

import pytest

from ctxkit.core.chat.reading.format_registry import find_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.reading.unread_formats import find_unread_format
from ctxkit.core.errors import MalformedInputError

STREAM = [
    {"type": "init", "timestamp": "t", "session_id": "s", "model": "gemini-3-pro"},
    {"type": "message", "timestamp": "t", "role": "user", "content": "Look."},
    {"type": "message", "timestamp": "t", "role": "assistant", "content": "I l", "delta": True},
    {"type": "tool_use", "timestamp": "t", "tool_name": "ls", "tool_id": "ls-1", "parameters": {}},
    {"type": "tool_result", "timestamp": "t", "tool_id": "ls-1", "status": "success", "output": "a"},
    {"type": "result", "timestamp": "t", "status": "success", "stats": {}},
]
CONTINUE = {"sessionId": "s", "title": "x", "history": [{"message": {"role": "user", "content": "hi"}, "contextItems": []}]}
VS_CODE = {"responderUsername": "GitHub Copilot", "requests": [{"requestId": "r", "message": {"text": "hi"}}]}
ANTIGRAVITY = {"step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "status": "DONE", "content": "hi"}
EVENT = {"type": "user.message", "id": "e", "parentId": "d", "data": {"content": "hi"}}
WASA = [
    {"role": "", "content": "", "timestamp": "t", "raw": {"type": "session.start", "id": "d", "parentId": None, "data": {}}},
    {"role": "user", "content": "hi", "timestamp": "t", "raw": EVENT},
]
OPENCLAW = {"traceSchema": "openclaw-trajectory", "schemaVersion": 1, "type": "session.started", "seq": 1, "data": {}}
LOG = [
    {"type": "user", "timestamp": "t", "content": "hi"},
    {"type": "tool_use", "timestamp": "t", "tool_name": "bash", "tool_input": {"command": "ls"}},
    {"type": "tool_result", "timestamp": "t", "tool_name": "bash", "tool_input": {}, "tool_output": {"output": "a"}},
]
CHAT = {"uuid": "c", "name": "", "chat_messages": [{"uuid": "m", "sender": "human", "text": "hi", "content": []}]}
TAU2 = {"info": {}, "tasks": [], "simulations": [{"id": "s", "messages": [{"role": "assistant", "content": "hi"}]}]}
HERMES = {"session_id": "s", "reason": "x", "request": {"method": "POST", "body": {"messages": [{"role": "user", "content": "hi"}]}}}
CHANGES = [{"kind": 0, "v": {"version": 3, "responderUsername": "GitHub Copilot", "requests": []}}, {"kind": 2, "k": ["requests"], "v": []}]

ENTIRE = [
    {"v": 1, "agent": "opencode", "cli_version": "0.5.1", "type": "user", "ts": "t", "content": [{"id": "p", "text": "hi"}]},
    {"v": 1, "agent": "opencode", "cli_version": "0.5.1", "type": "assistant", "ts": "t", "id": "m", "content": []},
]


MANAGED = [
    {"id": "sevt_1", "type": "session.status_running", "processed_at": "t"},
    {"id": "sevt_2", "type": "agent.message", "content": [{"type": "text", "text": "hi"}], "processed_at": "t"},
]


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (MANAGED, "Managed Agents"),
        ([{"role": "agent", "kind": "message", "content": "hi", "raw": event} for event in MANAGED], "Managed Agents"),
        (STREAM, "stream-json"),
        (STREAM[1:], "stream-json"),
        ([CONTINUE], "Continue"),
        ([VS_CODE], "VS Code Copilot"),
        ([ANTIGRAVITY], "Antigravity"),
        (WASA, "wasa"),
        ([OPENCLAW], "OpenClaw"),
        (LOG, "oh-my-opencode"),
        ([*LOG[:1], LOG[2]], "oh-my-opencode"),
        ([[CHAT]], "Claude.ai"),
        ([[{**CHAT, "chat_messages": []}, CHAT]], "Claude.ai"),
        ([CHAT], "Claude.ai"),
        ([TAU2], "tau2-bench"),
        ([HERMES], "Hermes"),
        (CHANGES, "VS Code"),
        (ENTIRE, "Entire"),
        (ENTIRE[1:], "Entire"),
        (WASA[1:], "wasa"),
    ],
)
def test_the_error_names_what_is_not_read(values, name: str) -> None:
    assert find_format(values) is None
    with pytest.raises(MalformedInputError, match=f"chat: it is .*{name}.*, which ctxkit does not read"):
        parse_transcript("".join(json.dumps(value) + "\n" for value in values).encode(), "chat")


def test_a_stream_is_not_read_by_its_later_messages() -> None:
    lines = [STREAM[0], *[{"type": "result"}] * 70, STREAM[1]]
    with pytest.raises(MalformedInputError, match="stream-json"):
        parse_transcript("".join(json.dumps(value) + "\n" for value in lines).encode(), "chat")


def test_a_message_with_the_answer_of_a_provider_is_read() -> None:
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "hi"}]}
    assert find_format([{"role": "assistant", "content": "hi", "raw": answer}]) is not None


@pytest.mark.parametrize(
    "value",
    [None, 7, [], [{"uuid": "c"}], ["x"], {"kind": 0, "v": {}}, {"simulations": [1], "tasks": []}, {"request": {"body": 1}}, {}, {"type": "init"}, {"history": "x"}, {"history": ["x"]}, {"history": [{"contextItems": []}]}, {"requests": [1]}],
)
def test_other_values_have_no_name(value) -> None:
    assert find_unread_format([value]) is None
