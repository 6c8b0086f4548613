"""The token usage that the end of a host's transcript reports, read without its beginning."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import get_number, get_object, get_text
from ctxkit.core.chat.model.message import RecordContent
from ctxkit.core.chat.reading.format_registry import find_format
from ctxkit.core.text.json_value import JsonValue

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
    for value in read_back(tail):
        format_ = find_format([value])
        content = format_.read_content(value) if format_ and not used else RecordContent()
        if content.kind == "summary":
            return LastUsage()
        if content.receipt:
            used, window = content.receipt.context + content.receipt.output, _find_window(value)
        if used and (model := _find_model(value)):
            return LastUsage(used, model, window)
    return LastUsage(used, "", window)


def read_back(tail: bytes) -> Iterator[dict[str, JsonValue]]:
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
