"""Codex events with the usage of the last request in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Usage, read_number, read_optional_number, subtract_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

NAME = "codex"
FORK_GAP = 1.0
"""Seconds without an entry that end the history of the parent at the beginning of a forked session.

Codex copies it in one burst, with the time of the fork: a few milliseconds between entries, where a turn takes seconds
(ccusage and t3code use the same figure, measured on 333 forked sessions)."""


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


def skip_copied_history(values: Iterable[JsonValue]) -> Iterator[JsonValue]:
    """Yield the values of a session without the usage in the history that a forked one copied from its parent."""
    last: datetime | None = None
    copied = False
    for number, value in enumerate(values):
        if not number:
            copied = _is_fork(value)
        if copied and (moment := _read_time(value)):
            copied = last is None or abs((moment - last).total_seconds()) < FORK_GAP
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
