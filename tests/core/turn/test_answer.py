"""What an answer of each provider says, and the messages that it adds."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.turn.answer import join_stream, read_answer_content

CALL = {"id": "a", "type": "function", "function": {"name": "bash", "arguments": '{"cmd": "ls"}'}}
MESSAGE = {"role": "assistant", "content": None, "tool_calls": [CALL], "refusal": None, "annotations": []}
ANSWERS = {
    "openai": {"choices": [{"message": MESSAGE, "finish_reason": "tool_calls"}]},
    "anthropic": {
        "type": "message",
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "a", "name": "bash", "input": {"cmd": "ls"}},
        ],
    },
    "gemini": {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [
                        {"text": "hm", "thought": True},
                        {"text": "Looking."},
                        {"functionCall": {"name": "bash", "args": {"cmd": "ls"}}},
                    ],
                }
            }
        ]
    },
    "responses": {
        "object": "response",
        "output": [
            {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Looking."}]},
            {"type": "function_call", "call_id": "a", "name": "bash", "arguments": '{"cmd": "ls"}'},
        ],
    },
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_read(name: str) -> None:
    content = read_answer_content([ANSWERS[name]], "stdin")
    assert content is not None
    assert content.format == name
    assert content.reply == ("" if name == "openai" else "Looking.")
    (call,) = content.tool_calls
    assert (call["name"], call["arguments"]) == ("bash", {"cmd": "ls"})
    assert call["id"] == (None if name == "gemini" else "a")


def test_members_that_the_api_does_not_take_back_are_left_out() -> None:
    content = read_answer_content([ANSWERS["openai"]], "stdin")
    assert content is not None
    assert content.messages == ({"role": "assistant", "content": None, "tool_calls": [CALL]},)


def test_an_answer_without_content_adds_nothing() -> None:
    for answer in (
        {"choices": [{"message": {"role": "assistant", "content": ""}, "finish_reason": "stop"}]},
        {"role": "assistant", "content": []},
        {"promptFeedback": {"blockReason": "SAFETY"}},
        {"output": []},
    ):
        content = read_answer_content([answer], "stdin")
        assert content is not None
        assert content.messages == ()


def test_a_refusal_is_a_reply() -> None:
    message = {"role": "assistant", "content": None, "refusal": "No."}
    content = read_answer_content([{"choices": [{"message": message}]}], "stdin")
    assert content is not None
    assert content.reply == "No."
    assert content.messages == ({"role": "assistant", "content": "No.", "refusal": "No."},)


def test_an_error_says_nothing() -> None:
    assert read_answer_content([{"error": {"message": "overloaded"}}], "stdin") is None
    assert read_answer_content([{"type": "error", "error": {"message": "overloaded"}}], "stdin") is None


@pytest.mark.parametrize("values", [[], [{}], [1], [{"choices": []}], [{"a": 1}, {"b": 2}]])
def test_anything_else_is_malformed(values: list[object]) -> None:
    with pytest.raises(MalformedInputError):
        read_answer_content(values, "stdin")


def cut(text, size):
    return [text[start:end] for start, end in pairwise([*range(0, len(text), size), len(text)])]


def stream_openai(answer, size):
    message = answer["choices"][0]["message"]
    yield {"choices": [{"index": 0, "delta": {"role": "assistant", "content": None}}]}
    for piece in cut(message.get("content") or "", size):
        yield {"choices": [{"index": 0, "delta": {"content": piece}}]}
    for index, call in enumerate(message["tool_calls"]):
        begin = {"index": index, **call, "function": {**call["function"], "arguments": ""}}
        yield {"choices": [{"index": 0, "delta": {"tool_calls": [begin]}}]}
        for piece in cut(call["function"]["arguments"], size):
            yield {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    yield {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}


def stream_anthropic(answer, size):
    yield {"type": "message_start", "message": {**answer, "content": []}}
    yield {"type": "ping"}
    for index, block in enumerate(answer["content"]):
        empty = {"text": "", "thinking": "", "signature": "", "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": block | {k: v for k, v in empty.items() if k in block}}
        for key, kind in (("text", "text_delta"), ("thinking", "thinking_delta"), ("signature", "signature_delta")):
            for piece in cut(block.get(key, ""), size):
                yield {"type": "content_block_delta", "index": index, "delta": {"type": kind, key: piece}}
        for piece in cut(json.dumps(block["input"]) if "input" in block else "", size):
            yield {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": piece}}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}}
    yield {"type": "message_stop"}


def stream_responses(answer, size):
    yield {"type": "response.created", "response": {**answer, "output": []}}
    yield from ({"type": "response.output_text.delta", "delta": piece} for piece in cut("Looking.", size))
    yield {"type": "response.completed", "response": answer}


def stream_gemini(answer, size):
    for part in answer["candidates"][0]["content"]["parts"]:
        for piece in cut(part["text"], size) if "text" in part else [None]:
            shown = part if piece is None else part | {"text": piece}
            yield {"candidates": [{"content": {"role": "model", "parts": [shown]}}]}
    yield {"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 9}}


STREAMS = {"openai": stream_openai, "anthropic": stream_anthropic, "responses": stream_responses, "gemini": stream_gemini}


@pytest.mark.parametrize("name", STREAMS)
@given(size=st.integers(1, 30))
def test_a_stream_is_the_answer(name: str, size: int) -> None:
    pieces = list(STREAMS[name](ANSWERS[name], size))
    assert read_answer_content(join_stream(pieces, json.loads, "stdin"), "stdin") == read_answer_content([ANSWERS[name]], "stdin")


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_ends_early_is_malformed(name: str) -> None:
    pieces = list(STREAMS[name](ANSWERS[name], 4))
    with pytest.raises(MalformedInputError, match="not complete") as caught:
        join_stream(pieces[: len(pieces) // 2], json.loads, "stdin")
    assert caught.value.hint == "the stream ends before the answer does: send the request again"


def test_an_error_in_a_stream_is_the_answer() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    pieces = [*list(stream_anthropic(ANSWERS["anthropic"], 4))[:3], error]
    assert join_stream(pieces, json.loads, "stdin") == [error]


def test_gemini_streams_a_list_where_no_event_stream_was_asked_for() -> None:
    pieces = list(stream_gemini(ANSWERS["gemini"], 3))
    assert join_stream([pieces], json.loads, "stdin") == join_stream(pieces, json.loads, "stdin")


@pytest.mark.parametrize("name", ANSWERS)
def test_a_whole_answer_stays_as_it_is(name: str) -> None:
    assert join_stream([ANSWERS[name]], json.loads, "stdin") == [ANSWERS[name]]


def test_only_the_first_choice_is_read_and_repeated_names_count_once() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "bash", "arguments": '{"a":'}}
    again = {"index": 0, "id": "a", "function": {"name": "bash", "arguments": " 1}"}}
    pieces = [
        {"choices": [{"index": 1, "delta": {"content": "Other."}}, {"index": 0, "delta": {"tool_calls": [call]}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [again]}, "finish_reason": "tool_calls"}]},
    ]
    (answer,) = join_stream(pieces, json.loads, "stdin")
    assert answer["choices"][0]["message"] == {
        "content": None,
        "tool_calls": [{"id": "a", "function": {"name": "bash", "arguments": '{"a": 1}'}}],
    }
