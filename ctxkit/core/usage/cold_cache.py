"""From when a provider has a conversation no longer in its cache, by the transcript of a host."""

from datetime import datetime
from math import inf

from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.chat.reading.last_usage import read_back
from ctxkit.core.usage.providers.anthropic import read_usage


def find_cold_time(tail: bytes) -> float:
    """Return when the cache of a conversation of Claude Code gets cold, in seconds since 1970.

    It follows from the last answer in the last lines of a transcript. It is 0 if unknown, and after a compaction.
    """
    for value in read_back(tail):
        if get_text(value, "subtype") == "compact_boundary":
            break
        usage = read_usage(get_object(get_object(value, "message"), "usage"))
        if get_text(value, "type") == "assistant" and usage and value.get("isSidechain") is not True:
            return _read_time(get_text(value, "timestamp")) + usage.cache_seconds if usage.cache_seconds else 0.0
    return 0.0


def _read_time(text: str) -> float:
    """Return a time in seconds since 1970; an unreadable one is in the future."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return inf
