"""Stored messages and events with the usage of their requests: Codex, pi, OpenCode and LangChain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import (
    Answer,
    Reason,
    Stop,
    Usage,
    name_stop,
    read_number,
    read_optional_number,
    subtract_parts,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

_CODEX = "codex"
_FORK_GAP = 1.0
"""Seconds without an entry that end the history of the parent at the beginning of a forked session.

Codex copies it in one burst, with the time of the fork: a few milliseconds between entries, where a turn takes seconds
(ccusage and t3code use the same figure, measured on 333 forked sessions)."""


def read_codex(value: dict[str, JsonValue]) -> Answer | None:
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
    return Answer(_CODEX, usage if usage.context_total else None, None, key, closed=True)


def skip_copied_history(values: Iterable[JsonValue]) -> Iterator[JsonValue]:
    """Yield the values of a session without the usage in the history that a forked one copied from its parent."""
    last: datetime | None = None
    copied = False
    for number, value in enumerate(values):
        if not number:
            copied = _is_fork(value)
        if copied and (moment := _read_time(value)):
            copied = last is None or abs((moment - last).total_seconds()) < _FORK_GAP
            last = moment
        if not (copied and get_text(get_object(value, "payload"), "type") == "token_count"):
            yield value


def _is_fork(value: JsonValue) -> bool:
    """Return whether the first line of a session names the session whose history it continues."""
    payload = get_object(value, "payload")
    spawn = get_object(get_object(get_object(payload, "source"), "subagent"), "thread_spawn")
    is_child = bool(get_text(payload, "forked_from_id") or get_text(spawn, "parent_thread_id"))
    return get_text(value, "type") == "session_meta" and is_child


def _read_time(value: JsonValue) -> datetime | None:
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(get_text(value, "timestamp"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


_PI = "pi"
_PI_STOPS: Mapping[str, Reason] = {
    "stop": "end",
    "length": "length",
    "toolUse": "tool",
    "error": "error",
    "aborted": "aborted",
}


def read_pi(value: dict[str, JsonValue]) -> Answer | None:
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
    stop = name_stop(raw, _PI_STOPS)
    known_usage = usage if usage.context_total else None
    return Answer(_PI, known_usage, stop, "", get_text(value, "model"), get_text(value, "errorMessage"), closed=True)


_OPENCODE = "opencode"
_OPENCODE_STOPS: Mapping[str, Reason] = {
    "stop": "end",
    "length": "length",
    "tool-calls": "tool",
    "content-filter": "content_filter",
    "error": "error",
}
_ABORT_ERROR = "MessageAbortedError"


def read_opencode(value: dict[str, JsonValue]) -> Answer | None:
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
    stop = name_stop(raw, _OPENCODE_STOPS)
    if error:
        stop = Stop("aborted" if get_text(error, "name") == _ABORT_ERROR else "error", get_text(error, "name"))
    known_usage = usage if usage.context_total else None
    error_message = get_text(get_object(error, "data"), "message")
    return Answer(
        _OPENCODE, known_usage, stop, get_text(value, "id"), get_text(value, "modelID"), error_message, closed=True
    )


_LANGCHAIN = "langchain"
_LANGCHAIN_STOPS: Mapping[str, Reason] = {
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


def read_langchain(value: dict[str, JsonValue]) -> Answer | None:
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
    stop = Stop(_LANGCHAIN_STOPS.get(raw, "unknown"), raw) if raw else Stop("tool") if calls else None
    model = get_text(metadata, "model_name") or get_text(metadata, "model")
    return Answer(_LANGCHAIN, usage, stop, get_text(value, "id"), model, calls=calls, closed=True)
