"""llama.cpp's own answers."""

import pytest

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.providers import local_servers


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
    found = local_servers.read_llama({**value, **more})
    assert (found.usage, found.final_stop) == (Usage(40, 60, output=7), stop)
    assert local_servers.read_llama({"content": "a", "stop": False}).usage is None
    assert local_servers.read_llama({"content": "a", "stop": "no"}) is None
    assert local_servers.read_llama({"content": "a"}) is None
    assert local_servers.read_llama({"content": "a", "tokens_evaluated": 9, "tokens_predicted": 2}).usage == Usage(9, output=2)


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
    found = local_servers.read_ollama({"model": "m", "done": True, **more})
    assert (found.usage, found.final_stop) == (usage, stop)
    assert local_servers.read_ollama({"done": True}) is None
    assert local_servers.read_ollama({"message": {}, "done": False}).usage is None
    assert local_servers.read_ollama({"message": {}, "done_reason": "stop"}).final_stop == Stop("end", "stop")
