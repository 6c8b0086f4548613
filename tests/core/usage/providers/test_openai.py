"""Chat Completions: the cache is part of the prompt, and reasoning mostly part of the completion."""

import pytest

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.providers import openai

USED = {
    "prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 130,
    "prompt_tokens_details": {"cached_tokens": 80},
    "completion_tokens_details": {"reasoning_tokens": 20},
}


@pytest.mark.parametrize(
    ("held", "usage"),
    [
        (USED, Usage(20, 80, 0, 0, 30, 20)),
        ({"prompt_tokens": 5, "completion_tokens": 0}, Usage(5)),
        ({"prompt_tokens": 100, "completion_tokens": 1, "prompt_cache_hit_tokens": 64}, Usage(36, 64, 0, 0, 1)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "cache_creation_input_tokens": 4}, Usage(5, 0, 4, 0, 1)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "cache_read_input_tokens": 40}, Usage(9, 40, 0, 0, 1)),
        (
            {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 17, "completion_tokens_details": {"reasoning_tokens": 7}},
            Usage(9, output=8, reasoning=7),
        ),
        ({"prompt_tokens": None, "completion_tokens": True}, None),
        ({}, None),
    ],
)
def test_usage_in_the_words_of_many_servers(held, usage) -> None:
    assert openai.read_usage(held) == usage


@pytest.mark.parametrize(
    ("choice", "stop"),
    [
        ({"finish_reason": "stop"}, Stop("end", "stop")),
        ({"finish_reason": "length"}, Stop("length", "length")),
        ({"finish_reason": "tool_calls"}, Stop("tool", "tool_calls")),
        ({"finish_reason": "function_call"}, Stop("tool", "function_call")),
        ({"finish_reason": "content_filter"}, Stop("content_filter", "content_filter")),
        ({"finish_reason": "abort"}, Stop("aborted", "abort")),
        ({"finish_reason": "stop", "stop_reason": "###"}, Stop("stop_sequence", "stop")),
        ({"finish_reason": "stop", "message": {"refusal": "No."}}, Stop("refusal", "stop")),
        ({"finish_reason": "odd"}, Stop("unknown", "odd")),
        ({"finish_reason": None}, Stop("unknown")),
        ({"finish_reason": "stop", "message": {"tool_calls": [{"id": "1"}]}}, Stop("tool", "stop")),
    ],
)
def test_why_a_choice_ended(choice, stop) -> None:
    assert openai.read({"choices": [choice]}).final_stop == stop


def test_timings_of_llama_cpp_say_what_was_in_the_cache() -> None:
    timings = {"cache_n": 60, "prompt_n": 40, "predicted_n": 7}
    used = {"prompt_tokens": 100, "completion_tokens": 7}
    assert openai.read({"choices": [], "timings": timings}).usage == Usage(40, 60, output=7)
    assert openai.read({"choices": [], "usage": used, "timings": timings}).usage == Usage(40, 60, output=7)


def test_other_values_are_not_its_own() -> None:
    assert openai.read({"object": "response", "output": []}) is None
    assert openai.read({"usage": USED}) is None
