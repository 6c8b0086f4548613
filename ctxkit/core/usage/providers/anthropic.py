"""Anthropic Messages: a message, the events of its stream, or a message as sessions of Claude Code keep it."""

from collections.abc import Mapping
from typing import Any

from ctxkit.core.chat.shape import mapping, objects, text
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, number, told

NAME = "anthropic"
_STOPS: Mapping[str, Reason] = {
    "end_turn": "end", "max_tokens": "length", "stop_sequence": "stop_sequence", "tool_use": "tool",
    "pause_turn": "pause", "refusal": "refusal", "model_context_window_exceeded": "context_exceeded",
    "compaction": "compaction", "content_filter": "content_filter",
}
_SILENT = ("message_stop", "content_block_start", "content_block_delta", "content_block_stop", "ping")
"""Events that say nothing of usage."""


def read(value: dict[str, Any]) -> Answer | None:
    """Return what a message says, or an event of its stream, None for anything else."""
    kind = text(value, "type")
    if kind == "message_start":
        return _message(mapping(value, "message"))
    if kind == "message_delta":
        return Answer(NAME, of(mapping(value, "usage")), _stop(mapping(value, "delta")))
    if kind in _SILENT:
        return Answer(NAME, closed=kind == "message_stop")
    usage = mapping(value, "usage")
    if text(value, "role") == "assistant" and "input_tokens" in usage and (kind == "message" or "content" in value):
        return _message(value)
    return None


def _message(value: dict[str, Any]) -> Answer:
    calls = any(text(block, "type") == "tool_use" for block in objects(value, "content"))
    return Answer(NAME, of(mapping(value, "usage")), _stop(value), text(value, "id"), text(value, "model"), calls=calls)


def _stop(value: dict[str, Any]) -> Stop | None:
    raw = text(value, "stop_reason")
    return Stop(_STOPS.get(raw, "unknown"), raw) if raw else None


def of(held: dict[str, Any]) -> Usage | None:
    """Return a usage object in the same words: ``input_tokens`` is only what no cache had or got.

    What goes to caches is given once by its time to live and once in sum, either of which may be zero or absent;
    a rest of the sum went to the cache of five minutes, which is the default.
    """
    lives = mapping(held, "cache_creation")
    short, long = number(lives, "ephemeral_5m_input_tokens"), number(lives, "ephemeral_1h_input_tokens")
    short += max(number(held, "cache_creation_input_tokens") - short - long, 0)
    thought = told(mapping(held, "output_tokens_details"), "thinking_tokens")
    cached = number(held, "cache_read_input_tokens")
    usage = Usage(number(held, "input_tokens"), cached, short, long, number(held, "output_tokens"), thought)
    return usage if usage.context_total else None
