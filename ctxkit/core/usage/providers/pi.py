"""Messages as pi keeps them, with what their request took."""

from collections.abc import Mapping
from typing import Any

from ctxkit.core.chat.shape import mapping, text
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, number, told

NAME = "pi"
_STOPS: Mapping[str, Reason] = {
    "stop": "end", "length": "length", "toolUse": "tool", "error": "error", "aborted": "aborted",
}


def read(value: dict[str, Any]) -> Answer | None:
    """Return what a message of the model says, None for anything else."""
    held, raw = mapping(value, "usage"), text(value, "stopReason")
    if text(value, "role") != "assistant" or not ("cacheRead" in held or ("input" in held and raw)):
        return None
    long = number(held, "cacheWrite1h")
    short = max(number(held, "cacheWrite") - long, 0)
    thought = told(held, "reasoning")
    usage = Usage(number(held, "input"), number(held, "cacheRead"), short, long, number(held, "output"), thought)
    stop = Stop(_STOPS.get(raw, "unknown"), raw) if raw else None
    known = usage if usage.context_total else None
    return Answer(NAME, known, stop, "", text(value, "model"), text(value, "errorMessage"), closed=True)
