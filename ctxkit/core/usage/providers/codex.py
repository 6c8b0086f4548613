"""The events in which Codex notes what the last request of a session took."""

from typing import Any

from ctxkit.core.chat.shape import mapping, text
from ctxkit.core.usage.answer import Answer, Usage, number, split, told

NAME = "codex"


def read(value: dict[str, Any]) -> Answer | None:
    """Return what an event says of the last request, None for anything else; one that is said again is the same."""
    info = mapping(value, "info")
    held = mapping(info, "last_token_usage")
    if text(value, "type") != "token_count" or not held:
        return None
    uncached, cached, stored = split(
        number(held, "input_tokens"), number(held, "cached_input_tokens"), number(held, "cache_write_input_tokens")
    )
    usage = Usage(uncached, cached, stored, 0, number(held, "output_tokens"), told(held, "reasoning_output_tokens"))
    key = f"{number(mapping(info, 'total_token_usage'), 'total_tokens')}"
    return Answer(NAME, usage if usage.context_total else None, None, key, closed=True)
