"""Each format is read with its traps."""

import pytest

from ctxkit.core.chat.model.message import (
    ChatMessage,
    ConversationStart,
    EntryLink,
    KeptTail,
    MessagePart,
    Rewind,
    Toolset,
)
from ctxkit.core.chat.reading.format_registry import get_format


def read(name, *lines):
    return [entry for line in lines for entry in get_format(name).read_entries(line)]


def test_openai() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "ls", "arguments": '{"a": 1}'}}
    said = {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [call]}
    answer = {"role": "tool", "tool_call_id": "1", "content": "ok"}
    assert read("openai", [said, answer]) == [
        ChatMessage("assistant", (MessagePart("thinking", "hm"), MessagePart("call", '{"a": 1}', "ls")), calls=("1",)),
        ChatMessage("tool", (MessagePart("result", "ok"),), answers=("1",)),
    ]
    old = {"role": "assistant", "content": "", "function_call": {"name": "ls", "arguments": "{}"}}
    assert read("openai", old) == [ChatMessage("assistant", (MessagePart("call", "{}", "ls"),))]
    with pytest.raises(ValueError, match="no role"):
        read("openai", {"text": "x"})


def test_anthropic() -> None:
    blocks = [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}, {"type": "text", "text": "go on"}]
    request = {
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "tools": [{"name": "ls", "input_schema": {}}],
        "messages": [{"role": "user", "content": blocks}],
    }
    start, tools, system, turn = read("anthropic", request)
    assert start == ConversationStart()
    assert isinstance(tools, Toolset)
    assert system == ChatMessage("system", (MessagePart("text", "Be brief."),))
    assert turn == ChatMessage("user", (MessagePart("result", "ok"), MessagePart("text", "go on")), answers=("1",))


def test_responses() -> None:
    items = [
        {"type": "reasoning", "summary": [], "encrypted_content": "x" * 10},
        {"type": "function_call", "id": "f", "call_id": "c", "name": "ls", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "ok"},
        {"type": "function_call_output", "call_id": "d", "output": {"type": "input_text", "text": "ok"}},
        {"type": "compaction", "encrypted_content": "x" * 8},
    ]
    assert read("responses", {"input": items, "instructions": "Be brief.", "model": "m"}) == [
        ConversationStart(),
        ChatMessage("system", (MessagePart("text", "Be brief."),)),
        ChatMessage("assistant", (MessagePart("thinking", encrypted_size=10),)),
        ChatMessage("assistant", (MessagePart("call", "{}", "ls"),), calls=("c",)),
        ChatMessage("tool", (MessagePart("result", "ok"),), answers=("c",)),
        ChatMessage("tool", (MessagePart("result", "ok"),), answers=("d",)),
        ChatMessage("assistant", (MessagePart("other", encrypted_size=8),)),
    ]


def test_codex() -> None:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    line = {"type": "response_item", "payload": item}
    again = {"type": "compacted", "payload": {"message": "", "replacement_history": [item]}}
    summary = {"type": "compacted", "payload": {"message": "so far"}}
    back = {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 2}}
    event = {"type": "event_msg", "payload": {"type": "user_message", "message": "hi"}}
    said = ChatMessage("user", (MessagePart("text", "hi"),))
    assert read("codex", line, event) == [said]
    assert read("codex", again) == [Rewind(), said]
    assert read("codex", summary) == [Rewind(), ChatMessage("user", (MessagePart("text", "so far"),))]
    assert read("codex", back) == [Rewind(2)]


def test_claude_code() -> None:
    message = {"role": "assistant", "id": "m", "content": [{"type": "tool_use", "id": "1", "name": "ls", "input": {}}]}
    line = {"type": "assistant", "uuid": "2", "parentUuid": "1", "isSidechain": True, "message": message}
    note = {"type": "system", "uuid": "3", "parentUuid": None}
    assert read("claude-code", line, note, {"type": "summary", "summary": "x"}) == [
        ChatMessage("assistant", (MessagePart("call", "{}", "ls"),), calls=("1",), link=EntryLink("2", "1", "m", True)),
        EntryLink("3", ""),
    ]


def test_pi() -> None:
    lines = [
        {"type": "session", "id": "s", "timestamp": "t", "cwd": "/"},
        {"type": "message", "message": {"role": "toolResult", "toolCallId": "1", "toolName": "ls", "content": "ok"}},
        {"type": "message", "id": "2", "parentId": None, "message": {"role": "bashExecution", "command": "ls", "output": "a"}},
        {"type": "compaction", "id": "3", "parentId": "2", "summary": "so far", "firstKeptEntryId": "2"},
        {"type": "compaction", "summary": "so far", "firstKeptEntryIndex": 5},
    ]
    header, result, ran, tree, line = read("pi", *lines)
    assert header == EntryLink("s", "")
    assert result == ChatMessage("toolResult", (MessagePart("result", "ok"),), "ls", answers=("1",), link=EntryLink("", is_tip=True))
    assert "ls" in ran.parts[0].text
    assert (tree.kept, tree.link) == (KeptTail("2"), EntryLink("3", "2", is_tip=True))
    assert line.kept == KeptTail(place=5)


def test_gemini() -> None:
    contents = [
        {"role": "user", "parts": [{"text": "hi"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
        {"role": "model", "parts": [{"text": "hm", "thought": True}, {"functionCall": {"name": "ls", "args": {"a": 1}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "ok"}}}]},
    ]
    request = {"systemInstruction": {"parts": [{"text": "Be brief."}]}, "contents": contents}
    assert read("gemini", request) == [
        ConversationStart(),
        ChatMessage("system", (MessagePart("text", "Be brief."),)),
        ChatMessage("user", (MessagePart("text", "hi"), MessagePart("image"))),
        ChatMessage("model", (MessagePart("thinking", "hm"), MessagePart("call", '{"a":1}', "ls"))),
        ChatMessage("user", (MessagePart("result", '{"output":"ok"}', "ls"),)),
    ]


def test_gemini_cli() -> None:
    call = {"name": "ls", "args": {}, "result": [{"functionResponse": {"name": "ls", "response": {"output": "ok"}}}]}
    spoken = {"type": "gemini", "content": "so", "thoughts": [{"subject": "S", "description": "D"}], "toolCalls": [call]}
    assert read("gemini", {"sessionId": "1", "messages": [spoken, {"type": "info", "content": "x"}]}) == [
        ChatMessage("model", (MessagePart("thinking", "S: D"), MessagePart("text", "so"), MessagePart("call", "{}", "ls"))),
        ChatMessage("user", (MessagePart("result", '{"output":"ok"}', "ls"),), "ls"),
    ]


def test_openhands() -> None:
    metadata = {
        "function_name": "bash",
        "tool_call_id": "1",
        "model_response": {
            "choices": [{"message": {"content": "I look", "tool_calls": [{"id": "1", "function": {"arguments": "{}"}}]}}]
        },
    }
    events = [
        {"source": "user", "action": "message", "args": {"content": "hi"}},
        {"source": "agent", "action": "run", "args": {"command": "ls", "thought": ""}, "tool_call_metadata": metadata},
        {"source": "agent", "action": "run", "args": {"command": "ls", "thought": "So"}},
        {"source": "agent", "observation": "run", "content": "ok"},
        {"source": "environment", "observation": "agent_state_changed", "content": ""},
    ]
    assert read("openhands", events) == [
        ChatMessage("user", (MessagePart("text", "hi"),)),
        ChatMessage("assistant", (MessagePart("text", "I look"), MessagePart("call", "{}", "bash"))),
        ChatMessage("assistant", (MessagePart("text", "So"), MessagePart("call", '{"command":"ls"}', "run"))),
        ChatMessage("tool", (MessagePart("result", "ok"),), "run"),
    ]


def test_sharegpt_and_chatml() -> None:
    said = [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "yes"}, {"from": "observation", "value": "ok"}]
    assert read("sharegpt", {"conversations": said, "system": "Be brief."}) == [
        ConversationStart(),
        ChatMessage("system", (MessagePart("text", "Be brief."),)),
        ChatMessage("user", (MessagePart("text", "hi"),)),
        ChatMessage("assistant", (MessagePart("text", "yes"),)),
        ChatMessage("tool", (MessagePart("result", "ok"),)),
    ]
    text = "<|im_start|>user\nhi\nthere<|im_end|>\n<|im_start|>assistant\n"
    assert read("chatml", text) == [ChatMessage("user", (MessagePart("text", "hi\nthere"),))]
