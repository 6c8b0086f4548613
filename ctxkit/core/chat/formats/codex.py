"""The rollouts that Codex CLI keeps: items of the Responses API, one a line, among events."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.formats import responses
from ctxkit.core.chat.message import Entry, Message, Part, Rewind
from ctxkit.core.chat.shape import mapping, objects, text

NAME, PROVIDER, LINEAR = "codex", "openai", False
_TYPES = ("session_meta", "response_item", "compacted", "turn_context", "event_msg")


def claims(value: Any) -> bool:
    """Tell whether a value is a line of a rollout."""
    return text(value, "type") in _TYPES and isinstance(value.get("payload"), dict)


def entries(value: Any) -> Iterator[Entry]:
    """Yield what a line adds to the history, or takes from it; raises ValueError when it is no object.

    A compaction replaces everything before it; events repeat what items say, but for a rollback.
    """
    if not isinstance(value, dict):
        raise ValueError("no entry of a rollout")
    kind, payload = text(value, "type"), mapping(value, "payload")
    if kind == "response_item":
        yield responses.item(payload)
    elif kind == "session_meta":
        yield from _instructions(payload)
    elif kind == "compacted":
        yield Rewind()
        history = objects(payload, "replacement_history")
        yield from map(responses.item, history)
        if not history and (words := text(payload, "message")):
            yield Message("user", (Part("text", words),))
    elif text(payload, "type") == "thread_rolled_back":
        turns = payload.get("num_turns")
        yield Rewind(turns if isinstance(turns, int) else 1)


def _instructions(payload: dict[str, Any]) -> Iterator[Entry]:
    words = text(mapping(payload, "base_instructions"), "text") or text(payload, "instructions")
    if words:
        yield Message("system", (Part("text", words),))
