"""Anthropic Messages: a message, the events of its stream, or a message in a Claude Code session."""

from collections.abc import Mapping

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, CompactionReceipt, Reason, Stop, Usage, read_number, read_optional_number

NAME = "anthropic"
_STOPS: Mapping[str, Reason] = {
    "end_turn": "end",
    "max_tokens": "length",
    "stop_sequence": "stop_sequence",
    "tool_use": "tool",
    "pause_turn": "pause",
    "refusal": "refusal",
    "model_context_window_exceeded": "context_exceeded",
    "compaction": "compaction",
    "content_filter": "content_filter",
}
_EVENTS_WITHOUT_USAGE = ("message_stop", "content_block_start", "content_block_delta", "content_block_stop", "ping")
"""Events without usage."""


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a message, of a stream event or of a compaction, None for any other value."""
    kind = get_text(value, "type")
    if get_text(value, "subtype") == "compact_boundary":
        after = read_optional_number(get_object(value, "compactMetadata"), "postTokens")
        return Answer(NAME, closed=True, compaction=CompactionReceipt(after))
    if kind == "message_start":
        return _read_message(get_object(value, "message"))
    if kind == "message_delta":
        return Answer(NAME, read_usage(get_object(value, "usage")), _read_stop(get_object(value, "delta")))
    if kind in _EVENTS_WITHOUT_USAGE:
        return Answer(NAME, closed=kind == "message_stop")
    usage = get_object(value, "usage")
    if not kind and "stop_reason" in value and "input_tokens" in usage:
        return _read_message(value)
    if get_text(value, "role") == "assistant" and "input_tokens" in usage and (kind == "message" or "content" in value):
        return _read_message(value)
    return None


def _read_message(value: dict[str, JsonValue]) -> Answer:
    calls = any(get_text(block, "type") == "tool_use" for block in get_objects(value, "content"))
    return Answer(
        NAME,
        read_usage(get_object(value, "usage")),
        _read_stop(value),
        get_text(value, "id"),
        get_text(value, "model"),
        calls=calls,
    )


def _read_stop(value: dict[str, JsonValue]) -> Stop | None:
    raw = get_text(value, "stop_reason")
    return Stop(_STOPS.get(raw, "unknown"), raw) if raw else None


def read_usage(fields: dict[str, JsonValue]) -> Usage | None:
    """Return a usage object in common terms; ``input_tokens`` excludes cache reads and writes.

    Cache writes are reported by time to live and as a sum, and either may be zero or absent. The rest of the sum counts
    as the five-minute cache, which is the default.
    """
    lives = get_object(fields, "cache_creation")
    short, long = read_number(lives, "ephemeral_5m_input_tokens"), read_number(lives, "ephemeral_1h_input_tokens")
    short += max(read_number(fields, "cache_creation_input_tokens") - short - long, 0)
    reasoning_tokens = read_optional_number(get_object(fields, "output_tokens_details"), "thinking_tokens")
    cached = read_number(fields, "cache_read_input_tokens")
    usage = Usage(
        read_number(fields, "input_tokens"), cached, short, long, read_number(fields, "output_tokens"), reasoning_tokens
    )
    return usage if usage.context_total else None
