"""What an answer of each provider says, and the messages that it adds."""

import pytest

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.turn.answer import read_answer_content

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
