"""Ollama's answers, and the lines of its stream."""

import pytest

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.providers import ollama


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
    found = ollama.read({"model": "m", "done": True, **more})
    assert (found.usage, found.final_stop) == (usage, stop)
    assert ollama.read({"done": True}) is None
    assert ollama.read({"message": {}, "done": False}).usage is None
    assert ollama.read({"message": {}, "done_reason": "stop"}).final_stop == Stop("end", "stop")
