"""Events of Codex with the usage of a request."""

from ctxkit.core.usage import host_sessions
from ctxkit.core.usage.answer import Stop, Usage


def test_codex() -> None:
    last = {"input_tokens": 70, "cached_input_tokens": 20, "output_tokens": 25, "reasoning_output_tokens": 5}
    event = {"type": "token_count", "info": {"last_token_usage": last, "total_token_usage": {"total_tokens": 900}}}
    assert host_sessions.read_codex(event).usage == Usage(50, 20, output=25, reasoning=5)
    assert host_sessions.read_codex({"type": "token_count", "info": None}) is None


def test_pi() -> None:
    used = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 10, "cost": {"total": 0.1}}
    found = host_sessions.read_pi({"role": "assistant", "usage": used, "stopReason": "toolUse", "content": []})
    assert (found.usage, found.final_stop) == (Usage(1, 3, 4, 0, 2), Stop("tool", "toolUse"))
    failed = host_sessions.read_pi({"role": "assistant", "usage": {"input": 0}, "stopReason": "error", "errorMessage": "Slow down."})
    assert (failed.usage, failed.final_stop, failed.message) == (None, Stop("error", "error"), "Slow down.")
    assert host_sessions.read_pi({"role": "user", "usage": used}) is None


def test_opencode() -> None:
    info = {"id": "m", "role": "assistant", "modelID": "c", "finish": "tool-calls"}
    used = {"input": 5, "output": 2, "reasoning": 1, "cache": {"read": 100, "write": 10}}
    found = host_sessions.read_opencode({**info, "tokens": used})
    assert (found.usage, found.final_stop, found.key) == (Usage(5, 100, 10, 0, 3, 1), Stop("tool", "tool-calls"), "m")
    none = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    failed = host_sessions.read_opencode({**info, "tokens": none, "error": {"name": "APIError", "data": {"message": "Slow down."}}})
    assert (failed.usage, failed.final_stop, failed.message) == (None, Stop("error", "APIError"), "Slow down.")
    stopped = host_sessions.read_opencode({**info, "tokens": used, "error": {"name": "MessageAbortedError"}})
    assert stopped.final_stop == Stop("aborted", "MessageAbortedError")
    assert host_sessions.read_opencode({"role": "user", "tokens": used}) is None
    assert host_sessions.read_opencode({"role": "assistant", "tokens": {"input": 5}}) is None


def test_langchain() -> None:
    used = {"input_tokens": 50, "output_tokens": 7, "total_tokens": 57, "input_token_details": {"cache_read": 30, "cache_creation": 5}}
    value = {"id": "run", "usage_metadata": used, "response_metadata": {"model_name": "m", "finish_reason": "stop"}}
    found = host_sessions.read_langchain(value)
    assert (found.usage, found.final_stop, found.model) == (Usage(15, 30, 5, 0, 7), Stop("end", "stop"), "m")
    assert host_sessions.read_langchain({**value, "response_metadata": {}, "tool_calls": [{}]}).final_stop == Stop("tool")
    assert host_sessions.read_langchain({"usage_metadata": {"promptTokenCount": 1}}) is None
