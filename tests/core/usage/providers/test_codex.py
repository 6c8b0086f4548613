"""Events of Codex with the usage of a request."""

from ctxkit.core.usage.answer import Usage
from ctxkit.core.usage.providers import codex


def test_codex() -> None:
    last = {"input_tokens": 70, "cached_input_tokens": 20, "output_tokens": 25, "reasoning_output_tokens": 5}
    event = {"type": "token_count", "info": {"last_token_usage": last, "total_token_usage": {"total_tokens": 900}}}
    assert codex.read(event).usage == Usage(50, 20, output=25, reasoning=5)
    assert codex.read({"type": "token_count", "info": None}) is None
