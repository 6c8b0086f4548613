"""llama.cpp's own answers."""

import pytest

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.providers import llama


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
    found = llama.read({**value, **more})
    assert (found.usage, found.final_stop) == (Usage(40, 60, output=7), stop)
    assert llama.read({"content": "a", "stop": False}).usage is None
    assert llama.read({"content": "a", "stop": "no"}) is None
    assert llama.read({"content": "a"}) is None
    assert llama.read({"content": "a", "tokens_evaluated": 9, "tokens_predicted": 2}).usage == Usage(9, output=2)
