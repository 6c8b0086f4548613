"""pi: stored messages with the usage of their requests."""

from collections.abc import Mapping

from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, read_number, read_optional_number

NAME = "pi"
_STOPS: Mapping[str, Reason] = {
    "stop": "end",
    "length": "length",
    "toolUse": "tool",
    "error": "error",
    "aborted": "aborted",
}


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a model message, None for any other value."""
    fields, raw = get_object(value, "usage"), get_text(value, "stopReason")
    if get_text(value, "role") != "assistant" or not ("cacheRead" in fields or ("input" in fields and raw)):
        return None
    long = read_number(fields, "cacheWrite1h")
    short = max(read_number(fields, "cacheWrite") - long, 0)
    reasoning_tokens = read_optional_number(fields, "reasoning")
    usage = Usage(
        read_number(fields, "input"),
        read_number(fields, "cacheRead"),
        short,
        long,
        read_number(fields, "output"),
        reasoning_tokens,
    )
    stop = Stop(_STOPS.get(raw, "unknown"), raw) if raw else None
    known_usage = usage if usage.context_total else None
    return Answer(NAME, known_usage, stop, "", get_text(value, "model"), get_text(value, "errorMessage"), closed=True)
