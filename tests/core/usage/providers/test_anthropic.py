"""Anthropic: the input leaves out what a cache had or got."""

import pytest

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.providers import anthropic


@pytest.mark.parametrize(
    ("held", "usage"),
    [
        ({"input_tokens": 9, "cache_read_input_tokens": 90, "output_tokens": 5}, Usage(9, 90, 0, 0, 5)),
        ({"input_tokens": 9, "cache_creation_input_tokens": 7, "output_tokens": 5}, Usage(9, 0, 7, 0, 5)),
        (
            {"input_tokens": 1, "cache_creation": {"ephemeral_5m_input_tokens": 2, "ephemeral_1h_input_tokens": 3}},
            Usage(1, 0, 2, 3),
        ),
        (
            {"input_tokens": 1, "cache_creation_input_tokens": 9, "cache_creation": {"ephemeral_1h_input_tokens": 3}},
            Usage(1, 0, 6, 3),
        ),
        ({"input_tokens": 0, "output_tokens": 0}, None),
    ],
)
def test_the_parts_of_the_input(held, usage) -> None:
    assert anthropic.read_usage(held) == usage


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("end_turn", "end"),
        ("max_tokens", "length"),
        ("stop_sequence", "stop_sequence"),
        ("tool_use", "tool"),
        ("pause_turn", "pause"),
        ("refusal", "refusal"),
        ("model_context_window_exceeded", "context_exceeded"),
        ("compaction", "compaction"),
        ("odd", "unknown"),
    ],
)
def test_why_a_message_ended(raw: str, reason: str) -> None:
    value = {"type": "message", "role": "assistant", "content": [], "stop_reason": raw, "usage": {"input_tokens": 1}}
    assert anthropic.read(value).final_stop == Stop(reason, raw)


def test_a_message_without_usage_is_no_answer() -> None:
    assert anthropic.read({"role": "assistant", "content": "hi"}) is None
    assert anthropic.read({"role": "user", "content": "hi", "usage": {"input_tokens": 1}}) is None


def test_a_stop_reason_beside_its_usage_is_read_without_a_message() -> None:
    answer = anthropic.read({"stop_reason": "tool_use", "usage": {"input_tokens": 9, "output_tokens": 1}})
    assert answer is not None
    assert (answer.usage, answer.final_stop) == (Usage(9, 0, 0, 0, 1), Stop("tool", "tool_use"))
