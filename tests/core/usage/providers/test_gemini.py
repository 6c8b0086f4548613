"""Gemini: thoughts are beside the answer, the cache is in the prompt."""

import pytest

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.providers import gemini

HELD = {
    "promptTokenCount": 100, "cachedContentTokenCount": 80, "toolUsePromptTokenCount": 5,
    "candidatesTokenCount": 10, "thoughtsTokenCount": 20, "totalTokenCount": 135,
}


def test_the_counts_add_up_to_the_total_of_the_provider() -> None:
    usage = gemini.read({"usageMetadata": HELD, "candidates": []}).usage
    assert usage == Usage(25, 80, output=30, reasoning=20)
    assert usage.context_total == HELD["totalTokenCount"]


@pytest.mark.parametrize(
    ("more", "stop"),
    [
        ({"finishReason": "STOP"}, Stop("end", "STOP")),
        ({"finishReason": "MAX_TOKENS"}, Stop("length", "MAX_TOKENS")),
        ({"finishReason": "SAFETY"}, Stop("content_filter", "SAFETY")),
        ({"finishReason": "MALFORMED_FUNCTION_CALL"}, Stop("error", "MALFORMED_FUNCTION_CALL")),
        ({"finishReason": "STOP", "content": {"parts": [{"functionCall": {"name": "f"}}]}}, Stop("tool", "STOP")),
        ({}, Stop("unknown")),
    ],
)
def test_why_a_candidate_ended(more, stop) -> None:
    assert gemini.read({"candidates": [more]}).final_stop == stop


def test_a_prompt_may_be_refused_before_there_is_a_candidate() -> None:
    value = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}}
    assert (gemini.read(value).final_stop, gemini.read(value).usage) == (Stop("content_filter", "SAFETY"), Usage(4))


def test_a_message_of_a_session_says_the_same() -> None:
    tokens = {"input": 100, "cached": 80, "tool": 5, "output": 10, "thoughts": 20, "total": 135}
    found = gemini.read({"id": "m", "type": "gemini", "content": "", "tokens": tokens})
    assert found.usage == Usage(25, 80, output=30, reasoning=20)
    assert gemini.read({"id": "m", "type": "user", "content": "hi"}) is None


def test_lines_of_qwen_code_are_answers_of_their_own() -> None:
    line = {"uuid": "u", "model": "m", "usageMetadata": {"promptTokenCount": 90, "cachedContentTokenCount": 80, "candidatesTokenCount": 5}}
    found = gemini.read({**line, "message": {"parts": [{"functionCall": {"name": "f"}}]}})
    assert (found.source, found.key, found.usage, found.final_stop) == ("qwen-code", "u", Usage(10, 80, output=5), Stop("tool"))
    assert gemini.read(line).final_stop == Stop("end")
