"""Ollama, llama.cpp, pi and Codex, and errors in the words of each."""

import pytest

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.providers import codex, failure, gemini, langchain, llama, ollama, opencode, pi


@pytest.mark.parametrize(
    ("more", "usage", "stop"),
    [
        ({"done_reason": "stop", "prompt_eval_count": 26, "eval_count": 9}, Usage(26, output=9), Stop("end", "stop")),
        ({"done_reason": "length", "eval_count": 9}, Usage(output=9), Stop("length", "length")),
        ({"done_reason": "load"}, None, Stop("unknown", "load")),
        ({"done_reason": "stop", "message": {"tool_calls": [{}]}}, None, Stop("tool", "stop")),
    ],
)
def test_ollama(more, usage, stop):
    found = ollama.read({"model": "m", "done": True, **more})
    assert (found.usage, found.final_stop) == (usage, stop)
    assert ollama.read({"done": True}) is None
    assert ollama.read({"message": {}, "done": False}).usage is None
    assert ollama.read({"message": {}, "done_reason": "stop"}).final_stop == Stop("end", "stop")


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
def test_llama_cpp(more, stop):
    value = {"content": "", "stop": True, "tokens_evaluated": 100, "tokens_predicted": 7, "timings": {"cache_n": 60}}
    found = llama.read({**value, **more})
    assert (found.usage, found.final_stop) == (Usage(40, 60, output=7), stop)
    assert llama.read({"content": "a", "stop": False}).usage is None
    assert llama.read({"content": "a", "stop": "no"}) is None
    assert llama.read({"content": "a"}) is None
    assert llama.read({"content": "a", "tokens_evaluated": 9, "tokens_predicted": 2}).usage == Usage(9, output=2)


def test_pi():
    used = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 10, "cost": {"total": 0.1}}
    found = pi.read({"role": "assistant", "usage": used, "stopReason": "toolUse", "content": []})
    assert (found.usage, found.final_stop) == (Usage(1, 3, 4, 0, 2), Stop("tool", "toolUse"))
    failed = pi.read({"role": "assistant", "usage": {"input": 0}, "stopReason": "error", "errorMessage": "Slow down."})
    assert (failed.usage, failed.final_stop, failed.message) == (None, Stop("error", "error"), "Slow down.")
    assert pi.read({"role": "user", "usage": used}) is None


def test_codex():
    last = {"input_tokens": 70, "cached_input_tokens": 20, "output_tokens": 25, "reasoning_output_tokens": 5}
    event = {"type": "token_count", "info": {"last_token_usage": last, "total_token_usage": {"total_tokens": 900}}}
    assert codex.read(event).usage == Usage(50, 20, output=25, reasoning=5)
    assert codex.read({"type": "token_count", "info": None}) is None


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
def test_errors(value, source, raw, message):
    found = failure.read(value)
    assert (found.source, found.final_stop, found.message) == (source, Stop("error", raw), message)


@pytest.mark.parametrize("value", [{"error": None}, {"error": {}}, {"error": "", "id": 1}, {"a": 1, "b": 2, "c": 3, "error": "x"}])
def test_what_is_no_error(value):
    assert failure.read(value) is None


def test_opencode():
    info = {"id": "m", "role": "assistant", "modelID": "c", "finish": "tool-calls"}
    used = {"input": 5, "output": 2, "reasoning": 1, "cache": {"read": 100, "write": 10}}
    found = opencode.read({**info, "tokens": used})
    assert (found.usage, found.final_stop, found.key) == (Usage(5, 100, 10, 0, 3, 1), Stop("tool", "tool-calls"), "m")
    none = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    failed = opencode.read({**info, "tokens": none, "error": {"name": "APIError", "data": {"message": "Slow down."}}})
    assert (failed.usage, failed.final_stop, failed.message) == (None, Stop("error", "APIError"), "Slow down.")
    stopped = opencode.read({**info, "tokens": used, "error": {"name": "MessageAbortedError"}})
    assert stopped.final_stop == Stop("aborted", "MessageAbortedError")
    assert opencode.read({"role": "user", "tokens": used}) is None
    assert opencode.read({"role": "assistant", "tokens": {"input": 5}}) is None


def test_langchain():
    used = {"input_tokens": 50, "output_tokens": 7, "total_tokens": 57, "input_token_details": {"cache_read": 30, "cache_creation": 5}}
    value = {"id": "run", "usage_metadata": used, "response_metadata": {"model_name": "m", "finish_reason": "stop"}}
    found = langchain.read(value)
    assert (found.usage, found.final_stop, found.model) == (Usage(15, 30, 5, 0, 7), Stop("end", "stop"), "m")
    assert langchain.read({**value, "response_metadata": {}, "tool_calls": [{}]}).final_stop == Stop("tool")
    assert langchain.read({"usage_metadata": {"promptTokenCount": 1}}) is None


def test_lines_of_qwen_code_are_answers_of_their_own():
    line = {"uuid": "u", "model": "m", "usageMetadata": {"promptTokenCount": 90, "cachedContentTokenCount": 80, "candidatesTokenCount": 5}}
    found = gemini.read({**line, "message": {"parts": [{"functionCall": {"name": "f"}}]}})
    assert (found.source, found.key, found.usage, found.final_stop) == ("qwen-code", "u", Usage(10, 80, output=5), Stop("tool"))
    assert gemini.read(line).final_stop == Stop("end")
