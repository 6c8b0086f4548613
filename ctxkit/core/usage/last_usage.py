"""The token usage that the end of a transcript reports, and from when its provider has it no longer in a cache."""

import json
from collections.abc import Iterator
from datetime import datetime
from math import inf
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import get_number, get_object, get_text
from ctxkit.core.chat.model.message import RecordContent
from ctxkit.core.chat.reading.format_registry import find_format
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.providers import read_anthropic_usage

TAIL_BYTES = 1 << 20
"""Bytes at the end of a transcript in which the last request is looked for."""


class LastUsage(NamedTuple):
    """The tokens of the last request and its answer, the model, and the window if the transcript states it."""

    used: int = 0
    model: str = ""
    window: int = 0


def find_last_usage(tail: bytes) -> LastUsage:
    """Return the usage in the last lines of a transcript; ``used`` is 0 if none is there, or a compaction is later."""
    used = window = 0
    for value in _read_back(tail):
        format_ = find_format([value])
        content = format_.read_content(value) if format_ and not used else RecordContent()
        if content.kind == "summary":
            return LastUsage()
        if content.receipt:
            used, window = content.receipt.context + content.receipt.output, _find_window(value)
        if used and (model := _find_model(value)):
            return LastUsage(used, model, window)
    return LastUsage(used, "", window)


def _read_back(tail: bytes) -> Iterator[dict[str, JsonValue]]:
    """Yield the objects of the lines, the last one first."""
    for line in reversed(tail.splitlines()):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _find_model(value: dict[str, JsonValue]) -> str:
    """Return the model that a line of any host names."""
    inner = (value, *(get_object(value, key) for key in ("message", "payload", "data")))
    names = [get_text(item, "model") for item in (*inner, get_object(get_object(value, "data"), "usage"))]
    return next(filter(None, names), "")


def _find_window(value: dict[str, JsonValue]) -> int:
    """Return the window that Codex states beside the usage."""
    return get_number(get_object(get_object(value, "payload"), "info"), "model_context_window")


def find_cold_time(tail: bytes) -> float:
    """Return when the cache of a conversation of Claude Code gets cold, in seconds since 1970.

    It follows from the last answer in the last lines of a transcript. It is 0 if unknown, and after a compaction.
    """
    for value in _read_back(tail):
        if get_text(value, "subtype") == "compact_boundary":
            break
        usage = read_anthropic_usage(get_object(get_object(value, "message"), "usage"))
        if get_text(value, "type") == "assistant" and usage and value.get("isSidechain") is not True:
            return _read_time(get_text(value, "timestamp")) + usage.cache_seconds if usage.cache_seconds else 0.0
    return 0.0


def _read_time(text: str) -> float:
    """Return a time in seconds since 1970; an unreadable one is in the future."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return inf
