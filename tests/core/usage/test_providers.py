"""Chat Completions: the cache is part of the prompt, and reasoning mostly part of the completion."""

import pytest

from ctxkit.core.usage import providers
from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.finder import find_answers

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
    assert providers.read_openai_usage(held) == usage


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
    assert providers.read_openai({"choices": [choice]}).final_stop == stop


def test_timings_of_llama_cpp_say_what_was_in_the_cache() -> None:
    timings = {"cache_n": 60, "prompt_n": 40, "predicted_n": 7}
    used = {"prompt_tokens": 100, "completion_tokens": 7}
    assert providers.read_openai({"choices": [], "timings": timings}).usage == Usage(40, 60, output=7)
    assert providers.read_openai({"choices": [], "usage": used, "timings": timings}).usage == Usage(40, 60, output=7)


def test_other_values_are_not_its_own() -> None:
    assert providers.read_openai({"object": "response", "output": []}) is None
    assert providers.read_openai({"usage": USED}) is None


@pytest.mark.parametrize(
    ("more", "stop"),
    [
        ({"stop_type": "eos"}, Stop("end", "eos")),
        ({"stop_type": "word"}, Stop("stop_sequence", "word")),
        ({"stopped_limit": True, "stopped_eos": False}, Stop("length", "limit")),
        ({"stop_type": "limit", "truncated": True}, Stop("context_exceeded", "truncated")),
        ({}, Stop("unknown")),
    ],
)
def test_llama_cpp(more, stop) -> None:
    value = {"content": "", "stop": True, "tokens_evaluated": 100, "tokens_predicted": 7, "timings": {"cache_n": 60}}
    found = providers.read_llama({**value, **more})
    assert (found.usage, found.final_stop) == (Usage(40, 60, output=7), stop)
    assert providers.read_llama({"content": "a", "stop": False}).usage is None
    assert providers.read_llama({"content": "a", "stop": "no"}) is None
    assert providers.read_llama({"content": "a"}) is None
    assert providers.read_llama({"content": "a", "tokens_evaluated": 9, "tokens_predicted": 2}).usage == Usage(9, output=2)


@pytest.mark.parametrize(
    ("more", "usage", "stop"),
    [
        ({"done_reason": "stop", "prompt_eval_count": 26, "eval_count": 9}, Usage(26, output=9), Stop("end", "stop")),
        ({"done_reason": "length", "eval_count": 9}, Usage(output=9), Stop("length", "length")),
        ({"done_reason": "load"}, None, Stop("unknown", "load")),
        ({"done_reason": "stop", "message": {"tool_calls": [{}]}}, None, Stop("tool", "stop")),
    ],
)
def test_ollama(more, usage, stop) -> None:
    found = providers.read_ollama({"model": "m", "done": True, **more})
    assert (found.usage, found.final_stop) == (usage, stop)
    assert providers.read_ollama({"done": True}) is None
    assert providers.read_ollama({"message": {}, "done": False}).usage is None
    assert providers.read_ollama({"message": {}, "done_reason": "stop"}).final_stop == Stop("end", "stop")


RESPONSE_USAGE = {
    "input_tokens": 100, "output_tokens": 30,
    "input_tokens_details": {"cached_tokens": 80},
    "output_tokens_details": {"reasoning_tokens": 20},
}


def read(**more):
    return providers.read_responses({"object": "response", "id": "r", "model": "gpt-5", "usage": RESPONSE_USAGE, **more})


@pytest.mark.parametrize(
    ("more", "stop"),
    [
        ({"status": "completed"}, Stop("end", "completed")),
        ({"status": "completed", "output": [{"type": "function_call"}]}, Stop("tool", "completed")),
        ({"status": "completed", "output": [{"type": "web_search_call"}]}, Stop("end", "completed")),
        ({"status": "completed", "output": [{"content": [{"type": "refusal"}]}]}, Stop("refusal", "completed")),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, Stop("length", "max_output_tokens")),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, Stop("content_filter", "content_filter")),
        ({"status": "failed", "error": {"code": "server_error", "message": "Sorry."}}, Stop("error", "server_error")),
        ({"status": "cancelled"}, Stop("aborted", "cancelled")),
        ({"status": "in_progress"}, Stop("unknown")),
        ({"object": "response.compaction"}, Stop("compaction")),
    ],
)
def test_why_a_response_ended(more, stop) -> None:
    assert read(**more).final_stop == stop


def test_what_comes_from_a_cache_is_part_of_the_input() -> None:
    assert read(status="completed").usage == Usage(20, 80, 0, 0, 30, 20)
    assert providers.read_responses_usage({"input_tokens": None}) is None


def test_an_error_is_said() -> None:
    assert read(status="failed", error={"code": "x", "message": "Sorry."}).message == "Sorry."


def test_only_events_that_hold_the_response_say_something() -> None:
    held = {"id": "r", "status": "completed", "usage": RESPONSE_USAGE}
    assert providers.read_responses({"type": "response.completed", "response": held}).usage.context_total == 130
    assert providers.read_responses({"type": "response.output_text.delta", "delta": "a"}).usage is None
    assert providers.read_responses({"type": "message"}) is None


@pytest.mark.parametrize(("event", "reason"), [("completed", "end"), ("failed", "error"), ("created", "unknown")])
def test_an_event_may_say_the_status_alone(event: str, reason: str) -> None:
    assert providers.read_responses({"type": f"response.{event}", "response": {"id": "r"}}).final_stop.reason == reason


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
    assert providers.read_anthropic_usage(held) == usage


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
    assert providers.read_anthropic(value).final_stop == Stop(reason, raw)


def test_a_message_without_usage_is_no_answer() -> None:
    assert providers.read_anthropic({"role": "assistant", "content": "hi"}) is None
    assert providers.read_anthropic({"role": "user", "content": "hi", "usage": {"input_tokens": 1}}) is None


def test_a_stop_reason_beside_its_usage_is_read_without_a_message() -> None:
    answer = providers.read_anthropic({"stop_reason": "tool_use", "usage": {"input_tokens": 9, "output_tokens": 1}})
    assert answer is not None
    assert (answer.usage, answer.final_stop) == (Usage(9, 0, 0, 0, 1), Stop("tool", "tool_use"))


USAGE = {"inputTokens": 10, "outputTokens": 5, "totalTokens": 122, "cacheReadInputTokens": 100, "cacheWriteInputTokens": 7}
FOUND = Usage(10, 100, 7, 0, 5)
MESSAGE = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "ls", "input": {}}}]}


def test_a_response_is_read() -> None:
    [answer] = find_answers([{"output": {"message": MESSAGE}, "stopReason": "tool_use", "usage": USAGE}])
    assert (answer.source, answer.usage, answer.stop, answer.calls) == ("bedrock", FOUND, Stop("tool", "tool_use"), True)


def test_the_events_of_a_stream_are_one_answer() -> None:
    events = [{"messageStart": {"role": "assistant"}}, {"messageStop": {"stopReason": "end_turn"}}, {"metadata": {"usage": USAGE}}]
    [answer] = find_answers(events)
    assert (answer.usage, answer.final_stop) == (FOUND, Stop("end", "end_turn"))


@pytest.mark.parametrize("value", [{}, {"usage": {"input_tokens": 1}}, {"stopReason": "end_turn"}, {"metadata": {"usage": {"inputTokens": 0}}}])
def test_anything_else_is_not_read(value) -> None:
    assert providers.read_bedrock(value) is None


HELD = {
    "promptTokenCount": 100, "cachedContentTokenCount": 80, "toolUsePromptTokenCount": 5,
    "candidatesTokenCount": 10, "thoughtsTokenCount": 20, "totalTokenCount": 135,
}


def test_the_counts_add_up_to_the_total_of_the_provider() -> None:
    usage = providers.read_gemini({"usageMetadata": HELD, "candidates": []}).usage
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
    assert providers.read_gemini({"candidates": [more]}).final_stop == stop


def test_a_prompt_may_be_refused_before_there_is_a_candidate() -> None:
    value = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}}
    assert (providers.read_gemini(value).final_stop, providers.read_gemini(value).usage) == (Stop("content_filter", "SAFETY"), Usage(4))


def test_a_message_of_a_session_says_the_same() -> None:
    tokens = {"input": 100, "cached": 80, "tool": 5, "output": 10, "thoughts": 20, "total": 135}
    found = providers.read_gemini({"id": "m", "type": "gemini", "content": "", "tokens": tokens})
    assert found.usage == Usage(25, 80, output=30, reasoning=20)
    assert providers.read_gemini({"id": "m", "type": "user", "content": "hi"}) is None


def test_lines_of_qwen_code_are_answers_of_their_own() -> None:
    line = {"uuid": "u", "model": "m", "usageMetadata": {"promptTokenCount": 90, "cachedContentTokenCount": 80, "candidatesTokenCount": 5}}
    found = providers.read_gemini({**line, "message": {"parts": [{"functionCall": {"name": "f"}}]}})
    assert (found.source, found.key, found.usage, found.final_stop) == ("qwen-code", "u", Usage(10, 80, output=5), Stop("tool"))
    assert providers.read_gemini(line).final_stop == Stop("end")
