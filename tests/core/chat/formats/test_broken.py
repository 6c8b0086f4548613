"""Values of any shape, where a format has others, are read as something or refused: nothing goes wrong on them."""

import json
from contextlib import suppress
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.reading.format_registry import FORMATS, get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.pairing import pair_calls
from ctxkit.core.errors import CtxkitError
from ctxkit.core.usage.answer import build_report
from ctxkit.core.usage.finder import find_answers
from tests.example_counts import count_examples

USED = {"input_tokens": 9, "output_tokens": 2, "prompt_tokens": 9, "completion_tokens": 2}
RESPONSE = {"functionResponse": {"name": "f", "response": {"output": "a"}, "parts": []}}
SAMPLES = {
    "openai": [
        {"role": "assistant", "content": [{"type": "text", "text": "a"}], "usage": USED, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "x"},
    ],
    "anthropic": [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "h", "signature": "s"}, {"type": "tool_use", "id": "1", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "a"}]}]},
    ],
    "responses": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": [{"type": "input_text", "text": "a"}], "status": "completed"},
        {"type": "shell_call_output", "call_id": "1", "output": [{"stdout": "a", "stderr": ""}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "h"}], "encrypted_content": "x"},
        {"type": "tool_search_call", "call_id": "1", "execution": "client", "arguments": {}},
    ],
    "codex": [
        {"timestamp": "t", "type": "session_meta", "payload": {"id": "s", "base_instructions": {"text": "a"}}},
        {"timestamp": "t", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}},
        {"timestamp": "t", "type": "compacted", "payload": {"message": "", "replacement_history": [{"type": "function_call_output", "call_id": "1", "output": "a"}]}},
        {"timestamp": "t", "type": "event_msg", "payload": {"type": "token_count", "info": {"last_token_usage": USED}, "num_turns": 1}},
    ],
    "gemini": [
        {"role": "model", "parts": [{"text": "a", "thoughtSignature": "s"}, {"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [RESPONSE, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
        {"sessionId": "s", "projectHash": "p"},
        {"id": "1", "type": "gemini", "content": "a", "tokens": {"input": 1}, "thoughts": [{"subject": "s"}], "toolCalls": [{"id": "1", "name": "f", "args": {}, "result": [RESPONSE], "resultDisplay": "a"}]},
        {"$set": {"messages": [{"id": "1", "type": "user", "content": [{"text": "a"}]}]}},
        {"$rewindTo": "1"},
    ],
    "openhands": [
        {"id": 1, "source": "agent", "action": "run", "args": {"command": "a"}, "tool_call_metadata": {"function_name": "f", "tool_call_id": "1", "model_response": {"choices": [{"message": {"content": "a", "tool_calls": [{"id": "1", "function": {"arguments": "{}"}}]}}], "usage": USED}}},
        {"kind": "ActionEvent", "source": "agent", "tool_name": "f", "tool_call_id": "2", "thought": [{"type": "text", "text": "a"}], "tool_call": {"arguments": "{}"}},
        {"kind": "ObservationEvent", "source": "environment", "tool_call_id": "2", "observation": {"content": [{"type": "text", "text": "a"}], "metadata": {"exit_code": 1}}},
        {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "a"}]}},
        {"id": 2, "source": "agent", "observation": "run", "cause": 1, "content": "a", "extras": {"metadata": {"exit_code": 1}}},
    ],
    "sharegpt": [{"from": "function_call", "value": '{"name": "f", "arguments": {}}'}, {"from": "tool", "value": "<tool_response>a</tool_response>"}],
    "opencode": [
        {"info": {"id": "1", "role": "user", "time": {"created": 1}}, "parts": [{"type": "text", "text": "a"}, {"type": "compaction", "tail_start_id": "0"}, {"type": "file", "mime": "image/png", "url": "data:,"}]},
        {"info": {"id": "2", "role": "assistant", "tokens": {"input": 1, "cache": {"read": 1}}, "error": {"name": "MessageAbortedError"}}, "parts": [{"type": "tool", "callID": "c", "tool": "f", "state": {"status": "completed", "input": {}, "output": "a", "time": {"compacted": 1}, "attachments": [{}]}}, {"type": "reasoning", "text": "h"}]},
    ],
    "qwen-code": [
        {"uuid": "1", "parentUuid": None, "type": "assistant", "message": {"role": "model", "parts": [{"functionCall": {"id": "c", "name": "f", "args": {}}}]}, "usageMetadata": {"promptTokenCount": 1}},
        {"uuid": "2", "parentUuid": "1", "type": "tool_result", "message": {"role": "user", "parts": [RESPONSE]}, "toolCallResult": {"resultDisplay": "a"}},
        {"uuid": "3", "parentUuid": "2", "type": "system", "subtype": "chat_compression", "systemPayload": {"compressedHistory": [{"role": "user", "parts": [{"text": "a"}, RESPONSE]}]}},
    ],
    "copilot": [
        {"type": "session.start", "data": {"sessionId": "s"}, "id": "1", "parentId": None},
        {"type": "user.message", "data": {"content": "a", "transformedContent": "b"}, "id": "2", "parentId": "1"},
        {"type": "assistant.message", "data": {"content": "a", "reasoningText": "h", "toolRequests": [{"toolCallId": "c", "name": "f", "arguments": {}}]}, "id": "3", "parentId": "2"},
        {"type": "tool.execution_complete", "data": {"toolCallId": "c", "success": True, "result": {"content": "a", "detailedContent": "a"}, "shellExecution": {"exitCode": 1}}, "id": "4", "parentId": "3"},
        {"type": "session.compaction_start", "data": {"compactionAttemptId": "k"}, "id": "5", "parentId": "4"},
        {"type": "session.compaction_complete", "data": {"success": True, "compactionAttemptId": "k", "summaryContent": "s"}, "id": "6", "parentId": "5"},
        {"type": "session.snapshot_rewind", "data": {"upToEventId": "3"}, "id": "7", "parentId": "6"},
    ],
    "cursor": [
        {"role": "user", "message": {"content": [{"type": "text", "text": "a"}]}},
        {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "f", "input": {"a": "b"}}]}},
        {"role": "user", "message": {"content": [{"type": "tool_result", "content": [{"type": "text", "text": "a"}]}]}},
        {"type": "turn_ended", "status": "success"},
    ],
    "nanobot": [
        {"_type": "metadata", "key": "cli:s", "created_at": "t", "last_consolidated": 1},
        {"role": "user", "content": "a", "timestamp": "t"},
        {"role": "assistant", "content": "a", "reasoning_content": "h", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "name": "f", "content": "a"},
    ],
    "langchain": [
        {"type": "ai", "content": "a", "tool_calls": [{"id": "1", "name": "f", "args": {}}], "usage_metadata": USED},
        {"type": "tool", "data": {"content": [{"type": "text", "text": "a"}], "tool_call_id": "1"}},
        {"lc": 1, "type": "constructor", "id": ["langchain", "HumanMessage"], "kwargs": {"content": "a"}},
    ],
    "atif": [
        {"step_id": 1, "source": "user", "message": [{"type": "text", "text": "a"}, {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}]},
        {"step_id": 2, "source": "agent", "message": "a", "reasoning_content": "h", "tool_calls": [{"tool_call_id": "c", "function_name": "f", "arguments": {}}], "observation": {"results": [{"source_call_id": "c", "content": "a", "extra": {"exit_code": 1}}]}, "metrics": {"prompt_tokens": 1, "cached_tokens": 2}},
        {"step_id": 3, "source": "agent", "message": "a", "observation": {"results": [{"content": "a"}]}, "extra": {"tool_call_id": "c"}},
    ],
    "swe-agent": [{"role": "assistant", "content": "a", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}, {"role": "tool", "content": "a", "tool_call_ids": ["1"]}],
}
ODD = st.sampled_from([None, True, 7, -1.5, "", "x", "{", [], {}, [None], ["a"], [[]], {"text": 7}, [{"type": "text", "text": None}], {"a": {}}])


def places(value, at=()):
    yield at
    held = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in held:
        yield from places(inner, (*at, key))


def put(value, place, new):
    if not place:
        return new
    held = dict(value) if isinstance(value, dict) else list(value)
    held[place[0]] = put(value[place[0]], place[1:], new)
    return held


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=count_examples(25), deadline=None)
@given(data=st.data())
def test_values_of_any_shape(name: str, data: st.DataObject) -> None:
    entries = SAMPLES[name]
    for _ in range(data.draw(st.integers(1, 3))):
        entries = put(entries, data.draw(st.sampled_from([place for place in places(entries) if place])), data.draw(ODD))
    lines = "".join(json.dumps(one) + "\n" for one in entries).encode()  # type: ignore[attr-defined]
    with suppress(CtxkitError):
        found = parse_transcript(lines, "it", get_format(name))
        find_active_path(found)
        pair_calls(found.records, found.format.RULES)
        for record in found.records:
            for call in record.calls:
                found.format.make_result(call, "none")
            for result in record.results:
                found.format.make_result_value(result, "x")
    if said := find_answers(entries):
        build_report(said)


@pytest.mark.parametrize("format_", FORMATS, ids=lambda one: one.NAME)
@given(value=st.recursive(ODD, partial(st.lists, max_size=3), max_leaves=5))
def test_a_document_of_any_shape_has_its_entries_somewhere_or_nowhere(format_, value) -> None:
    with suppress(ValueError):
        place = format_.find_entry_list(value)
        assert place is None or isinstance(place, tuple)
