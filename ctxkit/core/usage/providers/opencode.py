"""Messages as OpenCode keeps them, with what their request took."""

from collections.abc import Mapping
from typing import Any

from ctxkit.core.chat.shape import mapping, text
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, number, told

NAME = "opencode"
_STOPS: Mapping[str, Reason] = {
    "stop": "end", "length": "length", "tool-calls": "tool", "content-filter": "content_filter", "error": "error",
}
_ABORTED = "MessageAbortedError"


def read(value: dict[str, Any]) -> Answer | None:
    """Return what a message of the model says, None for anything else."""
    held, raw, error = mapping(value, "tokens"), text(value, "finish"), mapping(value, "error")
    if text(value, "role") != "assistant" or not mapping(held, "cache"):
        return None
    cache, thought = mapping(held, "cache"), told(held, "reasoning")
    made = number(held, "output") + (thought or 0)
    usage = Usage(number(held, "input"), number(cache, "read"), number(cache, "write"), 0, made, thought)
    stop = Stop(_STOPS.get(raw, "unknown"), raw) if raw else None
    if error:
        stop = Stop("aborted" if text(error, "name") == _ABORTED else "error", text(error, "name"))
    known = usage if usage.context_total else None
    why = text(mapping(error, "data"), "message")
    return Answer(NAME, known, stop, text(value, "id"), text(value, "modelID"), why, closed=True)
