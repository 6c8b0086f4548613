"""Messages that OpenCode stores."""

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.providers import opencode


def test_opencode() -> None:
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
