"""Codex events with the usage of the last request in a session."""

from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Usage, read_number, read_optional_number, subtract_parts

NAME = "codex"


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the usage in an event, None for any other value; a repeated event has the same key."""
    info = get_object(value, "info")
    fields = get_object(info, "last_token_usage")
    if get_text(value, "type") != "token_count" or not fields:
        return None
    uncached, cached, cache_writes = subtract_parts(
        read_number(fields, "input_tokens"),
        read_number(fields, "cached_input_tokens"),
        read_number(fields, "cache_write_input_tokens"),
    )
    usage = Usage(
        uncached,
        cached,
        cache_writes,
        0,
        read_number(fields, "output_tokens"),
        read_optional_number(fields, "reasoning_output_tokens"),
    )
    key = f"{read_number(get_object(info, 'total_token_usage'), 'total_tokens')}"
    return Answer(NAME, usage if usage.context_total else None, None, key, closed=True)
