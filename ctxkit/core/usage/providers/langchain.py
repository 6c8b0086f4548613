"""LangChain: dumped model messages with the usage of their requests, from any provider."""

from collections.abc import Mapping

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, read_number, read_optional_number, subtract_parts

NAME = "langchain"
_STOPS: Mapping[str, Reason] = {
    "stop": "end",
    "end_turn": "end",
    "STOP": "end",
    "length": "length",
    "max_tokens": "length",
    "MAX_TOKENS": "length",
    "tool_calls": "tool",
    "tool_use": "tool",
    "stop_sequence": "stop_sequence",
    "content_filter": "content_filter",
    "SAFETY": "content_filter",
    "refusal": "refusal",
}
_STOP_KEYS = ("finish_reason", "stop_reason")


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a model message, None for any other value."""
    fields = get_object(value, "usage_metadata")
    if "input_tokens" not in fields or "total_tokens" not in fields:
        return None
    input_details, reasoning_tokens = (
        get_object(fields, "input_token_details"),
        read_optional_number(get_object(fields, "output_token_details"), "reasoning"),
    )
    uncached, cached = subtract_parts(read_number(fields, "input_tokens"), read_number(input_details, "cache_read"))
    uncached, cache_writes = subtract_parts(uncached, read_number(input_details, "cache_creation"))
    usage = Usage(uncached, cached, cache_writes, 0, read_number(fields, "output_tokens"), reasoning_tokens)
    metadata = get_object(value, "response_metadata")
    raw = next((reason for key in _STOP_KEYS if (reason := get_text(metadata, key))), "")
    calls = bool(get_objects(value, "tool_calls"))
    stop = Stop(_STOPS.get(raw, "unknown"), raw) if raw else Stop("tool") if calls else None
    model = get_text(metadata, "model_name") or get_text(metadata, "model")
    return Answer(NAME, usage, stop, get_text(value, "id"), model, calls=calls, closed=True)
