"""Messages that pi stores."""

from ctxkit.core.usage.answer import Stop, Usage
from ctxkit.core.usage.providers import pi


def test_pi() -> None:
    used = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 10, "cost": {"total": 0.1}}
    found = pi.read({"role": "assistant", "usage": used, "stopReason": "toolUse", "content": []})
    assert (found.usage, found.final_stop) == (Usage(1, 3, 4, 0, 2), Stop("tool", "toolUse"))
    failed = pi.read({"role": "assistant", "usage": {"input": 0}, "stopReason": "error", "errorMessage": "Slow down."})
    assert (failed.usage, failed.final_stop, failed.message) == (None, Stop("error", "error"), "Slow down.")
    assert pi.read({"role": "user", "usage": used}) is None
