"""Answers are found in responses, streams, logs and sessions."""

import json

import pytest

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.usage import finder
from ctxkit.core.usage.answer import CompactionReceipt, Stop, Usage
from ctxkit.core.usage.finder import find_answers, read_values

CHUNK = {"object": "chat.completion.chunk", "id": "c", "model": "m"}
OPENAI = [
    {**CHUNK, "choices": [{"delta": {"content": "Hi"}, "finish_reason": None}], "usage": None},
    {**CHUNK, "choices": [{"delta": {}, "finish_reason": "stop"}], "usage": None},
    {**CHUNK, "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}},
]
ANTHROPIC = [
    {"type": "message_start", "message": {"id": "m", "model": "c", "usage": {"input_tokens": 9, "cache_read_input_tokens": 90, "output_tokens": 1}}},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 15}},
    {"type": "message_stop"},
]
RESPONSES = [
    {"type": "response.created", "response": {"id": "r", "status": "in_progress", "usage": None}},
    {"type": "response.output_text.delta", "delta": "Hi"},
    {"type": "response.completed", "response": {"id": "r", "status": "completed", "usage": {"input_tokens": 9, "output_tokens": 2}}},
]
GEMINI = [
    {"responseId": "g", "candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}}], "usageMetadata": {"promptTokenCount": 9}},
    {"responseId": "g", "candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2}},
]
OLLAMA = [
    {"model": "m", "message": {"content": "H"}, "done": False},
    {"model": "m", "message": {"content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 2},
]


@pytest.mark.parametrize(
    ("stream", "usage", "reason"),
    [
        (OPENAI, Usage(9, output=2), "end"),
        (ANTHROPIC, Usage(9, 90, output=15), "end"),
        (RESPONSES, Usage(9, output=2), "end"),
        (GEMINI, Usage(9, output=2), "tool"),
        (OLLAMA, Usage(9, output=2), "end"),
    ],
)
def test_the_pieces_of_a_stream_are_one_answer(stream, usage, reason: str) -> None:
    [found] = find_answers(stream)
    assert (found.usage, found.final_stop.reason) == (usage, reason)
    assert len(find_answers([*stream, *stream])) == (1 if found.key else 2)


def test_answers_of_several_ids_are_several() -> None:
    other = [{**chunk, "id": "d"} for chunk in OPENAI]
    mixed = [chunk for pair in zip(OPENAI, other, strict=True) for chunk in pair]
    assert [one.usage for one in find_answers(mixed)] == [Usage(9, output=2)] * 2


def claude(id_, tokens, **more):
    message = {"id": id_, "role": "assistant", "content": [], "usage": {"input_tokens": tokens, "output_tokens": 1}}
    return {"type": "assistant", "uuid": id_, "message": message, **more}


def test_a_session_keeps_them_in_its_lines() -> None:
    lines = [claude("a", 5), claude("a", 5), claude("b", 7, isSidechain=True), claude("c", 9), {"type": "summary", "summary": "x"}]
    assert [one.usage.input for one in find_answers(lines)] == [5, 9]
    assert [one.usage.input for one in find_answers(lines[2:3])] == [7]
    assert [one.usage.input for one in find_answers([{"loglines": lines}])] == [5, 9]


def test_a_session_says_the_same_twice() -> None:
    last = {"input_tokens": 70, "output_tokens": 2}
    info = {"last_token_usage": last, "total_token_usage": {"total_tokens": 72}}
    event = {"type": "event_msg", "payload": {"type": "token_count", "info": info}}
    assert [one.usage.input for one in find_answers([event, event])] == [70]


@pytest.mark.parametrize(
    "value",
    [
        {"response": {"status_code": 200, "body": {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}}, "error": None},
        {"usage": {"prompt_tokens": 9, "completion_tokens": 2}},
        {"prompt_tokens": 9, "completion_tokens": 2},
        {"input_tokens": 9, "output_tokens": 2},
        {"input_tokens": 9, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 0}},
        {"promptTokenCount": 9, "candidatesTokenCount": 2},
        {"messages": [{"role": "assistant", "content": "x", "extra": {"response": {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}}}]},
        {"history": [{"source": "agent", "action": "run", "tool_call_metadata": {"model_response": {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}}}]},
    ],
)
def test_an_answer_is_found_where_it_is_kept(value) -> None:
    assert [one.usage for one in find_answers([value])] == [Usage(9, output=2)]


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        [],
        {"messages": [{"role": "user", "content": "hi"}]},
        {"type": "result", "num_turns": 3, "usage": {"input_tokens": 900, "output_tokens": 2}},
        {"type": "turn.completed", "usage": {"input_tokens": 900, "cached_input_tokens": 0, "output_tokens": 2}},
    ],
)
def test_nothing_is_found_where_there_is_nothing(value) -> None:
    assert find_answers([value]) == []


def test_an_error_in_a_stream_ends_its_answer() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}
    [found] = find_answers([*ANTHROPIC[:3], error])
    assert (found.final_stop, found.message, found.usage.input) == (Stop("error", "overloaded_error"), "Busy.", 99)


def test_answers_stand_in_what_is_known_of_a_message_too() -> None:
    used = {"input": 5, "output": 2, "cache": {"read": 1, "write": 0}}
    export = {"info": {"id": "s"}, "messages": [{"info": {"id": id_, "role": "assistant", "tokens": used}} for id_ in "ab"]}
    dumped = {"lc": 1, "kwargs": {"usage_metadata": {"input_tokens": 4, "output_tokens": 1, "total_tokens": 5}}}
    assert [one.source for one in find_answers([export, dumped])] == ["opencode", "opencode", "langchain"]


def test_a_compaction_by_the_host_is_no_answer() -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"preTokens": 99, "postTokens": 9}}
    answer = {"id": "m", "type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": 90, "output_tokens": 1}}
    found = find_answers([{"message": answer}, boundary])
    assert [one.compaction for one in found] == [None, CompactionReceipt(9)]
    assert find_answers([{"message": answer}, {**boundary, "compactMetadata": {}}])[-1].compaction == CompactionReceipt(None)


def _count_tokens_at(moment: str, total: int) -> dict[str, object]:
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": {"input_tokens": 100, "output_tokens": 1}}
    return {"timestamp": moment, "type": "event_msg", "payload": {"type": "token_count", "info": info}}


def test_a_forked_session_has_only_its_own_answers() -> None:
    meta = {"timestamp": "2026-06-21T10:00:00Z", "type": "session_meta", "payload": {"id": "b", "forked_from_id": "a"}}
    copied = [_count_tokens_at(f"2026-06-21T10:00:00.0{at}0Z", 100 * at) for at in range(1, 6)]
    own = [_count_tokens_at("2026-06-21T10:00:09Z", 600), _count_tokens_at("2026-06-21T10:00:09.1Z", 700)]
    assert len(find_answers([meta, *copied, *own])) == 2
    assert len(find_answers([{**meta, "payload": {"id": "b"}}, *copied, *own])) == 7
    spawned = {"id": "b", "source": {"subagent": {"thread_spawn": {"parent_thread_id": "a"}}}}
    assert len(find_answers([{**meta, "payload": spawned}, *copied, *own])) == 2


def read(data):
    return list(read_values(data, json.loads, "it"))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'{"a": 1}', [{"a": 1}]),
        (b'[{"a": 1},\n {"a": 2}]\n', [[{"a": 1}, {"a": 2}]]),
        (b'\xef\xbb\xbf{"a": 1}', [{"a": 1}]),
        (b'{"a": 1}\n\n{"a": 2}\r\n', [{"a": 1}, {"a": 2}]),
        (b'data: {"a": 1}\n\ndata: [DONE]\n\n', [{"a": 1}]),
        (b'event: x\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: ping\n\ndata:{"a": 2}', [{"a": 1}, {"a": 2}]),
        (b" " * 9000 + b': relay\r\r' + b'data: {"a": 1}\r\rdata: [DONE]\r\r', [{"a": 1}]),
        (b'HTTP/1.1 200 OK\r\nServer: x\r\n\r\n{"a": 1}', [{"a": 1}]),
        (b'HTTP/1.1 100 Continue\r\n\r\nHTTP/2 200\r\nServer: x\r\n\r\ndata: {"a": 1}\n\n', [{"a": 1}]),
    ],
)
def test_values_are_read(data: bytes, found) -> None:
    assert read(data) == found


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'{"a": 1}\n{"a": \n{"a": 3}\n', 2),
        (b'data: {"a": 1}\n\ndata: {"a"\n\ndata: {"a": 1}\n\n', 3),
        (b'HTTP/1.1 200 OK\r\n\r\n{"a": 1}\n{"a"\n', 4),
        (b'{\n  "a": 1,\n}', 3),
        (b"hello\nworld\n", 1),
    ],
)
def test_a_line_that_is_broken_is_named(data: bytes, line: int) -> None:
    with pytest.raises(MalformedInputError, match=f"line {line} "):
        read(data)


def test_a_last_line_that_is_cut_off_is_left_out() -> None:
    assert read(b'{"a": 1}\n{"a": 2}\n{"a"') == [{"a": 1}, {"a": 2}]


def test_nothing_is_said_to_be_nothing() -> None:
    with pytest.raises(MalformedInputError, match="empty"):
        read(b" \n")


@pytest.mark.parametrize(
    ("value", "source", "raw", "message"),
    [
        ({"error": {"message": "Slow down.", "type": "requests", "code": "rate_limit_exceeded"}}, "openai", "rate_limit_exceeded", "Slow down."),
        ({"error": {"message": "Bad.", "type": "invalid_request_error", "code": None}}, "openai", "invalid_request_error", "Bad."),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}, "anthropic", "overloaded_error", "Busy."),
        ({"type": "error", "code": "server_error", "message": "Sorry."}, "responses", "server_error", "Sorry."),
        ({"error": {"code": 429, "message": "Quota.", "status": "RESOURCE_EXHAUSTED"}}, "gemini", "RESOURCE_EXHAUSTED", "Quota."),
        ({"error": {"code": 400, "message": "Too long.", "type": "exceed_context_size_error", "n_ctx": 8}}, "llama.cpp", "exceed_context_size_error", "Too long."),
        ({"error": "model not found"}, "ollama", "", "model not found"),
    ],
)
def test_errors(value, source: str, raw: str, message: str) -> None:
    found = finder.read_failure(value)
    assert (found.source, found.final_stop, found.message) == (source, Stop("error", raw), message)


@pytest.mark.parametrize("value", [{"error": None}, {"error": {}}, {"error": "", "id": 1}, {"a": 1, "b": 2, "c": 3, "error": "x"}])
def test_what_is_no_error(value) -> None:
    assert finder.read_failure(value) is None
