"""Messages of a model that LangChain dumps."""

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.providers import langchain


def test_langchain() -> None:
    used = {"input_tokens": 50, "output_tokens": 7, "total_tokens": 57, "input_token_details": {"cache_read": 30, "cache_creation": 5}}
    value = {"id": "run", "usage_metadata": used, "response_metadata": {"model_name": "m", "finish_reason": "stop"}}
    found = langchain.read(value)
    assert (found.usage, found.final_stop, found.model) == (Usage(15, 30, 5, 0, 7), Stop("end", "stop"), "m")
    assert langchain.read({**value, "response_metadata": {}, "tool_calls": [{}]}).final_stop == Stop("tool")
    assert langchain.read({"usage_metadata": {"promptTokenCount": 1}}) is None
