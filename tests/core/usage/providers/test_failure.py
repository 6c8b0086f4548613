"""Errors instead of an answer, in the words of each provider."""

import pytest

from ctxkit.core.usage.answer import Stop
from ctxkit.core.usage.providers import failure


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
    found = failure.read(value)
    assert (found.source, found.final_stop, found.message) == (source, Stop("error", raw), message)


@pytest.mark.parametrize("value", [{"error": None}, {"error": {}}, {"error": "", "id": 1}, {"a": 1, "b": 2, "c": 3, "error": "x"}])
def test_what_is_no_error(value) -> None:
    assert failure.read(value) is None
