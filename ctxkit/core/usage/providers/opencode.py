"""OpenCode: stored messages with the usage of their requests."""

from collections.abc import Mapping

from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, read_number, read_optional_number

NAME = "opencode"
_STOPS: Mapping[str, Reason] = {
    "stop": "end",
    "length": "length",
    "tool-calls": "tool",
    "content-filter": "content_filter",
    "error": "error",
}
_ABORT_ERROR = "MessageAbortedError"


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a model message, None for any other value."""
    tokens, raw, error = get_object(value, "tokens"), get_text(value, "finish"), get_object(value, "error")
    if get_text(value, "role") != "assistant" or not get_object(tokens, "cache"):
        return None
    cache, reasoning_tokens = get_object(tokens, "cache"), read_optional_number(tokens, "reasoning")
    output = read_number(tokens, "output") + (reasoning_tokens or 0)
    usage = Usage(
        read_number(tokens, "input"),
        read_number(cache, "read"),
        read_number(cache, "write"),
        0,
        output,
        reasoning_tokens,
    )
    stop = Stop(_STOPS.get(raw, "unknown"), raw) if raw else None
    if error:
        stop = Stop("aborted" if get_text(error, "name") == _ABORT_ERROR else "error", get_text(error, "name"))
    known_usage = usage if usage.context_total else None
    error_message = get_text(get_object(error, "data"), "message")
    return Answer(
        NAME, known_usage, stop, get_text(value, "id"), get_text(value, "modelID"), error_message, closed=True
    )
